"""Who may write to a namespace of a warehouse that several homes share: one of them at a time.

A lease is a Delta table without rows: each commit names its holder, and of two that are made at
once Delta refuses one, in a folder as in an object store. Its version is the fencing token.
"""

import logging
import threading
import time
from collections.abc import Generator, Iterable
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field

from deltalake import CommitProperties, DeltaTable, Field, Schema, Transaction
from deltalake.exceptions import CommitFailedError, DeltaError
from deltalake.schema import PrimitiveType

from cairn.resources.home.write_lock import LockTimeout
from cairn.resources.processes import is_gone, process_name
from cairn.resources.warehouse.delta import opened, table_uri

LEASE = "_lease"
"""Its table, and what commits to others name their token by."""

SECONDS = 30.0
"""How long a lease holds from when it was last renewed."""

POLL_SECONDS = 0.5

# Nobody reads what it was an hour ago, and each commit is a file.
_CONFIGURED = {
    "delta.checkpointInterval": "100",
    "delta.logRetentionDuration": "interval 1 hours",
    "delta.enableExpiredLogCleanup": "true",
}
_COLUMNS = Schema([Field("holder", PrimitiveType("string"))])

logger = logging.getLogger(__name__)


class LeaseLost(Exception):  # noqa: N818  what happened
    """Another process may write to the namespace by now: nothing more of this run may."""


@dataclass
class Lease:
    """The right to write to one namespace; threads of a process share it."""

    address: str
    """Of the namespace's tables."""
    options: dict[str, str] | None = field(default=None, repr=False)
    seconds: float = SECONDS
    holder: str = field(default_factory=process_name)
    """The process that holds it, or would."""
    _token: int | None = field(default=None, init=False)
    """Version of the last commit by which it is held; None if it is not."""
    _until: float = field(default=0.0, init=False)
    _users: int = field(default=0, init=False)
    _ended: threading.Event = field(default_factory=threading.Event, init=False, repr=False)
    _one: threading.RLock = field(default_factory=threading.RLock, init=False, repr=False)

    @contextmanager
    def held(self, timeout: float) -> Generator[None]:
        """Takes it, renews it, and gives it up when nobody in this process needs it any more.

        Another holder that neither renews nor gives it up for `seconds`, by the clock of who
        waits, is taken for gone, and one of this machine as soon as its process is.

        Raises:
            LockTimeout: another process held it for all that time.
            LeaseLost: it was held here for something longer, such as a run, and is not any more.
        """
        with self._one:
            if not self._users:
                self._take(timeout)
            elif not self._is_held:
                raise self._lost()
            self._users += 1
        try:
            yield
        finally:
            with self._one:
                self._users -= 1
                if not self._users:
                    self._release()

    def fence(self, table: DeltaTable | None) -> list[Transaction]:
        """What a commit to a table of the namespace names, if it still may be made.

        Raises:
            LeaseLost: it is not held, or who held it later has written this table.
        """
        with self._one:
            if self._token is None or not self._is_held:
                raise self._lost()
            last = table.transaction_version(LEASE) if table is not None else None
            if last is not None and last > self._token:
                raise self._lost()
            return [Transaction(LEASE, self._token)]

    def confirm(self) -> None:
        """Asks the store whether it is still held, before what readers follow is replaced.

        Raises:
            LeaseLost: it is not.
        """
        with self._one:
            if not (self._is_held and self._commit(self._stored(), self.holder)):
                self._token = None
                raise self._lost()

    @property
    def _is_held(self) -> bool:
        return self._token is not None and _now() < self._until

    def _lost(self) -> LeaseLost:
        return LeaseLost(f"another process may write to {self.address} by now: run again")

    def _take(self, timeout: float) -> None:
        self._token = None
        seen, since, told = -1, _now(), False
        deadline = _now() + timeout
        while True:
            stored = self._stored()
            version, other = _last(stored)
            if version != seen:
                seen, since = version, _now()
            free = other in ("", self.holder) or is_gone(other) or _now() - since >= self.seconds
            if free and self._commit(stored, self.holder):
                break
            if not told:
                told = True
                logger.info("waiting for %s, which writes to %s", other, self.address)
            if _now() >= deadline:
                raise LockTimeout(f"waited {timeout:g} s for {other or 'another process'}")
            time.sleep(min(POLL_SECONDS, self.seconds / 10))
        self._ended = threading.Event()
        threading.Thread(target=self._renew, args=(self._ended,), daemon=True).start()

    def _renew(self, ended: threading.Event) -> None:
        """Renews it until it is given up or lost; what cannot be reached now, soon may be."""
        while not ended.wait(self.seconds / 3):
            with self._one:
                if ended.is_set() or not self._is_held:
                    return
                try:
                    if not self._commit(self._stored(), self.holder):
                        self._token = None
                except (OSError, DeltaError) as error:
                    logger.warning("the lease of %s is not renewed: %s", self.address, error)

    def _release(self) -> None:
        self._ended.set()
        with suppress(OSError, DeltaError):  # then it ends by itself
            if self._is_held:
                self._commit(self._stored(), "")
        self._token = None

    def _stored(self) -> DeltaTable | None:
        return opened(table_uri(self.address, LEASE), self.options)

    def _commit(self, stored: DeltaTable | None, holder: str) -> bool:
        """Makes it ours, or nobody's, if it is as it was read; whether that came about."""
        began = _now()
        if self._token is not None and (stored is None or stored.version() != self._token):
            return False
        following = 0 if stored is None else stored.version() + 1
        properties = CommitProperties({"holder": holder}, 0, [Transaction(LEASE, following)])
        try:
            if stored is None:
                uri = table_uri(self.address, LEASE)
                DeltaTable.create(
                    uri, _COLUMNS, mode="error", configuration=_CONFIGURED,
                    storage_options=self.options, commit_properties=properties,
                )  # fmt: skip
            else:
                stored.create_write_transaction(
                    [], "append", _COLUMNS, commit_properties=properties
                )
        except CommitFailedError:
            return False
        except DeltaError:
            if self._stored() is None:
                raise
            return False  # made by another process at this moment
        self._token, self._until = following, began + self.seconds
        return True


@dataclass(frozen=True)
class Leases:
    """Those of the namespaces of a warehouse."""

    address: str
    options: dict[str, str] | None = field(default=None, repr=False)
    seconds: float = SECONDS
    _known: dict[str, Lease] = field(default_factory=dict[str, Lease], init=False, repr=False)

    def of(self, namespace: str) -> Lease:
        """That of a namespace."""
        found = Lease(table_uri(self.address, namespace), self.options, self.seconds)
        return self._known.setdefault(namespace, found)

    @contextmanager
    def held(self, namespaces: Iterable[str], timeout: float) -> Generator[None]:
        """Holds those of some, as `Lease.held`; in one order, so that no two wait for each other.

        Raises:
            LockTimeout: another process held one for all that time.
        """
        with ExitStack() as held:
            for name in sorted(namespaces):
                held.enter_context(self.of(name).held(timeout))
            yield


def _now() -> float:
    """Seconds that go on while the machine sleeps, as those of others do."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def _last(stored: DeltaTable | None) -> tuple[int, str]:
    """Version of a lease, and who holds it by that; nobody if it was released."""
    if stored is None:
        return -1, ""
    return stored.version(), str(stored.history(1)[0].get("holder", ""))
