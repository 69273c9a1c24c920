"""Who may write to a namespace that several homes share: one of them at a time.

A lease is a row of numbered objects, each put where nothing was: of two that are put at once a
store refuses one. The newest tells who holds it. Its number is the fencing token.
"""

import json
import logging
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from cairn.resources.home.home import HomeError
from cairn.resources.home.write_lock import LockTimeout
from cairn.resources.processes import is_gone, process_name
from cairn.resources.sharing.store import SharedStore

SECONDS = 30.0
"""How long a lease holds from when it was last renewed."""

POLL_SECONDS = 0.5

MOST_OBJECTS = 64
"""Of a lease, before all but the newest go."""

logger = logging.getLogger(__name__)


class LeaseLost(Exception):  # noqa: N818  what happened
    """Another process may write to the namespace by now: nothing more of this run may."""


class _Newest(NamedTuple):
    """The last that was put."""

    number: int
    holder: str
    """Nobody if it was released."""
    before: list[str]
    """Those that it follows."""


@dataclass
class Lease:
    """The right to write to one namespace; threads of a process share it."""

    store: SharedStore
    namespace: str
    seconds: float = SECONDS
    holder: str = field(default_factory=process_name)
    """The process that holds it, or would."""
    _token: int | None = field(default=None, init=False)
    """Number of the last object by which it is held; None if it is not."""
    _until: float = field(default=0.0, init=False)
    _users: int = field(default=0, init=False)
    _ended: threading.Event = field(default_factory=threading.Event, init=False, repr=False)
    _coming: threading.RLock = field(default_factory=threading.RLock, init=False, repr=False)
    _one: threading.RLock = field(default_factory=threading.RLock, init=False, repr=False)

    @contextmanager
    def held(
        self,
        timeout: float,
        began: Callable[[], None] = lambda: None,
        ends: Callable[[], None] = lambda: None,
    ) -> Generator[None]:
        """Takes it, renews it, and gives it up when nobody in this process needs it any more.

        Another holder that neither renews nor gives it up for `seconds`, by the clock of who
        waits, is taken for gone, and one of this machine as soon as its process is.

        Args:
            timeout: Seconds to wait for another holder.
            began: What to do first once it is held.
            ends: What to do last, while it is held still.

        Raises:
            LockTimeout: another process held it for all that time.
            LeaseLost: it was held here for something longer, such as a run, and is not any more.
        """
        with self._coming:
            if not self._users:
                self._take(timeout)
                try:
                    began()
                except BaseException:
                    self._release()
                    raise
            self.check()
            self._users += 1
        try:
            yield
        finally:
            with self._coming:
                self._users -= 1
                if not self._users:
                    try:
                        self.check()
                        ends()
                    finally:
                        self._release()

    def check(self) -> None:
        """Raises if it is not held any more.

        Raises:
            LeaseLost: it is not.
        """
        with self._one:
            if self._token is None or _now() >= self._until:
                raise LeaseLost(f"another home may write to {self.namespace} by now: run again")

    def _take(self, timeout: float) -> None:
        seen, since, said = -1, _now(), False
        deadline = _now() + timeout
        while True:
            began = _now()
            newest = self._newest()
            if newest.number != seen:
                seen, since = newest.number, _now()
            other = newest.holder
            free = other in ("", self.holder) or is_gone(other) or _now() - since >= self.seconds
            # Of a row that was tidied up since it was read, a place may be free that was taken.
            if free and self._put(newest.number + 1, began) and self._is_newest():
                break
            self._token = None
            if not said:
                said = True
                logger.info("waiting for %s, which writes to %s", other, self.namespace)
            if _now() >= deadline:
                raise LockTimeout(f"waited {timeout:g} s for {other or 'another process'}")
            time.sleep(min(POLL_SECONDS, self.seconds / 10))
        if len(newest.before) > MOST_OBJECTS:
            self.store.delete(newest.before)
        self._ended = threading.Event()
        threading.Thread(target=self._renew, args=(self._ended,), daemon=True).start()

    def _renew(self, ended: threading.Event) -> None:
        """Renews it until it is given up or lost; what cannot be reached now, soon may be."""
        while not ended.wait(self.seconds / 3):
            with self._one:
                if ended.is_set() or self._token is None or _now() >= self._until:
                    return
                try:
                    if not self._put(self._token + 1, _now()):
                        self._token = None
                except HomeError as error:
                    logger.warning("the lease of %s is not renewed: %s", self.namespace, error)

    def _release(self) -> None:
        self._ended.set()
        with self._one, suppress(HomeError):  # then it ends by itself
            if self._token is not None and _now() < self._until:
                self._put(self._token + 1, _now(), "")
        self._token = None

    def _put(self, number: int, began: float, holder: str | None = None) -> bool:
        """Makes it ours, or nobody's, by an object that was not there; whether that came about."""
        content = json.dumps({"holder": self.holder if holder is None else holder, "at": began})
        done = self.store.put_new(f"{self._folder}/{number:012}", content.encode())
        if done:
            self._token, self._until = number, began + self.seconds
        return done

    def _newest(self) -> _Newest:
        while True:
            there = [one.name for one in self.store.listed(self._folder)]
            if not there:
                return _Newest(0, "", [])
            *before, name = there
            with suppress(FileNotFoundError):  # tidied up, since newer ones are there
                holder = json.loads(self.store.get(name))["holder"]
                return _Newest(int(name.rpartition("/")[2]), holder, before)

    def _is_newest(self) -> bool:
        return not self.store.listed(self._folder, f"{self._token:012}")

    @property
    def _folder(self) -> str:
        return f"{self.namespace}/lease"


def _now() -> float:
    """Seconds that go on while the machine sleeps, as those of others do."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)
