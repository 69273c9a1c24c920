"""The one writer's lock: command line, sensor and schedule take turns."""

import fcntl
import json
import logging
import os
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from cairn.resources.home.home import Home, check_writable, set_aside

POLL_SECONDS = 0.1
PATIENCE_SECONDS = 1.0
"""Who waits for less says nothing: two runs at once take turns at every stage."""

logger = logging.getLogger(__name__)


class LockTimeout(Exception):  # noqa: N818 - a timeout, as TimeoutError is
    """Another writer kept the lock for too long; the message says which."""


@dataclass(frozen=True)
class Holder:
    """Who writes."""

    pid: int
    command: str
    since: str

    def __str__(self) -> str:
        return f"`{self.command}` (process {self.pid}, since {self.since})"


UNSIGNED = Holder(0, "unknown", "")
"""Who has taken a lock, and not signed it yet."""


@contextmanager
def write_lock(
    home: Home, command: str | None = None, *, timeout: float | None = None
) -> Generator[Holder]:
    """Holds the home's lock; who must wait logs for whom, once per holder.

    It is a flock: the kernel gives it up when the process ends, killed or not. It is not
    reentrant: to give it up between assets, leave the context and enter it again. Who waits
    holds a second lock, so that one who leaves and enters again queues behind them. A forked
    child shares it until the child ends too; a spawned one does not.

    Args:
        home: The home to write to.
        command: What this process does, for those who wait.
        timeout: Seconds to wait; the home's if unset.

    Raises:
        LockTimeout: another writer held it for all that time.
        HomeError: the home can only be read.
    """
    own = Holder(
        os.getpid(),
        command or " ".join(sys.argv)[:200],
        datetime.now(UTC).isoformat(timespec="seconds"),
    )
    timeout = home.lock_timeout if timeout is None else timeout
    deadline = time.monotonic() + timeout
    check_writable(home)
    for path in (home.write_lock, home.write_lock.with_suffix(".lock.next")):
        if path.is_symlink() or (
            path.exists() and not path.is_file()
        ):  # nobody can hold such a one
            set_aside(home, path)
    with opened(home.write_lock) as lock:
        with opened(home.write_lock.with_suffix(".lock.next")) as turn:
            _wait(turn, lock, deadline, timeout)
            _wait(lock, lock, deadline, timeout)
        sign(lock, own)
        try:
            yield own
        finally:
            os.ftruncate(lock, 0)


def lock_holder(home: Home) -> Holder | None:
    """Who holds the lock now, if anyone does."""
    return holder_of(home, home.write_lock)


def holder_of(home: Home, path: Path) -> Holder | None:
    """Who holds a lock of a home now, if anyone does."""
    if not path.is_file() or home.read_only:
        return None
    with opened(path, os.O_RDONLY) as lock:
        if taken(lock, fcntl.LOCK_SH):
            return None
        return signature(lock) or UNSIGNED


@contextmanager
def opened(path: Path, how: int = os.O_RDWR | os.O_CREAT) -> Generator[int]:
    """A file that is locked, for as long as it is needed."""
    descriptor = os.open(path, how | os.O_CLOEXEC, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _wait(descriptor: int, lock: int, deadline: float, timeout: float) -> None:
    """Takes a flock; `lock` is where its holder, or who is before us, has signed."""
    told: Holder | None = None
    start = time.monotonic()
    while not taken(descriptor, fcntl.LOCK_EX):
        other = signature(lock)
        if other and other != told and time.monotonic() - start >= PATIENCE_SECONDS:
            told = other
            logger.info("waiting for %s", other)
        if time.monotonic() >= deadline:
            raise LockTimeout(
                f"waited {timeout:g} s for {other or 'another writer'}: try again later"
            )
        time.sleep(POLL_SECONDS)


def taken(descriptor: int, kind: int) -> bool:
    """Takes a flock, if nobody has it."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def signature(descriptor: int) -> Holder | None:
    """Who has signed; None between being taken and being signed."""
    try:
        return Holder(**json.loads(os.pread(descriptor, 4096, 0)))
    except (ValueError, TypeError):
        return None


def sign(descriptor: int, holder: Holder) -> None:
    """Says in a lock who holds it."""
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, json.dumps(asdict(holder)).encode(), 0)
