"""One daemon per home: who runs sensors and schedules holds a lock, and says so in it."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from fcntl import LOCK_EX

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


class DaemonRuns(Exception):  # noqa: N818  what a person is told
    """The daemon of a home runs already; the message says where."""

    def __init__(self, home: Home, holder: Holder) -> None:
        super().__init__(f"{holder} runs the daemon of {home.root}: end it first")
        self.holder = holder


@contextmanager
def daemon_lock(home: Home, command: str) -> Generator[int]:
    """Holds the lock, until its descriptor, which is given, is closed in all who inherited it.

    Raises:
        DaemonRuns: another one holds it.
        HomeError: the home can only be read.
    """
    check_writable(home)
    with opened(home.daemon_lock) as lock:
        if not taken(lock, LOCK_EX):
            raise DaemonRuns(home, signature(lock) or UNSIGNED)
        sign(lock, Holder(os.getpid(), command, datetime.now(UTC).isoformat(timespec="seconds")))
        yield lock


def daemon_holder(home: Home) -> Holder | None:
    """Who runs the daemon of a home now, if anyone does."""
    return holder_of(home, home.daemon_lock)
