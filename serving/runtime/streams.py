"""Standard output and error of a command whose reader may go before its work is done."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO


def leave(stream: TextIO) -> None:
    """Has nothing more written to whoever read a stream and is gone, at exit neither."""
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())
    with suppress(BrokenPipeError):
        stream.flush()


class GoingOn:
    """What is told to a person: once nobody reads it, it is lost, and the work goes on.

    `cairn forget ID | head -1` has forgotten when it ends with 0.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Writes, or leaves it; as a stream."""
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            leave(self._stream)
            return len(text)

    def flush(self) -> None:
        """Hands over what was written, or leaves it."""
        try:
            self._stream.flush()
        except BrokenPipeError:
            leave(self._stream)
