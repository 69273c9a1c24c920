"""One per home: who runs the daemon, or watches the logs, holds a lock and says so in it."""

import os
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from fcntl import LOCK_EX
from pathlib import Path

from cairn.resources.home.home import Home, check_writable
from cairn.resources.home.write_lock import (
    UNSIGNED,
    Holder,
    holder_of,
    opened,
    sign,
    signature,
    taken,
)


class AlreadyRuns(Exception):  # noqa: N818  what a person is told
    """What there is one of in a home runs already; the message says where."""

    def __init__(self, what: str, holder: Holder) -> None:
        super().__init__(f"{holder} {what}: end it first")
        self.holder = holder


def daemon_lock(home: Home, command: str) -> AbstractContextManager[int]:
    """Holds the lock of who runs sensors and schedules, as `_held` does."""
    return _held(home, home.daemon_lock, command, f"runs the daemon of {home.root}")


def watch_lock(home: Home, command: str) -> AbstractContextManager[int]:
    """Holds the lock of who takes in what comes, so that the sensor need not; as `_held` does."""
    return _held(home, home.watch_lock, command, f"watches the logs of {home.root}")


@contextmanager
def _held(home: Home, path: Path, command: str, what: str) -> Generator[int]:
    """Holds a lock, until its descriptor, which is given, is closed in all who inherited it.

    Raises:
        AlreadyRuns: another one holds it.
        HomeError: the home can only be read.
    """
    check_writable(home)
    with opened(path) as lock:
        if not taken(lock, LOCK_EX):
            raise AlreadyRuns(what, signature(lock) or UNSIGNED)
        sign(lock, Holder(os.getpid(), command, datetime.now(UTC).isoformat(timespec="seconds")))
        yield lock


def daemon_holder(home: Home) -> Holder | None:
    """Who runs the daemon of a home now, if anyone does."""
    return holder_of(home, home.daemon_lock)


def watch_holder(home: Home) -> Holder | None:
    """Who takes in what comes to a home as it comes, if anyone does."""
    return holder_of(home, home.watch_lock)
