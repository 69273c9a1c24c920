"""The tables of a home: of each namespace by themselves, or of all of them together."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import polars as pl

from cairn.knowledge.engine.diff import Change
from cairn.knowledge.schema.tables import Table
from cairn.resources.home.home import NAMESPACE, check_namespace
from cairn.resources.warehouse.delta import Commit, folders_in, table_uri
from cairn.resources.warehouse.tables import Conflict, Tables, Written

__all__ = ["Conflict", "Warehouse", "Written"]

KEPT_OPEN = 64
"""Namespaces whose tables stay open."""
MOST_HELD = 256_000_000
"""Bytes of their rows that are held in memory."""


@dataclass(frozen=True)
class Warehouse:
    """Tables in a folder, one part per namespace.

    One that is `of` a namespace opens nothing of another. One of all of them reads and writes each
    in turn: rows go where their `namespace` says. Tables without that column (extractors) are the
    same in each.
    """

    address: str | Path
    run_id: str | None = None
    """Written into each commit."""
    namespace: str | None = None
    """The only one that it reads and writes; all of them if none."""
    quiet: frozenset[str] = frozenset()
    """Namespaces that all of them are told without."""
    _parts: dict[str, Tables] = field(default_factory=dict[str, Tables], repr=False, compare=False)

    def of(self, namespace: str) -> "Warehouse":
        """That of one namespace; what is open is shared.

        Raises:
            ValueError: this is another one's, or it can be no namespace.
        """
        self._own(namespace)
        return replace(self, namespace=check_namespace(namespace))

    def without(self, quiet: frozenset[str]) -> "Warehouse":
        """That of all namespaces but some; what is open is shared."""
        return replace(self, quiet=quiet)

    def namespaces(self, table: Table | None = None) -> frozenset[str]:
        """Namespaces that have tables; or that have rows in one of them."""
        if self.namespace is None:
            named = folders_in(Path(self.address))
            there = [name for name in named if NAMESPACE.fullmatch(name) and name not in self.quiet]
        else:
            there = [self.namespace]
        if table is None:
            return frozenset(there)
        return frozenset(name for name in there if self._part(name).has_rows(table))

    def read(
        self,
        table: Table,
        *,
        namespace: str | None = None,
        days: Sequence[str] | None = None,
        columns: Sequence[str] | None = None,
        version: int | None = None,
    ) -> pl.LazyFrame:
        """Rows of a table in no particular order; a table that is not there is empty.

        Args:
            table: Which.
            namespace: Only its rows; other namespaces' files are not opened.
            days: Only rows of these days, for tables by day; other days' files are not opened.
            columns: Only these.
            version: As it was then, of one namespace; else as it is now.

        Raises:
            Damaged: its files, or this version, are gone or cut.
            ValueError: a version of more than one namespace is asked for.
        """
        own = self._own(namespace)
        if own is not None:
            return self._part(own).read(table, days=days, columns=columns, version=version)
        if version is not None:
            raise ValueError(f"{table.name}: a version is of one namespace")
        frames = [
            self._part(name).read(table, days=days, columns=columns)
            for name in sorted(self.namespaces())
        ]
        if not frames:
            empty = table.empty().lazy()
            return empty if columns is None else empty.select(columns)
        found = pl.concat(frames)
        return found if "namespace" in table.columns else found.unique()

    def height(self, table: Table, namespace: str | None = None) -> int:
        """Rows of a table in a namespace, or in all; nothing is read for that."""
        own = self._own(namespace)
        named = self.namespaces() if own is None else [own]
        return sum(self._part(name).height(table) for name in named)

    def version(self, table: Table, namespace: str | None = None) -> int | None:
        """Version of the last change of content; None if the table is not there.

        Raises:
            ValueError: of which namespace is not said.
        """
        return self._one(namespace).version(table)

    def commit(self, table: Table) -> Commit | None:
        """What tells how a table of one namespace stands (`Tables.commit`)."""
        return self._one(None).commit(table)

    def write(
        self,
        table: Table,
        frame: pl.DataFrame,
        *,
        days: Sequence[str] | None = None,
        namespaces: Collection[str] | None = None,
    ) -> Written:
        """Replaces a table, or all rows of some days or namespaces in it, with a frame.

        Args:
            table: Which.
            frame: Its rows, of these days and namespaces only; may be empty.
            days: Days that are replaced, for tables by day.
            namespaces: Namespaces that are replaced.

        Raises:
            Conflict: the table was changed by another writer.
            ValueError: rows outside of what is replaced, a key that occurs twice, or columns
                that are not the table's.
        """
        return self._each(
            table, frame, namespaces, lambda part, rows: part.write(table, rows, days=days)
        )

    def gather(self, table: Table) -> None:
        """Holds what is written to a table of one namespace from now on (`Tables.gather`)."""
        self._one(None).gather(table)

    def commit_gathered(self, table: Table) -> Written:
        """Commits what was gathered of a table of one namespace (`Tables.commit_gathered`)."""
        return self._one(None).commit_gathered(table)

    def is_gathered_anew(self, table: Table) -> bool:
        """Whether what is gathered differs from what is stored (`Tables.is_gathered_anew`)."""
        return self._one(None).is_gathered_anew(table)

    def append(self, table: Table, frame: pl.DataFrame) -> Written:
        """Adds rows. Their keys must be new: this compares them among themselves only.

        Raises:
            Conflict: another writer made the table at this moment.
            ValueError: a key that occurs twice in the frame, or columns that are not the table's.
        """
        given = [] if self.namespace is None and frame.is_empty() else None
        return self._each(table, frame, given, lambda part, rows: part.append(table, rows))

    def apply_change(self, table: Table, change: Change, *, namespace: str) -> Written:
        """Adds rows of a namespace and takes others away (`Tables.apply_change`)."""
        return self._one(namespace).apply_change(table, change)

    def changes(self, table: Table, since: int | None, *, namespace: str) -> Change | None:
        """Rows of a namespace that came and went since a version (`Tables.changes`)."""
        return self._one(namespace).changes(table, since)

    def maintain(
        self,
        table: Table,
        *,
        keep: Collection[int] = (),
        retention: timedelta = timedelta(days=7),
        namespace: str | None = None,
    ) -> int:
        """Tidies a table of one namespace, and gives files removed (`Tables.maintain`)."""
        return self._one(namespace).maintain(table, keep=keep, retention=retention)

    def purge(
        self, table: Table, *, keep: Collection[int] = (), namespace: str | None = None
    ) -> int:
        """Removes old versions of a table of one namespace (`Tables.purge`)."""
        return self._one(namespace).purge(table, keep=keep)

    def folder(self, table: Table, namespace: str | None = None) -> Path:
        """Where a table of one namespace is."""
        return self._one(namespace).folder(table)

    def let_go(self) -> None:
        """Lets go of tables that were opened: their files were changed by other means."""
        self._parts.clear()

    def _own(self, namespace: str | None) -> str | None:
        if self.namespace is not None and namespace not in (None, self.namespace):
            raise ValueError(f"these are tables of {self.namespace}, not of {namespace}")
        return self.namespace if namespace is None else namespace

    def _one(self, namespace: str | None) -> Tables:
        own = self._own(namespace)
        if own is None:
            raise ValueError("of which namespace is not said")
        return self._part(own)

    def _part(self, namespace: str) -> Tables:
        part = self._parts.pop(namespace, None)
        if part is None:
            while len(self._parts) >= KEPT_OPEN or self._bytes_held > MOST_HELD:
                self._parts.pop(next(iter(self._parts)), None)
            address = table_uri(self.address, check_namespace(namespace))
            part = Tables(address, namespace, self.run_id)
        self._parts[namespace] = part  # those that are not asked for give way
        return part

    @property
    def _bytes_held(self) -> int:
        return sum(part.bytes_held for part in [*self._parts.values()])

    def _each(
        self,
        table: Table,
        frame: pl.DataFrame,
        namespaces: Iterable[str] | None,
        write: Callable[[Tables, pl.DataFrame], Written],
    ) -> Written:
        """Writes to each namespace its rows; where none is said, to all that have any, or had."""
        if self.namespace is not None:
            if namespaces is not None and {*namespaces} != {self.namespace}:
                raise ValueError(f"{table.name}: other namespaces than {self.namespace}")
            return write(self._part(self.namespace), frame)
        if "namespace" not in table.columns:
            parts = dict.fromkeys(self.namespaces() if namespaces is None else namespaces, frame)
        else:
            parts = {str(key): own for (key,), own in frame.partition_by(
                "namespace", as_dict=True, maintain_order=True).items()}  # fmt: skip
            named = self.namespaces(table) if namespaces is None else namespaces
            if namespaces is not None and not parts.keys() <= {*named}:
                raise ValueError(f"{table.name}: rows outside of the namespaces replaced")
            parts |= {name: frame.clear() for name in named if name not in parts}
        written = [write(self._part(name), own) for name, own in sorted(parts.items())]
        return Written(
            max((one.version for one in written), default=0),
            sum(one.rows for one in written),
            changed=any(one.changed for one in written),
        )
