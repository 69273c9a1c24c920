"""Calls to a Qdrant server: repeated where that may help, errors that say what to do."""

import time
from collections.abc import Callable
from importlib.metadata import version
from json import JSONDecodeError
from typing import NamedTuple, TypeVar

from qdrant_client import QdrantClient
from qdrant_client.common.client_exceptions import QdrantException, ResourceExhaustedResponse
from qdrant_client.http.exceptions import (
    ApiException,
    ResponseHandlingException,
    UnexpectedResponse,
)

from cairn.resources.vector_index.protocol import VectorIndexError

OLDEST = (1, 16)
"""First version of the server whose collections have metadata."""
QUICK, SLOW = 10, 60
"""Seconds to wait for the answer to a question, and to a change."""
TRIES, PAUSE = 3, 0.25
"""Of calls that may be repeated, and seconds before the second; before the third, twice as long."""
LONGEST_DELAY = 10.0
"""Seconds; a server that asks for more is not waited for."""

T = TypeVar("T")


class Server:
    """A Qdrant server: whether it can be used is asked once, before the first call."""

    def __init__(self, client: QdrantClient, address: str) -> None:
        self._client = client
        self._address = address
        self._version = ""

    @property
    def version(self) -> str:
        """The server's version.

        Raises:
            VectorIndexError: it cannot be asked, or is too old or too new.
        """
        if not self._version:
            there = self._answer(lambda client: client.info()).version
            if not _fits(there):
                oldest = ".".join(map(str, OLDEST))
                raise self.trouble(
                    f"is version {there}: Cairn needs {oldest} or later, of the same major version"
                )
            self._version = there
        return self._version

    def trouble(self, says: str) -> VectorIndexError:
        """An error that names the server, and its version where it is known."""
        told = f" ({self._version})" if self._version else ""
        return VectorIndexError(f"Qdrant server {self._address}{told} {says}")

    def ask(
        self,
        call: Callable[[QdrantClient], T],
        *,
        again: bool = True,
        missing: VectorIndexError | None = None,
    ) -> T:
        """What the server answers.

        Args:
            call: What is asked.
            again: Whether it may be repeated: twice done is as good as once.
            missing: What a collection that is not there means.

        Raises:
            VectorIndexError: there is no answer; says why and what to do, in words of ours alone.
        """
        _ = self.version
        return self._answer(call, again=again, missing=missing)

    def _answer(
        self,
        call: Callable[[QdrantClient], T],
        *,
        again: bool = True,
        missing: VectorIndexError | None = None,
    ) -> T:
        trouble = _Trouble("")
        for number in range(TRIES if again else 1):
            if number:
                time.sleep(trouble.delay or PAUSE * number)
            try:
                return call(self._client)
            except (ApiException, QdrantException, JSONDecodeError, UnicodeDecodeError) as error:
                trouble = _trouble(error)
            if not trouble.passes:
                break
        # Raised here, so that what the server said, which may repeat texts of ours, is no context.
        raise missing if missing and trouble.status == 404 else self.trouble(trouble.says)


def connect(url: str, key: str | None) -> Server:
    """The server at an address; nothing is asked of it yet."""
    # Given as `api_key`, each process would warn where the address is no https.
    headers = {"api-key": key} if key else None
    client = QdrantClient(url=url, headers=headers, timeout=QUICK, check_compatibility=False)
    return Server(client, url)


class _Trouble(NamedTuple):
    """Why there is no answer. Holds no text of the server's, which may repeat ours."""

    says: str
    passes: bool = False
    """Whether asking again may help."""
    status: int | None = None
    delay: float | None = None
    """Seconds that the server asked us to wait."""


def _trouble(error: Exception) -> _Trouble:
    if isinstance(error, ResourceExhaustedResponse):
        delay = float(error.retry_after_s)
        says = "has too many requests (429): try again later, or raise its limit"
        return _Trouble(says, delay <= LONGEST_DELAY, 429, delay)
    if isinstance(error, UnexpectedResponse):
        status = error.status_code or 0
        if status in (401, 403):
            return _Trouble(f"refuses the key ({status}): is CAIRN_QDRANT_API_KEY right?")
        return _Trouble(
            f"answers {status} ({error.reason_phrase}): its log says why",
            status in (429, 502, 503, 504),
            status,
        )
    source = error.source if isinstance(error, ResponseHandlingException) else error
    name = type(source).__name__
    names = {each.__name__ for each in type(source).__mro__}  # httpx's, which the client brings
    if "TimeoutException" in names:
        return _Trouble(f"does not answer in time ({name}): is it up, and is qdrant_url right?")
    if "TransportError" in names:
        says = f"cannot be reached ({name}): is it running, and is qdrant_url right?"
        return _Trouble(says, passes=True)
    return _Trouble(
        f"gives an answer that qdrant-client {version('qdrant-client')} cannot read ({name}): is"
        " qdrant_url that of a Qdrant server of about the same version?"
    )


def _fits(there: str) -> bool:
    """Whether a server of a version can hold an index."""
    first = there.split(".")[:2]
    if len(first) < 2 or not all(part.isdecimal() for part in first):
        return False
    number = (int(first[0]), int(first[1]))
    return number >= OLDEST and number[0] == OLDEST[0]
