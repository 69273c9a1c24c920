"""A Delta table as it is stored: its paths, its files, its versions, its types."""

import os
from collections.abc import Sequence
from contextlib import suppress
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

SMALL = 1_000_000
"""Bytes of files up to which a table is read once, and held for as long as it stays open."""

COMPRESSED = 8
"""How many times as long rows are in memory, about."""

HOUSEKEEPING = frozenset({"VACUUM START", "VACUUM END", "OPTIMIZE", "SET TBLPROPERTIES"})
"""Operations that make a new version without changing a row."""

# Ids and long texts do not repeat, and nothing is looked up by where texts begin.
_PLAIN = ("record_key", "record_id", "candidate_id", "native_id", "parent_id", "content_hash")
_TEXTS = ("payload", "text", "tool_input", "request", "answer", "quote", "content", "drafts")
_WRITER = WriterProperties(
    # Tables are in the order of their ids: who looks for one reads one group, not a whole file.
    max_row_group_size=16_384,
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

# Who opens a table reads its log since the last checkpoint, 0.4 ms for each commit, and a day has
# hundreds of runs; Delta itself would write one after a hundred.
CONFIGURED: dict[str, str] = {"delta.checkpointInterval": "20"}
"""What Delta is told of each table, when it is made."""


_CASTS = pl.ScanCastOptions(
    integer_cast="upcast",
    float_cast=["upcast", "downcast"],
    datetime_cast=("nanosecond-downcast", "millisecond-upcast", "convert-timezone"),
    missing_struct_fields="insert",
    extra_struct_fields="ignore",
)
"""Files of a table may be older than its columns: as polars itself reads Delta tables."""


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


def folders_in(folder: Path) -> list[str]:
    """Names of the folders in one; none where it is not there."""
    with suppress(FileNotFoundError, NotADirectoryError):
        return sorted(one.name for one in os.scandir(folder) if one.is_dir())
    return []


def opened(
    uri: str, options: dict[str, str] | None = None, version: int | None = None
) -> Delta | None:
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


def files_in(stored: DeltaTable) -> pl.DataFrame:
    """Files of a table: path as the log has it, bytes, rows, and the day of these."""
    kinds = {
        "path": ("path", pl.String),
        "size_bytes": ("size", pl.Int64),
        "num_records": ("rows", pl.Int64),
        "partition.day": ("day", pl.String),
    }
    added = stored.get_add_actions(flatten=True)
    found = pl.DataFrame(added.select([name for name in kinds if name in added.column_names]))
    return pl.DataFrame(
        found[name].cast(kind).alias(to) if name in found.columns
        else pl.Series(to, [None] * found.height, kind)
        for name, (to, kind) in kinds.items()
    )  # fmt: skip


@dataclass(frozen=True)
class TableScope:
    """The part of a table that is read or replaced: some days, or all of it."""

    days: Sequence[str] | None = None

    @property
    def expressions(self) -> list[pl.Expr]:
        """As filters of polars."""
        return [] if self.days is None else [pl.col("day").is_in(sorted(set(self.days)))]

    @property
    def predicate(self) -> str:
        """As Delta's SQL. Without any, Delta would not see rows that were appended since."""
        if self.days is None:
            return WHOLE
        days = ", ".join(map(quoted, sorted(set(self.days))))
        return f"day IN ({days})" if days else "false"


@dataclass(frozen=True)
class Opened:
    """A version of a table to read from; one of a `commit` others read too, so it stays as it is.

    `written` are all its rows, sorted by key, where the last commit was made of them.
    """

    stored: DeltaTable
    table: Table
    commit: Commit | None = None
    written: pl.DataFrame | None = field(default=None, repr=False)
    _handle: list[DeltaTable] = field(
        default_factory=list[DeltaTable], init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        self._handle.append(self.stored)

    def handed_over(self) -> DeltaTable | None:
        """The handle of a small table, for the one who commits by it; None if it is needed here.

        Committing turns a handle into the next version. By then all that is asked of this one is
        known.
        """
        known = (self.content_version, self.held, self.files)
        with suppress(IndexError):  # another one was first
            return None if known[1] is None else self._handle.pop()
        return None

    @cached_property
    def held(self) -> pl.DataFrame | None:
        """All rows of a small table, sorted by key; None of any other.

        To look into a small table's files takes longer than all that is asked of its rows. They
        are held in one piece: of several, polars 2.1 keeps those that a filter leaves empty, and
        gives up by a panic where it next takes two columns together.
        """
        if self.written is not None and self.written.estimated_size() < COMPRESSED * SMALL:
            return self.written.rechunk()
        if self.files["size"].sum() < SMALL:
            return self._scan().collect().sort(self.table.key).rechunk()
        return None

    @property
    def bytes_held(self) -> int:
        """What it takes in memory, about, where its rows are held."""
        return self._size if "held" in self.__dict__ or self.written is not None else 0

    @cached_property
    def _size(self) -> int:
        rows = self.__dict__.get("held", self.written)
        return 0 if rows is None else rows.estimated_size()  # asked at each commit

    @cached_property
    def rows(self) -> pl.LazyFrame:
        """Lazy rows with the declared columns and types, whatever Delta stores them as.

        Polars looks for the files once per frame, which takes longer than to read a small one.
        """
        return self._scan() if self.held is None else self.held.lazy()

    def _scan(self) -> pl.LazyFrame:
        """Its files, without `pl.scan_delta`, which looks through the table at each reading.

        That knows from the log which of many files may hold a value, for 25 ms more of a year of
        days: who looks for ids gains nothing by it.
        """
        paths = self.stored.file_uris()
        if not paths:
            return self.table.empty().lazy()
        schema = pl.Schema(self.stored.schema())
        by_day = {"day": pl.String()} if self.table.by_day else None
        frame = pl.scan_parquet(
            paths, glob=False, schema=schema, cast_options=_CASTS, missing_columns="insert",
            extra_columns="ignore", hive_partitioning=by_day is not None, hive_schema=by_day,
        )  # fmt: skip
        if schema == self.table.schema:
            return frame
        return frame.select(
            declared_as(name, kind) if name in schema else pl.lit(None, dtype=kind).alias(name)
            for name, kind in self.table.schema.items()
        )

    @cached_property
    def files(self) -> pl.DataFrame:
        """As `files_in`."""
        return files_in(self.stored)

    @cached_property
    def content_version(self) -> int:
        """The last version that changed rows."""
        written = self.written is not None
        return self.stored.version() if written else content_version(self.stored)

    @cached_property
    def height(self) -> int:
        """Rows."""
        return int(self.files["rows"].sum()) if self.held is None else self.held.height

    def part(self, scope: TableScope) -> pl.LazyFrame:
        """Rows of a part of the table."""
        return self.rows.filter(*scope.expressions)

    def current(self, scope: TableScope) -> pl.DataFrame:
        """Rows of a part of the table, sorted by key."""
        if self.held is None:
            return self.part(scope).sort(self.table.key).collect()
        return self.held.filter(*scope.expressions) if scope.expressions else self.held


def quoted(value: object) -> str:
    """A value as Delta's SQL has it."""
    return "'" + str(value).replace("'", "''") + "'"


def written_as(table: str) -> WriterProperties:
    """How the files of a table are written."""
    return _WRITERS.get(table, _WRITER)


def stored_as(name: str, kind: pl.DataType) -> pl.Expr:
    """A column as it is written: 64 bits without sign, which Delta has not, read as signed."""
    column = pl.col(name)
    return column.reinterpret(signed=True) if kind == pl.UInt64 else column


def declared_as(name: str, kind: pl.DataType) -> pl.Expr:
    """A column as its table declares it, whatever Delta stores it as."""
    column = pl.col(name)
    return column.reinterpret(signed=False) if kind == pl.UInt64 else column.cast(kind)
