"""The Delta tables of one namespace: the only code that writes any."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import polars as pl
import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, write_deltalake
from deltalake.exceptions import CommitFailedError, DeltaError

from cairn.knowledge.engine.diff import Change, difference
from cairn.knowledge.schema.tables import Table
from cairn.resources.home.damage import RUN, Damaged, first_line
from cairn.resources.home.seals import has_size
from cairn.resources.warehouse.change_feed import apart, are_spread, rows_of
from cairn.resources.warehouse.delta import (
    CONFIGURED,
    HOOKS,
    WHOLE,
    Commit,
    Delta,
    Opened,
    TableScope,
    last_commit,
    opened,
    quoted,
    stored_as,
    table_uri,
    written_as,
)
from cairn.resources.warehouse.gathered import Gathered
from cairn.resources.warehouse.table_files import reseal, seal_commit
from cairn.resources.warehouse.vacuum import purged, vacuumed

KEPT_OPEN = 128
"""Versions of tables that stay open to be read."""
MOST_HELD = 64_000_000
"""Bytes of their rows that are held in memory."""
ROWS_AT_ONCE = 100_000
"""Rows that are held of a table that is written again in parts."""
MOST_IDS = 50_000
"""Rows of more ids are not looked for one by one: the table is replaced as a whole."""


class Conflict(Exception):  # noqa: N818 - what it is called where it is caught
    """Another writer changed the table since it was read: read again and compute again."""


class Written(NamedTuple):
    """What a write left behind."""

    version: int
    """Version that holds the content; one from before if nothing changed."""
    rows: int
    """Rows given: of the whole table, or of the days that were replaced."""
    changed: bool
    """Whether a commit was made."""


@dataclass(frozen=True)
class Tables:
    """The tables of a namespace in a folder.

    Every replacement is compared with what is stored, and equal content commits nothing. It is
    committed through the handle that it was compared by, so that a change in between is refused.
    """

    address: str
    namespace: str
    run_id: str | None = None
    """Written into each commit."""
    _kept: dict[Commit, Opened] = field(
        default_factory=dict[Commit, Opened], init=False, repr=False, compare=False
    )
    _whole: set[str] = field(default_factory=set[str], init=False, repr=False, compare=False)
    """Files that were seen to be as long as they should be; no name is used twice."""
    _gathered: dict[str, Gathered] = field(
        default_factory=dict[str, Gathered], init=False, repr=False, compare=False
    )

    def read(
        self,
        table: Table,
        *,
        days: Sequence[str] | None = None,
        columns: Sequence[str] | None = None,
        version: int | None = None,
    ) -> pl.LazyFrame:
        """Rows of a table in no particular order; a table that is not there is empty.

        Args:
            table: Which.
            days: Only rows of these days, for tables by day; other days' files are not opened.
            columns: Only these.
            version: As it was then; else as it is now.

        Raises:
            Damaged: its files, or this version, are gone or cut.
        """
        scope = TableScope(days)
        if version is None and (held := self._gathered.get(table.name)):
            frame = held.rows.lazy().filter(*scope.expressions)
        else:
            opened = self._opened(table, version)
            if opened is None and version is not None:
                raise Damaged(f"table {table.name} is gone: {RUN}")
            frame = table.empty().lazy() if opened is None else opened.part(scope)
        return frame if columns is None else frame.select(columns)

    def version(self, table: Table) -> int | None:
        """Version of the last change of content; None if the table is not there."""
        opened = self._opened(table)
        return None if opened is None else opened.content_version

    def commit(self, table: Table) -> Commit | None:
        """The newest commit: another one where a table was made again. None if no file tells."""
        return last_commit(self.folder(table))

    def height(self, table: Table) -> int:
        """Rows of a table; nothing is read for that."""
        if held := self._gathered.get(table.name):
            return held.rows.height
        opened = self._opened(table)
        return 0 if opened is None else opened.height

    def has_rows(self, table: Table) -> bool:
        """Whether a table has any row."""
        return self.height(table) > 0

    def write(
        self,
        table: Table,
        frame: pl.DataFrame,
        *,
        days: Sequence[str] | None = None,
    ) -> Written:
        """Replaces a table, or all rows of some days in it, with a frame.

        Days that stay as they are are not written again.

        Args:
            table: Which.
            frame: Its rows, of these days only; may be empty.
            days: Days that are replaced, for tables by day.

        Raises:
            Conflict: the table was changed by another writer.
            ValueError: rows outside of what is replaced, a key that occurs twice, or columns
                that are not the table's.
        """
        if held := self._gathered.get(table.name):
            held.put(frame)
            if held.is_due:
                self.commit_gathered(table)
                self.gather(table)
            return Written(0, held.rows.height, changed=False)
        opened = self._opened(table)
        scope = TableScope(days)
        return self._replace(table, opened, scope, _current(table, opened, scope), frame)

    def gather(self, table: Table) -> None:
        """Holds in memory what is written to a table from now on, and gives it to who reads here.

        For a small table that many stages write a few rows to: a commit takes longer than most of
        them. Whoever writes it replaces the whole; its version is that of what is stored.
        """
        if table.name not in self._gathered:
            stored = _current(table, self._opened(table), TableScope())
            self._gathered[table.name] = Gathered(table, stored, stored)

    def is_gathered_anew(self, table: Table) -> bool:
        """Whether what is gathered of a table differs from what was stored."""
        held = self._gathered.get(table.name)
        return held is not None and held.is_anew

    def commit_gathered(self, table: Table) -> Written:
        """Ends gathering, and commits what came of it beside what others wrote (`Gathered.merged`).

        Raises:
            Conflict: another writer changes the table at this moment.
        """
        held = self._gathered.pop(table.name, None)
        if held is None or not held.is_anew:
            return Written(0, 0, changed=False)
        opened, scope = self._opened(table), TableScope()
        current = _current(table, opened, scope)
        return self._replace(table, opened, scope, current, held.merged(current))

    def apply_change(self, table: Table, change: Change) -> Written:
        """Adds rows and takes others away; files without them stay as they are.

        Args:
            table: Which.
            change: Rows that come, and rows that go, which are there: this is not looked for.

        Raises:
            Conflict: the table was changed by another writer.
            ValueError: a key that occurs twice in what comes, or columns that are not the table's.
        """
        if change.gone.is_empty():
            return self.append(table, change.come)
        opened = self._opened(table)
        if opened is None:
            raise Conflict(f"{table.name}: is gone")
        # Rows are looked for by the part of the key that tells most of them apart.
        keys = change.rows.select(table.key)
        texts = [name for name in table.key[::-1] if table.schema[name] == pl.String]
        by = max(texts, key=lambda name: keys[name].n_unique())
        ids = keys[by].unique().sort()
        come = self._checked(table, change.come)
        if opened.held is not None:
            stays = opened.held.join(keys, on=table.key, how="anti")
            rows = pl.concat([stays, come]).sort(table.key)
            days = change.rows["day"].unique().to_list() if table.by_day else None
            part = rows.filter(*TableScope(days).expressions)
            return self._commit(
                table, opened, _as_stored(table, part), come.height, mode="overwrite",
                predicate=TableScope(days).predicate, written=rows,
            )  # fmt: skip
        if len(ids) > MOST_IDS or (
            not table.by_day and are_spread(opened.stored.file_uris(), change.gone[by])
        ):
            # All is written again, part by part: there may be more than memory holds twice.
            parts = (
                part.join(keys, on=table.key, how="anti")
                for part in opened.rows.collect_batches(chunk_size=ROWS_AT_ONCE)
            )
            stream = _streamed(table, chain([come], parts))
            return self._commit(
                table, opened, stream, come.height, mode="overwrite", predicate=WHOLE
            )
        predicate = f"{by} IN ({', '.join(map(quoted, ids))})"
        there = opened.rows.filter(pl.col(by).is_in(ids.implode())).collect()
        rows = table.frame(pl.concat([there.join(keys, on=table.key, how="anti"), come]))
        return self._commit(
            table, opened, _as_stored(table, rows), come.height, mode="overwrite",
            predicate=predicate,
        )  # fmt: skip

    def changes(self, table: Table, since: int | None) -> Change | None:
        """Rows that came and went since a version.

        Only files that are in one of both versions are read; for tables by day, days with any.

        Args:
            table: Which.
            since: The version; None if the table was not there.

        Returns:
            The change; None if that version can no longer be read.
        """
        try:
            then = None if since is None else self._opened(table, since)
            if since is not None and then is None:
                return None
            now = self._opened(table)
            scope = TableScope()
            if then is None or now is None:
                return apart(table, *(_current(table, one, scope) for one in (then, now)))
            if not table.by_day:
                if then.held is not None or now.held is not None:
                    return apart(table, *(_current(table, one, scope) for one in (then, now)))
                before, after = (set(one.stored.file_uris()) for one in (then, now))
                gone = rows_of(table, before - after)
                come = rows_of(table, after - before)
                return apart(table, gone, come)
            files = pl.concat([one.files.select("path", "day") for one in (then, now)])
            scope = TableScope(files.unique(keep="none")["day"].unique().to_list())
            return apart(table, *(one.part(scope).collect() for one in (then, now)))
        except (Damaged, OSError):
            return None

    def append(self, table: Table, frame: pl.DataFrame) -> Written:
        """Adds rows. Their keys must be new: this compares them among themselves only.

        Raises:
            Conflict: another writer made the table at this moment.
            ValueError: a key that occurs twice in the frame, or columns that are not the table's.
        """
        rows = self._checked(table, frame)
        opened = self._opened(table)
        if opened is not None and rows.is_empty():
            return Written(opened.content_version, 0, changed=False)
        return self._commit(
            table, opened, _as_stored(table, rows), rows.height, mode="append",
            written=_beside(opened, rows),
        )  # fmt: skip

    def maintain(
        self,
        table: Table,
        *,
        keep: Collection[int] = (),
        retention: timedelta = timedelta(days=7),
    ) -> int:
        """Compacts small files, writes a checkpoint, removes what no version in use needs.

        Args:
            table: Which; nothing happens if it is not there.
            keep: Versions that publications name. They stay readable.
            retention: How long other versions stay; zero also erases what was just deleted.

        Returns:
            Files removed.
        """
        removed = vacuumed(self._uri(table), table.name, keep, retention)
        reseal(Path(self._uri(table)))
        return removed

    def purge(self, table: Table, *, keep: Collection[int] = ()) -> int:
        """Removes every version but the last content and those to keep, their log entries too.

        Args:
            table: Which; nothing happens if it is not there.
            keep: Versions that publications name. They stay readable.

        Returns:
            Files removed.
        """
        last = self.version(table)
        if last is None:
            return 0
        self._kept.clear()
        removed = purged(self._uri(table), {*keep, last})
        reseal(Path(self._uri(table)))
        return removed

    def folder(self, table: Table) -> Path:
        """Where a table is."""
        return Path(self._uri(table))

    @property
    def bytes_held(self) -> int:
        """Bytes of rows that are held in memory, so as not to be read again."""
        return sum(one.bytes_held for one in [*self._kept.values()])

    def let_go(self) -> None:
        """Lets go of tables that were opened: their files were changed by other means."""
        self._kept.clear()
        self._whole.clear()

    def _uri(self, table: Table) -> str:
        return table_uri(self.address, table.name)

    def _opened(self, table: Table, version: int | None = None) -> Opened | None:
        """A table to read from: each version in a folder is opened once."""
        folder = self.folder(table)
        commit = last_commit(folder, version)
        if commit is None and not (folder / "_delta_log").is_dir():
            return None
        kept = None if commit is None else self._kept.pop(commit, None)
        if commit is not None and kept is not None and kept.table is table:
            self._kept[commit] = kept  # those that are not asked for give way
            return kept
        try:
            stored = self._open(table, version if commit is None else commit.version)
        except DeltaError as error:
            raise Damaged(
                f"table {table.name} cannot be read ({first_line(error)}): {RUN}"
            ) from error
        if stored is None:
            return None
        found = Opened(stored, table, commit)
        self._check(found)
        self._keep(found)
        return found

    def _check(self, opened: Opened) -> None:
        """Refuses files that are gone or cut: where polars reads them, it gives up by a panic."""
        folder = self.folder(opened.table)
        for path, size in opened.files.select("path", "size").iter_rows():
            if path not in self._whole:
                if not has_size(folder / unquote(path), size):
                    name = opened.table.name
                    raise Damaged(f"table {name}: {folder / path} is gone or cut: {RUN}")
                self._whole.add(path)

    def _keep(self, opened: Opened) -> None:
        if opened.commit is None:
            return
        while len(self._kept) >= KEPT_OPEN or self.bytes_held > MOST_HELD:
            self._kept.pop(next(iter(self._kept)), None)
        self._kept[opened.commit] = opened

    def _to_commit(self, opened: Opened) -> DeltaTable | None:
        """A handle of the version that was read, which committing turns into the next one."""
        if opened.commit is None:
            return opened.stored
        return opened.handed_over() or self._open(opened.table, opened.commit.version)

    def _open(self, table: Table, version: int | None = None) -> DeltaTable | None:
        return opened(self._uri(table), version=version)

    def _checked(self, table: Table, frame: pl.DataFrame) -> pl.DataFrame:
        rows = table.frame(frame)
        if "namespace" in table.columns and not (rows["namespace"] == self.namespace).all():
            raise ValueError(f"{table.name}: rows of another namespace than {self.namespace}")
        distinct = pl.struct(table.key).n_unique()
        twice = rows.height - rows.select(distinct).item() if rows.height > 1 else 0
        if twice:
            raise ValueError(f"{table.name}: {twice} rows repeat a key ({', '.join(table.key)})")
        return rows

    def _replace(
        self,
        table: Table,
        opened: Opened | None,
        scope: TableScope,
        current: pl.DataFrame,
        frame: pl.DataFrame,
    ) -> Written:
        rows = self._checked(table, frame)
        within = scope.expressions
        if within and rows.filter(*within).height < rows.height:
            raise ValueError(f"{table.name}: rows outside of the days replaced")
        if opened is not None and rows.equals(current):
            return Written(opened.content_version, rows.height, changed=False)
        written = _beside(opened, rows, scope)
        part = rows
        if opened is not None and table.by_day and scope.days is None:
            scope = TableScope(difference(current, rows).rows["day"].unique().to_list())
            part = rows.filter(*scope.expressions)
        data = _as_stored(table, part)
        return self._commit(
            table, opened, data, rows.height, mode="overwrite", predicate=scope.predicate,
            written=written,
        )  # fmt: skip

    def _commit(
        self,
        table: Table,
        opened: Opened | None,
        data: Any,
        rows: int,
        *,
        mode: Any,
        predicate: str | None = None,
        written: pl.DataFrame | None = None,
    ) -> Written:
        """Commits rows; `written` are all that the table has then, if they are known.

        Raises:
            Conflict: another writer changed it.
        """
        metadata = {"run_id": self.run_id} if self.run_id else None
        stored = None if opened is None else self._to_commit(opened)
        common: dict[str, Any] = {
            "writer_properties": written_as(table.name),
            "commit_properties": CommitProperties(metadata),
            "post_commithook_properties": HOOKS,
        }
        try:
            following = 0 if stored is None else stored.version() + 1
            if stored is None:
                stored = self._create(table, data, common)
            else:
                if {column.name for column in stored.schema().fields} != set(table.columns):
                    # A column was declared or given up since: the whole is made to its new form.
                    common["schema_mode"] = "overwrite" if predicate == WHOLE else "merge"
                    predicate = None if predicate == WHOLE else predicate
                write_deltalake(stored, data, mode=mode, predicate=predicate, **common)
        except CommitFailedError as error:
            raise Conflict(f"{table.name}: changed by another writer") from error
        folder = Path(self._uri(table))
        commit = last_commit(folder, stored.version())
        if commit is not None:
            seal_commit(folder, stored.version())
            # Another writer may have come between, with rows of other days.
            alone = written if stored.version() == following else None
            self._keep(Opened(stored, table, commit, alone))
        return Written(stored.version(), rows, changed=True)

    def _create(self, table: Table, data: Any, common: dict[str, Any]) -> DeltaTable:
        uri = self._uri(table)
        Path(uri).mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            write_deltalake(
                uri,
                data,
                mode="error",
                partition_by=["day"] if table.by_day else [],
                name=table.name,
                description=table.about,
                configuration={**CONFIGURED},
                **common,
            )
        except CommitFailedError:
            raise
        except DeltaError as error:
            if DeltaTable.is_deltatable(uri):
                raise Conflict(f"{table.name}: made by another writer") from error
            raise
        return Delta(uri)


def _current(table: Table, opened: Opened | None, scope: TableScope) -> pl.DataFrame:
    return table.empty() if opened is None else opened.current(scope)


def _beside(
    opened: Opened | None, rows: pl.DataFrame, replaced: TableScope | None = None
) -> pl.DataFrame | None:
    """All rows of a table, sorted by key, once these are there; None of a large table."""
    if opened is None:
        return rows
    if opened.held is None:
        return None
    stays = opened.held
    if replaced is not None:
        stays = stays.filter(~pl.all_horizontal(True, *replaced.expressions))
    return pl.concat([stays, rows]).sort(opened.table.key)


def _as_stored(table: Table, rows: pl.DataFrame) -> pl.DataFrame:
    if pl.UInt64 not in table.schema.values():
        return rows
    return rows.select(stored_as(name, kind) for name, kind in table.schema.items())


def _streamed(table: Table, parts: Iterable[pl.DataFrame]) -> Any:
    """Parts as they are asked for, each let go once it is written."""
    batches = (_as_stored(table, part).to_arrow().to_batches() for part in parts)
    first = _as_stored(table, table.empty()).to_arrow().schema
    return pa.RecordBatchReader.from_batches(first, chain.from_iterable(batches))
