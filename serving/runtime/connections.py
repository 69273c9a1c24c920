"""What one connection may take: the time in which a request has to arrive, the size of its head.

Uvicorn bounds the pause between two requests, and neither of these: whoever sends half a request,
or half of its body, would hold a connection, and what answers it, for as long as they like.
"""

from asyncio import TimerHandle, Transport

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

REQUEST_SECONDS = 30.0
"""From its first byte to its last; also how long a new connection may say nothing."""

LARGEST_HEAD = 64 * 1024
"""Bytes of path and headers."""


class BoundedProtocol(HttpToolsProtocol):
    """HTTP as uvicorn speaks it, on connections that end when a request does not."""

    _deadline: TimerHandle | None = None
    _head = 0

    def connection_made(self, transport: Transport) -> None:  # uvicorn's own
        """A first request has to come."""
        super().connection_made(transport)
        self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._relax()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Part of a request; where it begins one, the time for it begins."""
        self._expect()
        super().data_received(data)

    def on_message_begin(self) -> None:
        """A request begins: perhaps behind another one, in the same bytes."""
        self._expect()
        self._head = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Part of the path."""
        self._grow(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """One header."""
        self._grow(len(name) + len(value))
        super().on_header(name, value)

    def on_message_complete(self) -> None:
        """A request is there as a whole: its answer may take what it takes."""
        self._relax()
        super().on_message_complete()

    def _grow(self, size: int) -> None:
        self._head += size
        if self._head > LARGEST_HEAD:
            raise ValueError("the head of a request is too large")  # the parser tells of it

    def _expect(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(REQUEST_SECONDS, self.transport.close)

    def _relax(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
