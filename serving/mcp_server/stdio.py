"""The protocol over stdin and stdout, as an agent that starts the server speaks it."""

import os
import signal
from types import TracebackType
from typing import Any, Self

import anyio
import mcp_types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from cairn.knowledge.ingest.jsonl import document


def serve_stdio(server: Server[Any]) -> None:
    """Answers on stdout what is asked on stdin, until stdin ends, or nobody reads the answers.

    Meanwhile whatever else this process prints goes to stderr.
    """

    async def run() -> None:
        async with stdio_server() as (incoming, outgoing):
            asked = MendedMessages(incoming)
            await server.run(asked, outgoing, server.create_initialization_options())

    # The thread that waits for stdin cannot be woken: Ctrl-C ends the process as SIGTERM does.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        anyio.run(run)
    except* BrokenPipeError:
        os._exit(1)  # at an exit like others, Python would wait for that thread


class MendedMessages:
    """What a client sends, one by one, with half a letter in it made whole.

    JavaScript cuts texts in the middle of an emoji, and writes the half as an escape that no strict
    reader takes: the SDK drops the line, and whoever asked would wait for ever.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def receive(self) -> SessionMessage | Exception:
        """The next message; what cannot be read is the error."""
        return _mended(await self._stream.receive())

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        return _mended(await self._stream.__anext__())

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> bool | None:
        return await self._stream.__aexit__(exc_type, exc_val, exc_tb)

    async def aclose(self) -> None:
        """Reads no more."""
        await self._stream.aclose()


def _mended(item: SessionMessage | Exception) -> SessionMessage | Exception:
    if not isinstance(item, ValidationError):
        return item
    _, asked = document(str(item.errors()[0]["input"]).encode())
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_python(asked, by_name=False))
    except ValidationError:
        return item
