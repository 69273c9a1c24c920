"""Homes that share what they know: each pulls a namespace, works on it here, and pushes it.

As with git, what one has not pushed counts for nothing where another was faster; it makes it again
from what that one pushed. A lease keeps them from working on the same namespace at once.
"""

import logging
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from threading import Lock, Thread

from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.tables import RECORDS
from cairn.resources.home.atomic_files import read_regular, replace_file
from cairn.resources.home.home import NAMESPACE, Home, HomeError
from cairn.resources.home.inbox import event_id_of, lines_of
from cairn.resources.llm.answer_cache import Answers
from cairn.resources.sharing.cache import PulledNamespaces
from cairn.resources.sharing.lease import SECONDS, Lease, LeaseLost
from cairn.resources.sharing.shared_answers import SharedAnswers
from cairn.resources.sharing.shared_files import SHARED, TABLES
from cairn.resources.sharing.store import SharedStore
from cairn.resources.sharing.working_copy import TIDIED_EVERY, SnapshotRefused, WorkingCopy
from cairn.resources.warehouse.warehouse import Warehouse

LOOK_SECONDS = 5.0
"""How long what was seen in the store is as good as seen now, to readers."""
MOST_WAITED = 5.0
"""Seconds that the first reader of a namespace waits for it."""
FORGET_KEY = ".cairn/forget.key"
"""The secret of tombstones, in the store: homes that share read each other's."""

logger = logging.getLogger(__name__)


@dataclass
class Sharing:
    """What a home shares with others, by namespace."""

    home: Home
    address: str
    answers: Answers
    options: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    seconds: float = SECONDS
    let_go: Callable[[], None] = field(default=lambda: None, repr=False)
    """Lets go of what was opened of this home: its files are others now."""
    settings: str = ""
    """Digest of what decides what knowledge becomes: homes that share work by the same."""
    cache_bytes: int | None = None
    """Most bytes of namespaces that this home only reads; None for no bound."""
    may_change: bool = field(default=False, init=False)
    """Whether a person said that what others made is made anew by the settings of this home."""
    _leases: dict[str, Lease] = field(default_factory=dict[str, Lease], init=False, repr=False)
    _looked: dict[str, float] = field(default_factory=dict[str, float], init=False, repr=False)
    _looking: dict[str, Thread] = field(default_factory=dict[str, Thread], init=False, repr=False)
    _asking: Lock = field(default_factory=Lock, init=False, repr=False)
    _adopted: set[str] = field(default_factory=set[str], init=False, repr=False)
    """Namespaces that an older Cairn had as tables in the store, until they are pushed."""
    _named: list[str] = field(default_factory=list[str], init=False, repr=False)

    @cached_property
    def store(self) -> SharedStore:
        """The folder or object store."""
        return SharedStore(self.address, self.options)

    @cached_property
    def cache(self) -> PulledNamespaces:
        """What readers pulled and nobody here makes, within its bound."""
        return PulledNamespaces(self.home, self.of, self.cache_bytes)

    def of(self, namespace: str) -> WorkingCopy:
        """One namespace as this home has it."""
        return WorkingCopy(self.home, namespace, self.store, self.settings)

    def answers_of(self, namespace: str) -> SharedAnswers:
        """What language models answered in one, here and elsewhere."""
        files = self.of(namespace).files
        return SharedAnswers(self.answers, namespace, files.answers, files.home_id)

    def namespaces(self) -> list[str]:
        """Namespaces that any home has pushed, or works on; as last seen, where none is told."""
        if self._due(""):
            try:
                self._named = [*filter(NAMESPACE.fullmatch, self.store.folders())]
            except HomeError as error:
                logger.warning("%s", error)
        return self._named

    @contextmanager
    def held(self, namespaces: Iterable[str], timeout: float) -> Generator[None]:
        """Holds the leases of some; what they held is pulled before, and pushed behind.

        They are taken in one order, so that no two homes wait for each other.

        Raises:
            LockTimeout: another home held one for all that time.
            LeaseLost: another home works on one by now, and what was made here counts for nothing.
            HomeError: the store cannot be used.
        """
        with ExitStack() as held:
            for name in sorted(namespaces):
                lease = self._leases.setdefault(name, Lease(self.store, name, self.seconds))
                began, ends = partial(self._pull, name), partial(self._push, name)
                held.enter_context(self.of(name).at_work())
                held.enter_context(lease.held(timeout, began, ends))
            yield

    def check(self, namespace: str) -> None:
        """Raises if a namespace is not ours any more, before what readers follow is replaced.

        Raises:
            LeaseLost: it is not.
        """
        self._leases[namespace].check()

    def has_kept(self, namespace: str) -> bool:
        """Whether records wait that this home took in and could not push."""
        return self.unpushed(namespace).exists()

    def owes(self, namespace: str) -> bool:
        """Whether this home has more than it pushed, or the same for a newer schema."""
        copy = self.of(namespace)
        return copy.is_outdated or copy.changed()

    def finish_pulls(self) -> None:
        """Pulls what a kill left half pulled: it looks like damage.

        Raises:
            HomeError: the store cannot be used.
        """
        for folder in sorted((self.home.root / SHARED).glob("*/")):
            if NAMESPACE.fullmatch(folder.name) and self.of(folder.name).is_cut:
                self.pull(folder.name)

    def follow(self, namespace: str) -> None:
        """Pulls for readers, unless that was done just now, or a run here has more.

        Who asks for the first time waits for it; later ones are answered from what is here, and
        what is newer comes behind. Where the store cannot be used, readers keep what they have.
        """
        self.cache.use(namespace)
        first = namespace not in self._looked or not self.of(namespace).is_here
        if self.home.read_only:
            return
        with self._asking:
            if self._due(namespace):
                look = Thread(target=self.look, args=(namespace,), name="follow", daemon=True)
                look.start()
                self._looking[namespace] = look
            under_way = self._looking.get(namespace)
        if first and under_way:  # another may have begun it
            under_way.join(MOST_WAITED)

    def pull(self, namespace: str) -> None:
        """Pulls without the lease, unless a run here has more.

        Raises:
            HomeError: the store cannot be used.
        """
        if self.of(namespace).pull(if_pushed=True):
            self.let_go()
            for name in self.cache.trim():
                self._looked.pop(name, None)

    def look(self, namespace: str) -> None:
        """Pulls for readers, however long it takes; says so where the store cannot be used."""
        try:
            self.get_key()
            self.pull(namespace)
        except HomeError as error:
            logger.warning("%s: %s", namespace, error)

    def forgotten_here(self, namespace: str) -> set[str]:
        """Tombstones that were applied to what this home alone has."""
        try:
            return set(read_regular(self._forgotten(namespace)).decode("utf-8", "replace").split())
        except OSError:  # they are applied again
            return set()

    def note_forgotten(self, namespace: str, event_ids: Iterable[str]) -> None:
        """Notes some as applied to it."""
        known = self.forgotten_here(namespace)
        if new := {*event_ids} - known:
            self._forgotten(namespace).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            content = "\n".join(sorted(known | new)).encode()
            replace_file(self._forgotten(namespace), content, 0o600)

    def tidy(self, namespace: str, *, thorough: bool = False) -> int:
        """Removes what is in the store for nothing (`WorkingCopy.tidy`), under its lease.

        Raises:
            LeaseLost, HomeError: as `held`.
        """
        try:
            return self.of(namespace).tidy(thorough=thorough)
        except SnapshotRefused:
            raise self._refused(namespace) from None

    def _pull(self, namespace: str) -> None:
        """Pulls; records that this home took in and could not push are kept for the next intake.

        It was killed before it could, or too late, and their source may be gone by now.

        Raises:
            HomeError: others made it by other settings than those of this home.
        """
        self.get_key()
        copy = self.of(namespace)
        unpushed = self.unpushed(namespace)

        def keep() -> None:
            if copy.has_unpushed(f"{TABLES}/{RECORDS.name}/"):
                beside = unpushed.with_suffix(".partial")
                self._tables(namespace).read(RECORDS).collect().write_parquet(beside)
                beside.replace(unpushed)

        if copy.pull(before=keep):
            self.let_go()
        elif not copy.known.number and copy.adopt():
            self._adopted.add(namespace)
            self.let_go()
        self.answers_of(namespace).take_over()  # a reader may have pulled them
        if copy.known.settings not in ("", self.settings) and not self.may_change:
            raise HomeError(
                f"{namespace} in {self.address} was made by another policy, language model, prompts"
                " or timezone than are set here: set the same (`cairn config`), or have it made"
                " anew by those of this home: `cairn run --remake`"
            )

    def _push(self, namespace: str) -> None:
        self._put_key()
        copy = self.of(namespace)
        if self.home.answers.exists() and not self._tombstones(namespace) - self.forgotten_here(
            namespace
        ):
            self.answers_of(namespace).write()
        try:
            if copy.push() and copy.known.number % TIDIED_EVERY == 0:
                copy.tidy()
        except SnapshotRefused:
            raise self._refused(namespace) from None
        if namespace in self._adopted:
            copy.drop_older_form()
            self._adopted.discard(namespace)

    def _tables(self, namespace: str) -> Warehouse:
        return Warehouse(self.home.warehouse).of(namespace)

    def unpushed(self, namespace: str) -> Path:
        """Records that this home took in and could not push, while there are any."""
        return self.of(namespace).folder / "unpushed.parquet"

    def _tombstones(self, namespace: str) -> set[str]:
        """Ids of the tombstones that any home told of."""
        lines = lines_of(self.home, namespace, containing=b'"type": "tombstone"')
        return {found for line in lines if (found := event_id_of(line))}

    def _refused(self, namespace: str) -> LeaseLost:
        return LeaseLost(
            f"another home has pushed to {namespace} in {self.address} since: run again"
        )

    def get_key(self) -> None:
        """Has the secret of the others' tombstones, if there is one and none is here."""
        if self.home.forget_key.exists() or not self._due(FORGET_KEY):
            return
        try:
            content = self.store.get(FORGET_KEY)
        except FileNotFoundError:
            return
        replace_file(self.home.forget_key, content, 0o600)
        self._note_key()

    def _put_key(self) -> None:
        """Shares the secret of this home's tombstones.

        Raises:
            HomeError: others have another.
        """
        if self._key_is_shared.exists() or not self.home.forget_key.exists():
            return
        if not self.store.put_new(FORGET_KEY, read_regular(self.home.forget_key)):
            raise HomeError(
                f"{self.home.forget_key} is not the key of those that share {self.address}: move it"
                " away, and forget again what was forgotten here"
            )
        self._note_key()

    def _note_key(self) -> None:
        self._key_is_shared.parent.mkdir(mode=0o700, exist_ok=True)
        self._key_is_shared.touch(0o600)

    def _forgotten(self, namespace: str) -> Path:
        return self.of(namespace).folder / "forgotten"

    @property
    def _key_is_shared(self) -> Path:
        """Beside the digest of the address, since each store has its own."""
        return self.home.root / SHARED / f".key-{digest(self.address)}"

    def _due(self, what: str) -> bool:
        now = time.monotonic()
        if now - self._looked.get(what, -LOOK_SECONDS) < LOOK_SECONDS:
            return False
        self._looked[what] = now
        return True
