"""A namespace of a home, pulled from the store that homes share, and pushed there."""

import fcntl
import os
import re
import shutil
import time
import zlib
from collections.abc import Callable, Collection, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from io import BytesIO
from itertools import groupby
from pathlib import Path
from uuid import uuid4

from cairn.knowledge.schema.tables import TABLES as TABLE_NAMES
from cairn.resources.home.atomic_files import read_regular, replace_file
from cairn.resources.home.damage import first_line
from cairn.resources.home.home import SCHEMA_VERSION, Home, HomeError, check_namespace
from cairn.resources.home.seals import digest_of, digest_of_bytes
from cairn.resources.home.write_lock import opened
from cairn.resources.sharing.shared_files import (
    MANIFESTS,
    SHARED,
    TABLES,
    SharedFile,
    SharedFiles,
    seen,
    turn,
)
from cairn.resources.sharing.snapshot import NamespaceSnapshot, PackedFile, decoded
from cairn.resources.sharing.store import SharedStore
from cairn.resources.telemetry.spans import PULL, PUSH, span

PACK_BYTES = 64 << 20
"""Bytes from which on a pack is put; a file that is larger is one by itself."""
KEPT = 3
"""Snapshots that stay: another home may be pulling one while the next ones come."""
LEAST_NAMED = 0.5
"""Share of a pack that is named still; of less, what is left goes into another."""
WORTH = 0.9
"""Share of its size to which a file must shrink to lie compressed."""
TIDIED_EVERY = 64
"""Pushes: a namespace in which somebody speaks all day has as many snapshots and packs."""
WRITERS = 8
"""Threads that write what was pulled."""
TRIES = 3
"""Of a pull whose snapshot was tidied away meanwhile."""


class SnapshotRefused(Exception):  # noqa: N818  what happened
    """Another home has pushed since this one pulled: what was made here counts for nothing."""


@dataclass
class WorkingCopy:
    """One namespace in a home, as against its newest snapshot in a store."""

    home: Home
    namespace: str
    store: SharedStore
    settings: str = ""
    """Of this home, as of `NamespaceSnapshot.settings`."""

    @property
    def known(self) -> NamespaceSnapshot:
        """The snapshot that was pulled or pushed last; an empty one before the first."""
        with suppress(OSError, ValueError):
            if self._shares:
                return decoded(read_regular(self._known))
        return NamespaceSnapshot()

    @property
    def folder(self) -> Path:
        """What the home notes of it."""
        return self.home.root / SHARED / check_namespace(self.namespace)

    @cached_property
    def files(self) -> SharedFiles:
        """Its files in the home."""
        return SharedFiles(self.home, self.namespace, home_id(self.home))

    @property
    def is_here(self) -> bool:
        """Whether readers have something of it."""
        return self._known.exists()

    def newest(self) -> int:
        """Number of the newest snapshot in the store; 0 if there is none.

        Raises:
            HomeError: the store cannot be used.
        """
        known = self.known
        last = known.number
        there = self.store.listed(self._in("snapshots"), f"{last - 1:012}" if last else None)
        numbers = [int(one.name.rpartition("/")[2]) for one in there]
        if last and (not there or (numbers[0] == last < numbers[-1] and self._is_other(known))):
            # The store was put back to what it was before: all that is here is to be pushed.
            self._note(NamespaceSnapshot())
            return self.newest()
        return numbers[-1] if numbers else 0

    def changed(self, prefix: str = "") -> bool:
        """Whether files, of those whose names begin so, are not as they were pulled or pushed."""
        known = {name: part for name, part in self.known.files.items() if name.startswith(prefix)}
        here = {name: file for name, file in self.files.found().items() if name.startswith(prefix)}
        return known.keys() != here.keys() or any(
            not _is_as(file, known[name]) for name, file in here.items()
        )

    def has_unpushed(self, prefix: str = TABLES) -> bool:
        """Whether files here were made since, as `changed`; what a pull left undone is no such."""
        return not self.is_cut and self.changed(prefix)

    @property
    def is_outdated(self) -> bool:
        """Whether this home has a newer schema than what it pulled or pushed last.

        What is pushed next is for homes of that schema, which refuse what there is.
        """
        return self.known.number > 0 and self.known.schema < SCHEMA_VERSION

    @property
    def is_cut(self) -> bool:
        """Whether a pull or a drop was cut off: files are those of one snapshot or of another."""
        try:
            return int(read_regular(self._pulling)) != self.known.number
        except ValueError:  # it is the snapshot that was being dropped
            return True
        except OSError:
            return False

    def pull(self, *, if_pushed: bool = False, before: Callable[[], None] = lambda: None) -> bool:
        """Makes the files here those of the newest snapshot; whether there was a newer one.

        What was made here since and never pushed is gone then, but for this home's own inbox.

        Args:
            if_pushed: Do nothing where there is such.
            before: What to do while all is here still, if there is a newer one.

        Raises:
            HomeError: the store cannot be used; or tables are here that never were of it.
        """
        with span(PULL, self.namespace) as told, self._alone():
            for tries in range(TRIES):
                number = self.newest()
                if number == self.known.number:
                    if not self._shares:
                        self._note(NamespaceSnapshot())  # what is made from now on is to be pushed
                    return False
                if if_pushed and self.has_unpushed():
                    return False
                self._check_own()
                try:
                    snapshot = self._at(number)
                    before()
                    replace_file(self._pulling, str(number).encode(), 0o600)
                    self._fetch(snapshot)
                except FileNotFoundError as error:
                    if tries == TRIES - 1:
                        raise HomeError(
                            f"{self._snapshot(number)} in {self.store.address} names what is not"
                            f" there ({first_line(error)}): `cairn verify --night` in a home that"
                            " has it puts it there again"
                        ) from error
                else:
                    self.files.drop_all_but(snapshot.files)
                    shutil.rmtree(self._dropped, ignore_errors=True)
                    self._note(snapshot)
                    self._pulling.unlink(missing_ok=True)
                    told.note(snapshot=number, files=len(snapshot.files))
                    return True
        return False

    def drop(self) -> bool:
        """Removes all of it here, if the store has that; whether it did.

        Nothing is removed while a run of this home works on it, nor where this home told something
        or was answered: without the tables that would wait to be taken in, again and again. A later
        pull brings it back.
        """
        with self._alone(), opened(self._at_work) as run:
            try:
                fcntl.flock(run, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            if self.is_cut or not self.known.number or self.changed():
                return False
            if any(map(self.files.is_mine, self.files.found())):
                return False
            self._known.replace(self._pulling)
            self.files.path(MANIFESTS).unlink(missing_ok=True)  # readers see all, or nothing
            shutil.rmtree(self._dropped, ignore_errors=True)
            with suppress(FileNotFoundError):  # at once: half of a table would be a damaged one
                self.files.tables.replace(self._dropped)
            self.files.drop_all_but(())
            shutil.rmtree(self._dropped, ignore_errors=True)
            self._pulling.unlink()
            return True

    @contextmanager
    def at_work(self) -> Generator[None]:
        """Keeps all of it here while a run works on it."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with opened(self._at_work) as run:
            fcntl.flock(run, fcntl.LOCK_SH)
            yield

    def push(self, *, again: Collection[str] = (), anyway: bool = False) -> bool:
        """Puts what changed here since into the store; whether anything had.

        Args:
            again: Packs that are not named any more: what is left in them goes into others.
            anyway: Put a snapshot even if nothing changed.

        Raises:
            HomeError: the store cannot be used; the next push has it all.
            SnapshotRefused: another home has pushed since.
        """
        with span(PUSH, self.namespace) as told, self._alone():
            known = self.known
            files: dict[str, PackedFile] = {}
            new: dict[str, SharedFile] = {}
            for name, here in self.files.found().items():
                part = known.files.get(name)
                if part is not None and part.pack not in again and _is_as(here, part):
                    files[name] = part._replace(modified_ns=here.modified_ns)
                else:
                    new[name] = here
            same = not new and files.keys() == known.files.keys() and not self.is_outdated
            if same and not anyway:
                return False
            files |= self._packed(new)
            by = f"{home_id(self.home)} {datetime.now(UTC).isoformat()}"
            snapshot = NamespaceSnapshot(known.number + 1, files, by, settings=self.settings)
            name = self._snapshot(snapshot.number)
            if not self.store.put_new(name, snapshot.encoded()):
                raise SnapshotRefused
            if self.store.listed(self._in("snapshots"), f"{snapshot.number:012}"):
                # It came so late that those before were tidied away, and its place was free.
                self.store.delete([name])
                raise SnapshotRefused
            self._note(snapshot)
            told.note(snapshot=snapshot.number, files=len(new))
            return True

    def tidy(self, *, thorough: bool = False) -> int:
        """Removes what no snapshot needs any more; gives the objects removed.

        Args:
            thorough: Leave nothing of what this home does not have any more, though another may be
                pulling it: what was forgotten may lie there.

        Raises:
            HomeError, SnapshotRefused: as `push`.
        """
        # A home that is late and has put its pack already is refused by the number.
        self.push(anyway=True)
        packs = self.store.listed(self._in("packs"))
        named = {one.name: 0 for one in packs}
        lost = self.known.packs - named.keys()
        for part in self.known.files.values():
            named[part.pack] = named.get(part.pack, 0) + part.length
        least = 1.0 if thorough else LEAST_NAMED
        sparse = {one.name for one in packs if named[one.name] < least * one.size}
        if sparse | lost:
            self.push(again=sparse | lost)
        with self._alone():
            there = [one.name for one in self.store.listed(self._in("snapshots"))]
            kept = there[-1:] if thorough else there[-KEPT:]
            needed = set[str]().union(*(decoded(self.store.get(name)).packs for name in kept))
            old = [name for name in there if name not in kept]
            old += [one.name for one in packs if one.name not in needed]
            if old:
                self.store.delete(old)
            self.store.clean(self.namespace)
            return len(old)

    def adopt(self) -> bool:
        """Gets the tables that an older Cairn kept in the store; whether there were any.

        Only where this home has none, and nobody has pushed.

        Raises:
            HomeError: the store cannot be used.
        """
        if self.files.tables.exists():
            return False
        with self._alone():
            found = self._older_form()
            for name in found:
                rest = name.removeprefix(f"{self.namespace}/")
                self.files.write(f"{TABLES}/{rest}", self.store.get(name), time.time_ns())
        return bool(found)

    def drop_older_form(self) -> None:
        """Removes those tables from the store, once they are pushed."""
        if found := self._older_form():
            self.store.delete(found)

    def _older_form(self) -> list[str]:
        there = [one.name for one in self.store.listed(self.namespace)]
        return [name for name in there if name.split("/")[1] in {*TABLE_NAMES, "_lease"}]

    def _check_own(self) -> None:
        """Refuses to replace tables that this home made before it shared anything."""
        if not self._shares and (self.files.tables / "records" / "_delta_log").is_dir():
            raise HomeError(
                f"namespace {self.namespace} is in this home and, of another one, in"
                f" {self.store.address}: move {self.files.tables} away, and the next run takes its"
                " logs into the shared one"
            )

    def _fetch(self, snapshot: NamespaceSnapshot) -> None:
        """Gets the files that are not as they should be."""
        wanted: dict[str, PackedFile] = {}
        for name, part in snapshot.files.items():
            here, mine = seen(self.files.path(name)), self.files.is_mine(name)
            if here is None or not (mine or _is_as(here, part)):
                wanted[name] = part
            elif not mine and here.modified_ns != part.modified_ns:
                os.utime(here.path, ns=(part.modified_ns, part.modified_ns))
        ordered = sorted(wanted.items(), key=lambda one: (turn(one[0]), one[1]))
        for (_, pack), parts in groupby(ordered, key=lambda one: (turn(one[0]), one[1].pack)):
            self._fetch_from(pack, dict(parts))

    def _fetch_from(self, pack: str, parts: Mapping[str, PackedFile]) -> None:
        ranges = [(one.start, one.length) for one in parts.values()]
        found = self.store.get_ranges(pack, ranges) if pack else [b""] * len(ranges)

        def write(name: str, part: PackedFile, stored: bytes) -> None:
            with suppress(zlib.error):
                content = zlib.decompress(stored) if part.length < part.size else stored
                if digest_of_bytes(content) == part.digest:
                    self.files.write(name, content, part.modified_ns)
                    return
            raise FileNotFoundError(f"{pack} is damaged")

        # Each waits for the disk.
        with ThreadPoolExecutor(WRITERS) as writers:
            list(writers.map(write, parts, parts.values(), found))

    def _packed(self, new: Mapping[str, SharedFile]) -> dict[str, PackedFile]:
        """Puts files into packs; gives where they lie."""
        found: dict[str, PackedFile] = {}
        pack, held = self._new_pack(), BytesIO()
        for name, here in sorted(new.items()):
            if here.size > PACK_BYTES:
                alone, digest = self._new_pack(), digest_of(here.path)
                self.store.put(alone, here.path)
                found[name] = PackedFile(alone, 0, here.size, here.size, here.modified_ns, digest)
                continue
            content = here.path.read_bytes()
            digest = digest_of_bytes(content)
            if not content:
                found[name] = PackedFile("", 0, 0, 0, here.modified_ns, digest)
                continue
            small = zlib.compress(content, 1)
            lies = small if len(small) < WORTH * len(content) else content
            found[name] = PackedFile(
                pack, held.tell(), len(lies), len(content), here.modified_ns, digest
            )
            held.write(lies)
            if held.tell() >= PACK_BYTES:
                self.store.put(pack, held.getvalue())
                pack, held = self._new_pack(), BytesIO()
        if held.tell():
            self.store.put(pack, held.getvalue())
        return found

    @contextmanager
    def _alone(self) -> Generator[None]:
        """Keeps two processes of this machine from pulling or pushing it at once."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with opened(self.folder / "lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _is_other(self, known: NamespaceSnapshot) -> bool:
        """Whether the snapshot of that number is not the one that was pulled or pushed."""
        with suppress(FileNotFoundError, ValueError):
            return decoded(self.store.get(self._snapshot(known.number))).by != known.by
        return False

    @property
    def _known(self) -> Path:
        return self.folder / "snapshot"

    @property
    def _dropped(self) -> Path:
        """Where tables are while they are removed."""
        return self.folder / "dropped"

    @property
    def _at_work(self) -> Path:
        return self.folder / "at_work"

    @property
    def _begun(self) -> Path:
        """Tells the store that this home shares it in, once it does."""
        return self.folder / "store"

    @property
    def _shares(self) -> bool:
        with suppress(OSError):
            return read_regular(self._begun) == self.store.address.encode()
        return False

    @property
    def _pulling(self) -> Path:
        """Tells the number of the snapshot that is being pulled."""
        return self.folder / "pulling"

    def _note(self, snapshot: NamespaceSnapshot) -> None:
        replace_file(self._known, snapshot.encoded(), 0o600)
        if not self._shares:
            replace_file(self._begun, self.store.address.encode(), 0o600)

    def _in(self, folder: str) -> str:
        return f"{self.namespace}/{folder}"

    def _at(self, number: int) -> NamespaceSnapshot:
        try:
            found = decoded(self.store.get(self._snapshot(number)))
            for name in found.files:
                self.files.path(name)
        except ValueError as error:
            raise HomeError(f"{self._snapshot(number)} in {self.store.address}: {error}") from error
        if found.schema > SCHEMA_VERSION:
            raise HomeError(
                f"{self.namespace} in {self.store.address} was pushed by a newer Cairn (schema"
                f" {found.schema}, this one knows {SCHEMA_VERSION}): update this one"
            )
        if found.schema < SCHEMA_VERSION:
            raise HomeError(
                f"{self.namespace} in {self.store.address} was pushed by an older Cairn (schema"
                f" {found.schema}, this one needs {SCHEMA_VERSION}): first update a home that has"
                " it, and have it run once"
            )
        return found

    def _snapshot(self, number: int) -> str:
        return f"{self._in('snapshots')}/{number:012}"

    def _new_pack(self) -> str:
        return f"{self._in('packs')}/{uuid4().hex}"


def home_id(home: Home) -> str:
    """Name of a home among those that share, made at the first; a copy of a home is another one."""
    file = home.root / "home_id"
    stands = f"{home.root.stat().st_ino} {home.root.resolve()}"
    with suppress(OSError, ValueError):
        known, _, before = read_regular(file).decode().partition(" ")
        if before == stands and re.fullmatch("[0-9a-f]{12}", known):
            return known
    made = uuid4().hex[:12]
    replace_file(file, f"{made} {stands}".encode(), 0o600)
    return made


def _is_as(here: SharedFile, part: PackedFile) -> bool:
    if here.size != part.size:
        return False
    return here.modified_ns == part.modified_ns or digest_of(here.path) == part.digest
