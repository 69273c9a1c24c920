"""A command that runs beside a server, in a process of its own: seconds, and libraries, of work.

No request is held until it ends: who asks again gets its answer.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from math import inf
from threading import Lock, Thread
from typing import Any, Generic, TypeVar

from cairn.resources.context import State

LONGEST = 900.0
"""Seconds that a command may take."""

T = TypeVar("T")


class Busy(Exception):  # noqa: N818  what a client is told
    """Another command of this kind is under way."""


class CommandFailed(Exception):  # noqa: N818
    """The command ended without an answer."""


class LastAnswer(Generic[T]):
    """The last answer of commands of one kind: one at a time, since each takes a core."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._of: object = None
        self._answer: Future[T] = Future()
        self._answer.cancel()
        self._made = 0.0

    @property
    def under_way(self) -> bool:
        """Whether one is being made."""
        return not self._answer.done()

    @property
    def of_what(self) -> object:
        """What the last one is about; None before the first."""
        return self._of

    @property
    def failed(self) -> bool:
        """Whether the last one ended without an answer."""
        return self._of is not None and _failed(self._answer)

    def told(self, what: object, seconds: float) -> tuple[bool, T | None]:
        """Whether the last one is about that, and its answer, which is None while it is made.

        Raises:
            Exception: as what made it.
        """
        with self._lock:
            about, answer = self._of == what, self._answer
        return (True, _within(answer, seconds)) if about else (False, None)

    def of(
        self, what: object, make: Callable[[], T], seconds: float, lasts: float = inf
    ) -> T | None:
        """The answer about something, as soon as it is there; None while it is made.

        Args:
            what: What it is about, and by which publication: what differs is asked anew.
            make: Makes it, in a thread.
            seconds: How long it is waited for.
            lasts: Seconds from when it is there, after which it is asked anew.

        Raises:
            Busy: one about something else is being made.
            Exception: as `make`.
        """
        with self._lock:
            old = self._answer.done() and time.monotonic() - self._made > lasts
            if self._of != what or old or _failed(self._answer):
                self._begin(what, make)
            answer = self._answer
        return _within(answer, seconds)

    def anew(self, what: object, make: Callable[[], T]) -> None:
        """Has the answer about something made, though there may be one already.

        Raises:
            Busy: one is being made.
        """
        with self._lock:
            self._begin(what, make)

    def _begin(self, what: object, make: Callable[[], T]) -> None:
        if not self._answer.done():
            raise Busy
        self._of, self._answer = what, Future()
        Thread(target=self._make, args=(make, self._answer), daemon=True).start()

    def _make(self, make: Callable[[], T], answer: "Future[T]") -> None:
        try:
            made = make()
            self._made = time.monotonic()
            answer.set_result(made)
        except Exception as error:  # told to whoever asks
            answer.set_exception(error)


def _within(answer: "Future[T]", seconds: float) -> T | None:
    try:
        return answer.result(max(0.0, seconds))
    except TimeoutError:
        return None


def _failed(answer: "Future[Any]") -> bool:
    return answer.done() and (answer.cancelled() or answer.exception() is not None)


def told_by(state: State, arguments: Sequence[str]) -> Any:
    """What `cairn …` prints as JSON; `--json` stands among the arguments.

    Raises:
        CommandFailed: it failed, took too long, or printed none.
    """
    command = [sys.executable, "-m", "cairn", "--home", str(state.home.root), *arguments]
    try:
        done = subprocess.run(  # noqa: S603  what is wanted stands behind all options
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True,
            timeout=LONGEST,
        )  # fmt: skip
        return json.loads(done.stdout)
    except (subprocess.SubprocessError, OSError, ValueError) as error:
        raise CommandFailed from error


def left(since: float, patience: float) -> float:
    """Seconds of patience that are left of a request that began then, by the monotonic clock."""
    return since + patience - time.monotonic()
