"""Which files of a home are shared, by their names in snapshots: the same in each home.

Tables, index, manifests, the lookup file of hooks; and of each home by itself its inbox, and what
its language models answered: only it adds to these.
"""

import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import NamedTuple

from cairn.resources.home.home import Home
from cairn.resources.home.inbox import all_files, of_home
from cairn.resources.home.seals import blocks_of
from cairn.resources.lookup.file import lookup_file
from cairn.resources.warehouse.publication import generations_in_use

TABLES, INDEX, INBOX, ANSWERS = "warehouse", "index", "inbox", "answers"
SHARED = "shared"
"""Folder of a home with what it knows of what is shared, a folder per namespace."""
MANIFESTS, LOOKUP = "publication.json", "lookup.sqlite"


class SharedFile(NamedTuple):
    """A file as it is in this home."""

    path: Path
    size: int
    modified_ns: int


@dataclass(frozen=True)
class SharedFiles:
    """Those of one namespace."""

    home: Home
    namespace: str
    home_id: str

    @property
    def tables(self) -> Path:
        """Folder of the tables."""
        return self.home.warehouse / self.namespace

    @property
    def index(self) -> Path:
        """Folder of the generations of vectors."""
        return self.home.index / self.namespace

    @property
    def answers(self) -> Path:
        """Folder of answers of language models, with one for each home."""
        return self.home.root / SHARED / self.namespace / ANSWERS

    def found(self) -> dict[str, SharedFile]:
        """All that are there; of the index, generations that a manifest names."""
        named = generations_in_use(self.home, self.namespace)
        folders = {TABLES: self.tables, **{f"{INDEX}/{one}": self.index / one for one in named}}
        places = {
            f"{prefix}/{path.relative_to(folder).as_posix()}": path
            for prefix, folder in folders.items()
            for path in _below(folder)
        }
        for path in all_files(self.home, self.namespace):
            month, home = of_home(path)
            places[f"{INBOX}/{home or self.home_id}/{month}"] = path
        for path in self.answers.glob("*/*.jsonl"):
            places[f"{ANSWERS}/{path.parent.name}/{path.name}"] = path
        places |= {name: self.path(name) for name in (MANIFESTS, LOOKUP)}
        return {name: there for name, path in places.items() if (there := seen(path))}

    def path(self, name: str) -> Path:
        """Where a file stands here.

        Raises:
            ValueError: it is none that is shared.
        """
        if name == MANIFESTS:
            return self.home.publication / f"{self.namespace}.json"
        if name == LOOKUP:
            return lookup_file(self.home, self.namespace)
        kind, *rest = name.split("/")
        if rest and not {"", ".", ".."} & {*rest}:
            if kind == TABLES:
                return self.tables.joinpath(*rest)
            if kind == INDEX:
                return self.index.joinpath(*rest)
            if kind == ANSWERS and len(rest) == 2:
                return self.answers.joinpath(*rest)
            if kind == INBOX and len(rest) == 2:
                home, month = rest
                place = month if home == self.home_id else f"{month}@{home}"
                return self.home.inbox / self.namespace / place
        raise ValueError(f"a snapshot of {self.namespace} names {name[:80]!r}")

    def is_mine(self, name: str) -> bool:
        """Whether only this home writes a file: no snapshot changes it."""
        return name.startswith((f"{INBOX}/{self.home_id}/", f"{ANSWERS}/{self.home_id}/"))

    def write(self, name: str, content: bytes, modified_ns: int) -> None:
        """Makes a file what it is in a snapshot; readers see the old one or the new one."""
        path = self.path(name)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
        try:
            descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                # Of the index's files, what the engine only reserves stays a hole.
                for place, block in blocks_of(content):
                    file.seek(place)
                    file.write(block)
                file.truncate(len(content))
                file.flush()
                os.fsync(descriptor)
            os.utime(partial, ns=(modified_ns, modified_ns))
            partial.replace(path)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise

    def drop_all_but(self, names: Collection[str]) -> None:
        """Removes files that a snapshot does not name, and folders that are empty then."""
        kept = {self.path(name) for name in names}
        there = [*_below(self.tables), *_below(self.index), self.path(MANIFESTS), self.path(LOOKUP)]
        there += [path for path in all_files(self.home, self.namespace) if of_home(path)[1]]
        theirs = self.answers.glob("*/*.jsonl")
        there += [path for path in theirs if path.parent.name != self.home_id]
        # What a kill left of files that were being written may hold anything.
        for folder in (self.tables, self.index, self.answers, self.home.inbox / self.namespace):
            there += folder.rglob("*.partial")
        for path in there:
            if path not in kept:
                path.unlink(missing_ok=True)
        for folder in (self.tables, self.index):
            below = [path for path in folder.rglob("*") if path.is_dir()]
            for empty in sorted(below, reverse=True):
                with suppress(OSError):
                    empty.rmdir()


def turn(name: str) -> int:
    """When a file is written among others: what names some comes behind them."""
    if name in (MANIFESTS, LOOKUP):
        return 2
    return int("/_delta_log/" in name)


def seen(path: Path) -> SharedFile | None:
    """A file as it is; None if it is not there, or is no file."""
    try:
        about = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return SharedFile(path, about.st_size, about.st_mtime_ns) if S_ISREG(about.st_mode) else None


def _below(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.suffix != ".partial" and path.is_file())
