"""What of `records` cannot be read any more, what brings it back, and the rest, written anew.

Records are the one table that cannot be made again: agents delete their session files. So what can
be read of them stays, whatever the rest looks like.
"""

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

import polars as pl

from cairn.knowledge.schema.tables import RAW_LOGS, RECORDS, SOURCE_FILES, Table
from cairn.resources.deletion.imported import imported_records
from cairn.resources.home.home import Home, remove, set_aside
from cairn.resources.home.inbox import IMPORTED, IMPORTS, namespaces_of_inbox
from cairn.resources.home.log_files import log_files, prefix_hash
from cairn.resources.home.sources import SourceError, list_sources
from cairn.resources.warehouse.delta import opened
from cairn.resources.warehouse.table_files import TableDamage, data_files, decodes, table_damage
from cairn.resources.warehouse.tables import Tables
from cairn.resources.warehouse.warehouse import Warehouse

_PLACE = ["namespace", "source_file", "source_line"]
_REBUILT = "_rebuilt"
"""Folder in the warehouse where the table is written anew, before it takes the other's place."""
MOST_NAMED = 5


@dataclass(frozen=True)
class Lost:
    """What was read once, and is in no file of `records` that can be read."""

    lines: pl.DataFrame = field(
        default_factory=lambda: pl.DataFrame(
            schema={**dict.fromkeys(["namespace", "day", "source_file"], pl.String),
                    "source_line": pl.Int64}
        )
    )  # fmt: skip
    """namespace, day, source_file, source_line: of lines that said something."""
    by_line: bool = True
    """Whether the lines are known: `raw_logs`, which tells them, can be read."""
    by_file: bool = True
    """Whether it is known which files were read."""
    again: Sequence[tuple[str, str]] = ()
    """Namespace and path of sources that stand as they were read: a run reads them again."""
    unregistered: Sequence[tuple[str, str]] = ()
    """Of sources that do, too, but are not watched any more."""
    gone: Sequence[tuple[str, str]] = ()
    """Of sources that are gone, or no longer hold what they held."""

    @property
    def for_good(self) -> bool:
        """Whether a run by itself could not bring back all of it."""
        return bool(self.unregistered or self.gone) or not (self.by_line or self.by_file)

    def __str__(self) -> str:
        days = self.lines["day"].unique().sort().to_list()
        told = [f"{self.lines.height:,} lines"]
        if days:
            told.append(f"of {days[0]}" + (f" to {days[-1]}" if len(days) > 1 else ""))
        if not self.by_line:
            told = ["it is not known how many lines, as `raw_logs` is damaged too"]
        for how, files in (
            ("read again by a run", self._of(self.again)),
            ("still there, but not watched", self._of(self.unregistered)),
            ("not there any more as it was read", self._of(self.gone)),
        ):
            if files:
                more = f" and {len(files) - MOST_NAMED} more" if len(files) > MOST_NAMED else ""
                told.append(f"{how}: {', '.join(files[:MOST_NAMED])}{more}")
        return "; ".join(told)

    def _of(self, files: Sequence[tuple[str, str]]) -> list[str]:
        """Paths of those from which lines are lost, if that is known."""
        lost = set(self.lines.select("namespace", "source_file").iter_rows())
        return [path for name, path in files if not self.by_line or (name, path) in lost]


def lost_records(home: Home, warehouse: Warehouse, wrong: TableDamage | None) -> Lost:
    """What of `records` is lost, and what brings it back.

    Args:
        home: Whose.
        warehouse: Tables of one namespace of it, in a folder.
        wrong: What is wrong with `records`; None if it is gone as a whole, or has gone back.
    """
    folder = warehouse.folder(RECORDS)
    there = [
        _rows(file).select(_PLACE) for file in (readable(folder, wrong) if folder.is_dir() else ())
    ]
    held = pl.concat([RECORDS.empty().lazy().select(_PLACE), *there]).unique().collect()
    by_line = _readable(warehouse, RAW_LOGS)
    lines = Lost().lines
    if by_line:
        lines = (
            warehouse.read(RAW_LOGS, columns=["namespace", "day", "source_file", "source_line"])
            .unique()
            .collect()
            .join(held, on=_PLACE, how="anti")
        )
    by_file = _readable(warehouse, SOURCE_FILES)
    read = SOURCE_FILES.empty()
    if by_file:
        read = warehouse.read(SOURCE_FILES).filter(pl.col("outcome") == "done").collect()
    watched = _watched(home)
    told = {(row["namespace"], row["path"]): row for row in read.iter_rows(named=True)}
    lost = set(lines.select("namespace", "source_file").drop_nulls().iter_rows())
    again: list[tuple[str, str]] = []
    unregistered: list[tuple[str, str]] = []
    gone: list[tuple[str, str]] = []
    for place in sorted({*told, *lost}):
        if _stands(Path(place[1]), told.get(place)):
            (again if place in watched else unregistered).append(place)
        elif (moved := _moved(home, *place)) in watched:
            again.append(moved)
        else:
            gone.append(place)
    come = _imported(home, {name for name, _ in lost})
    again += [place for place in (*unregistered, *gone) if place in come]
    unregistered, gone = (
        [place for place in files if place not in come] for files in (unregistered, gone)
    )
    if by_line:  # of a file that lost nothing it does not matter whether it is there
        unregistered, gone = (
            [place for place in files if place in lost] for files in (unregistered, gone)
        )
    return Lost(lines, by_line, by_file, again, unregistered, gone)


def readable(folder: Path, wrong: TableDamage | None) -> list[Path]:
    """Files with rows of a table that can be read, the newest first.

    Where the log is damaged these are all that lie in the folder: a row may be in several of them.
    """
    if wrong is None or wrong.log:
        return [file for file in data_files(folder) if decodes(file)]
    stored = opened(str(folder), None)
    own = {unquote(uri.rpartition("/")[2]) for uri in (stored.file_uris() if stored else ())}
    return [file for file in data_files(folder) if file.name in own and file not in wrong.files]


def rebuild(
    home: Home,
    warehouse: Warehouse,
    wrong: TableDamage | None,
    without_forgotten: Callable[[pl.DataFrame], pl.DataFrame],
) -> None:
    """Writes `records` anew from what can be read of it. Under the home's write lock.

    What cannot be read is set aside. Killed at any place, it can be done again.
    """
    folder = warehouse.folder(RECORDS)
    place = folder.parent / _REBUILT
    if not folder.exists() and (place / "old").exists():
        (place / "old").rename(folder)
        wrong = table_damage(folder, deep=False)
    remove(place)
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        set_aside(home, folder)
    if not folder.is_dir():
        return
    good = readable(folder, wrong)
    for file in (wrong.files if wrong else ()) or set(data_files(folder)) - set(good):
        if file.is_symlink() or file.exists():
            set_aside(home, file)
    fresh = Tables(str(place), warehouse.namespace or "", run_id="healing")
    for rows in _unique(good):
        fresh.append(RECORDS, without_forgotten(rows))
    if not (place / RECORDS.name).exists():
        fresh.append(RECORDS, RECORDS.empty())
    folder.rename(place / "old")
    (place / RECORDS.name).rename(folder)
    shutil.rmtree(place)
    warehouse.let_go()


def _unique(files: Sequence[Path]) -> Iterator[pl.DataFrame]:
    """Rows of files, file by file, without those of one before."""
    seen = RECORDS.empty().select(RECORDS.key)
    for file in files:
        rows = _rows(file).collect().unique(RECORDS.key, keep="first", maintain_order=True)
        rows = rows.join(seen, on=RECORDS.key, how="anti")
        seen = pl.concat([seen, rows.select(RECORDS.key)])
        yield RECORDS.frame(rows)


def _rows(file: Path) -> pl.LazyFrame:
    """Rows of one file, with the columns as they are declared."""
    frame = pl.scan_parquet(file, hive_partitioning=False)
    there = frame.collect_schema().names()
    return frame.select(
        pl.col(name).cast(kind) if name in there else pl.lit(None, dtype=kind).alias(name)
        for name, kind in RECORDS.schema.items()
    )


def _readable(warehouse: Warehouse, table: Table) -> bool:
    folder = warehouse.folder(table)
    return folder.is_dir() and table_damage(folder, deep=False) is None


def _watched(home: Home) -> set[tuple[str, str]]:
    """Namespace and path of every file that intake would look at."""
    try:
        sources = [(s.namespace, Path(s.path)) for s in list_sources(home)]
    except SourceError:
        sources = []
    sources += [(name, home.inbox / name) for name in namespaces_of_inbox(home)]
    return {
        (file.namespace, str(file.path))
        for namespace, path in sources
        for file in log_files(path, namespace, "UTC")
    }


def _stands(path: Path, read: dict[str, object] | None) -> bool:
    """Whether a source holds what was read of it; it may have grown."""
    try:
        if read is None:
            return path.is_file()
        consumed = int(str(read["consumed"]))
        return path.stat().st_size >= consumed and (
            prefix_hash(path, consumed).hexdigest() == read["digest"]
        )
    except OSError:
        return False


def _moved(home: Home, namespace: str, path: str) -> tuple[str, str]:
    """Where a file of the inbox is since the home was moved."""
    own = Path(path)
    inner = (
        own.parts[-3:] if own.name == IMPORTED and own.parts[-3:-2] == (IMPORTS,) else [own.name]
    )
    return namespace, str(Path(home.inbox / namespace, *inner))


def _imported(home: Home, namespaces: Iterable[str]) -> set[tuple[str, str]]:
    """Namespace and path of the files of another home that imported records were first of."""
    return {
        (name, first)
        for name in namespaces
        for records in imported_records(home, name)
        for first in records["source_file"].unique()
    }
