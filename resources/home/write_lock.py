"""Who writes to a namespace holds its lock: command line, sensor and schedule take turns."""

import fcntl
import json
import logging
import os
import sys
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from cairn.resources.home.home import Home, check_namespace, check_writable, set_aside

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
    home: Home,
    command: str | None = None,
    *,
    namespace: str | None = None,
    timeout: float | None = None,
) -> Generator[Holder]:
    """Holds the lock of a namespace, or of the whole home; who must wait logs for whom.

    Writers of different namespaces work side by side; who holds the home works alone. Locks are
    flocks: the kernel gives them up when the process ends, killed or not. They are not
    reentrant: to give one up between assets, leave the context and enter it again. Who waits
    holds a second lock, so that one who leaves and enters again queues behind them. A forked
    child shares it until the child ends too; a spawned one does not.

    Args:
        home: The home to write to.
        command: What this process does, for those who wait.
        namespace: The only one that is written to; all of them if none.
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
    with ExitStack() as held:

        def take(path: Path, kind: int) -> int:
            queue = path.with_suffix(".lock.next")
            for each in (path, queue):
                _make_room(home, each)
            lock = held.enter_context(opened(path))
            with opened(queue) as turn:
                for each, how in ((turn, fcntl.LOCK_EX), (lock, kind)):
                    _wait(each, how, lambda: signature(lock) or _writes(home), deadline, timeout)
            return lock

        whole = take(home.write_lock, fcntl.LOCK_EX if namespace is None else fcntl.LOCK_SH)
        lock = whole
        if namespace is not None:
            home.namespace_locks.mkdir(mode=0o700, exist_ok=True)
            lock = take(home.namespace_locks / f"{check_namespace(namespace)}.lock", fcntl.LOCK_EX)
        sign(lock, own)
        try:
            yield own
        finally:
            os.ftruncate(lock, 0)
            os.utime(whole)  # one time tells of what was written in any namespace


def lock_holder(home: Home) -> Holder | None:
    """Who writes now, if anyone does; of several, in namespaces side by side, one."""
    return holder_of(home, home.write_lock) or _writes(home)


@contextmanager
def notes_lock(home: Home) -> Generator[None]:
    """Holds what keeps writers of two namespaces from replacing one note of the home at once."""
    with opened(home.root / "notes.lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _writes(home: Home) -> Holder | None:
    """Who writes to a namespace now."""
    places = sorted(home.namespace_locks.glob("*.lock")) if not home.read_only else []
    return next(filter(None, (holder_of(home, place) for place in places)), None)


def _make_room(home: Home, path: Path) -> None:
    """Sets aside what stands in the place of a lock, and nobody can hold."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        set_aside(home, path)


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


def _wait(
    descriptor: int,
    kind: int,
    holder: Callable[[], Holder | None],
    deadline: float,
    timeout: float,
) -> None:
    """Takes a flock; `holder` tells who has it, or is before us."""
    told: Holder | None = None
    start = time.monotonic()
    while not taken(descriptor, kind):
        other = holder()
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
