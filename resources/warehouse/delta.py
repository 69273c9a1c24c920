"""A Delta table as it is stored: its paths, its files, its versions, its types."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import polars as pl
from deltalake import ColumnProperties, DeltaTable, PostCommitHookProperties, WriterProperties
from deltalake.exceptions import TableNotFoundError

from cairn.knowledge.schema.tables import Table

WHOLE = "true"
"""A whole table, as Delta's SQL."""

# Expired log entries are removed by vacuum.py alone, which is told what publications name.
HOOKS = PostCommitHookProperties(create_checkpoint=True, cleanup_expired_logs=False)
"""What Delta does after each commit."""

SMALL = 100_000
"""Bytes of files up to which a table is read once, and held for as long as it stays open."""

HOUSEKEEPING = frozenset({"VACUUM START", "VACUUM END", "OPTIMIZE"})
"""Operations that make a new version without changing a row."""

# Ids and long texts do not repeat, and nothing is looked up by where texts begin.
_PLAIN = ("record_key", "record_id", "candidate_id", "native_id", "parent_id", "content_hash")
_TEXTS = ("payload", "text", "tool_input", "request", "answer", "quote", "content", "drafts")
_WRITER = WriterProperties(
    compression="ZSTD",
    compression_level=1,
    column_properties={
        **dict.fromkeys(_PLAIN, ColumnProperties(dictionary_enabled=False)),
        **dict.fromkeys(
            _TEXTS, ColumnProperties(dictionary_enabled=False, statistics_enabled="NONE")
        ),
    },
)
# Directions do not compress, and a night reads them all.
_WRITERS = {
    "embeddings": WriterProperties(
        compression="UNCOMPRESSED",
        column_properties={
            "vector.list.element": ColumnProperties(
                dictionary_enabled=False, statistics_enabled="NONE"
            ),
            **dict.fromkeys(
                ("text", "text_hash"),
                ColumnProperties(dictionary_enabled=False, statistics_enabled="NONE"),
            ),
        },
    )
}

# Each stage of a run commits to it and opens it, which reads the log since the last checkpoint.
_CONFIGURED: dict[str, dict[str, str]] = {"work": {"delta.checkpointInterval": "20"}}


class Delta(DeltaTable):
    """A table whose paths are plain: polars 2.1 opens them as they stand, percent signs and all."""

    def file_uris(self, *args: Any, **kwargs: Any) -> list[str]:
        """Paths of its files."""
        return [_plain(uri) for uri in super().file_uris(*args, **kwargs)]

    @property
    def table_uri(self) -> str:
        """Where it is."""
        return _plain(super().table_uri)


def _plain(uri: str) -> str:
    return unquote(uri) if uri.startswith(("/", "file://")) else uri


def table_uri(address: str | Path, table: str) -> str:
    """Where a table is, at the address of a warehouse."""
    return f"{str(address).rstrip('/')}/{table}"


def folder_of(uri: str) -> Path | None:
    """The folder of a table; None in an object store."""
    return None if "://" in uri else Path(uri)


def opened(uri: str, options: dict[str, str] | None, version: int | None = None) -> Delta | None:
    """A table as it is, or as it was; None if it is not there."""
    try:
        return Delta(uri, version=version, storage_options=options)
    except TableNotFoundError:
        return None


class Commit(NamedTuple):
    """One commit of a table in a folder: a table that was rebuilt has another file of it."""

    folder: Path
    version: int
    inode: int
    written: int


def last_commit(folder: Path, version: int | None = None) -> Commit | None:
    """The commit of a version, or the newest one; None if there is no file of it.

    Looking takes a hundredth of the time of opening a table.
    """
    log = folder / "_delta_log"
    try:
        if version is None:
            names = [
                entry.name
                for entry in os.scandir(log)
                if len(entry.name) == 25 and entry.name.endswith(".json")
            ]
            if not names:
                return None
            version = int(max(names)[:20])
        found = (log / f"{version:020}.json").stat()
    except OSError:
        return None
    return Commit(folder, version, found.st_ino, found.st_mtime_ns)


def content_version(stored: DeltaTable) -> int:
    """The last version that changed rows: vacuum and compaction make versions too."""
    limit = 1
    while True:
        commits = stored.history(limit)
        for commit in commits:
            if commit.get("operation") not in HOUSEKEEPING:
                return int(commit["version"])
        if len(commits) < limit:
            return stored.version()  # its log entry has expired: only housekeeping since
        limit *= 4


def files_of(stored: DeltaTable | None, namespace: str) -> pl.DataFrame:
    """Files of a namespace: columns path and day (null for tables that are not by day)."""
    names = {"path": "path", "partition.namespace": "namespace", "partition.day": "day"}
    found = pl.DataFrame(schema=dict.fromkeys(names.values(), pl.String))
    if stored is not None:
        added = pl.DataFrame(stored.get_add_actions(flatten=True))
        added = added.select(pl.col(name).alias(to) for name, to in names.items() if name in added)
        found = pl.concat([found, added], how="diagonal_relaxed")
    return found.filter(pl.col("namespace") == namespace).drop("namespace")


def sizes_of(stored: DeltaTable) -> dict[str, int]:
    """Paths of its files, as the log has them, and how many bytes each has."""
    added = pl.DataFrame(stored.get_add_actions())
    return dict(added.select("path", "size_bytes").iter_rows())


def uris_of(stored: DeltaTable | None, namespace: str) -> set[str]:
    """Where the files of a namespace are."""
    mine = [("namespace", "=", namespace)]
    return set() if stored is None else set(stored.file_uris(file_pruning_predicate=mine))


@dataclass(frozen=True)
class TableScope:
    """The part of a table that is read or replaced."""

    days: Sequence[str] | None = None
    namespaces: Sequence[str] | None = None

    @property
    def limits(self) -> dict[str, list[str]]:
        """Values by column, of columns that have any named."""
        pairs = {"day": self.days, "namespace": self.namespaces}
        return {name: sorted(set(values)) for name, values in pairs.items() if values is not None}

    @property
    def expressions(self) -> list[pl.Expr]:
        """As filters of polars."""
        return [pl.col(name).is_in(values) for name, values in self.limits.items()]

    @property
    def predicate(self) -> str:
        """As Delta's SQL. Without any, Delta would not see rows that were appended since."""
        parts = [
            f"{name} IN ({', '.join(map(quoted, values))})" if values else "false"
            for name, values in self.limits.items()
        ]
        return " AND ".join(parts) or WHOLE


@dataclass(frozen=True)
class Opened:
    """A version of a table to read from; `kept` if others may, so that it must stay as it is."""

    stored: DeltaTable
    table: Table
    options: dict[str, str] | None = field(repr=False)
    kept: bool

    @cached_property
    def rows(self) -> pl.LazyFrame:
        """Lazy rows with the declared columns and types, whatever Delta stores them as.

        Polars looks for the files once per frame, which takes longer than to read a small one.
        """
        frame = pl.scan_delta(self.stored, storage_options=self.options)
        # Asking polars for the columns takes a hundred times as long.
        there = {column.name for column in self.stored.schema().fields}
        rows = frame.select(
            declared_as(name, kind) if name in there else pl.lit(None, dtype=kind).alias(name)
            for name, kind in self.table.schema.items()
        )
        # To look into a small table's files takes longer than all that is asked of its rows. They
        # are held in one piece: of several, polars 2.1 keeps those that a filter leaves empty, and
        # gives up by a panic where it next takes two columns together.
        small = sum(self.sizes.values()) < SMALL
        return rows.collect().rechunk().lazy() if small else rows

    @cached_property
    def sizes(self) -> dict[str, int]:
        """As `sizes_of`."""
        return sizes_of(self.stored)

    @cached_property
    def content_version(self) -> int:
        """The last version that changed rows."""
        return content_version(self.stored)

    @cached_property
    def namespaces(self) -> frozenset[str]:
        """Namespaces that have rows."""
        added = pl.DataFrame(self.stored.get_add_actions(flatten=True))
        return frozenset(added.get_column("partition.namespace", default=[]))

    def current(self, scope: TableScope) -> pl.DataFrame:
        """Rows of a part of the table, sorted by key."""
        return self.rows.filter(*scope.expressions).sort(self.table.key).collect()


def quoted(value: object) -> str:
    """A value as Delta's SQL has it."""
    return "'" + str(value).replace("'", "''") + "'"


def written_as(table: str) -> WriterProperties:
    """How the files of a table are written."""
    return _WRITERS.get(table, _WRITER)


def configured_as(table: str) -> dict[str, str | None]:
    """What Delta is told of a table once, when it is made."""
    return {**_CONFIGURED.get(table, {})}


def stored_as(name: str, kind: pl.DataType) -> pl.Expr:
    """A column as it is written: 64 bits without sign, which Delta has not, read as signed."""
    column = pl.col(name)
    return column.reinterpret(signed=True) if kind == pl.UInt64 else column


def declared_as(name: str, kind: pl.DataType) -> pl.Expr:
    """A column as its table declares it, whatever Delta stores it as."""
    column = pl.col(name)
    return column.reinterpret(signed=False) if kind == pl.UInt64 else column.cast(kind)
