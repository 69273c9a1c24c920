"""Splits tables that hold all namespaces: each gets tables of its own, in a folder of its name.

The new ones are made beside the old ones, which readers follow until a journal says that all is
there. What the stages noted of versions is dropped, so the next run makes again what follows from
them, of the same rows.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import polars as pl
from deltalake.exceptions import DeltaError

from cairn.knowledge.ingest.dating import told_times
from cairn.knowledge.schema.tables import RECORDS, TABLES, WORK, Table
from cairn.resources.home.damage import as_damage, first_line
from cairn.resources.home.home import NAMESPACE, Home, HomeError, remove
from cairn.resources.home.settings import Settings
from cairn.resources.home.sources import list_sources
from cairn.resources.upgrade.stored_tables import StoredTables, readable
from cairn.resources.warehouse.delta import content_version
from cairn.resources.warehouse.publication import BLOCKED

NEXT = "warehouse.next"
"""Where tables in a folder are made; in an object store they are made where they belong."""
DATED = "records_dated"
"""Mark of a home that was written after records told their time however late it was."""

Versions = Mapping[int, int]
"""Versions of a table of all namespaces, and those of one that hold its rows of them."""


def namespaces_of(old: StoredTables, manifests: Mapping[str, Any]) -> list[str]:
    """Namespaces that have rows or readers, sorted."""
    found = set(manifests)
    for name, table in TABLES.items():
        stored = readable(partial(old.opened, name)) if "namespace" in table.columns else None
        if stored is not None:
            parts = pl.DataFrame(stored.get_add_actions(flatten=True))
            if "partition.namespace" in parts.columns:
                found |= set(parts["partition.namespace"].cast(pl.String).drop_nulls())
    return sorted(filter(NAMESPACE.fullmatch, found))


def split(
    settings: Settings, home: Home, old: StoredTables, manifests: Mapping[str, Mapping[str, Any]]
) -> dict[str, str]:
    """Makes the tables of each namespace; gives the notes that name versions as they must become.

    Args:
        settings: In force.
        home: Whose.
        old: Its tables of all namespaces.
        manifests: The one in force, by namespace.

    Raises:
        HomeError: `records`, which nothing brings back, cannot be read; or in an object store a
            namespace is called as a table is. Nothing that readers follow was changed.
    """
    names = namespaces_of(old, manifests)
    new = old
    if settings.warehouse is None:
        remove(home.root / NEXT)
        new = StoredTables(str(home.root / NEXT))
    elif clash := set(names) & TABLES.keys():
        raise HomeError(
            f"namespace {min(clash)} is called as a table is, and the tables in"
            f" {settings.warehouse} get a folder per namespace: copy them to a folder, upgrade"
            " there, and copy them back"
        )
    versions: dict[str, dict[str, Versions]] = {name: {} for name in names}
    for table in TABLES.values():
        stored = readable(partial(old.opened, table.name))
        if stored is None:
            if table is RECORDS and any((home.warehouse / table.name).glob("**/*.parquet")):
                raise _unreadable(home, "its log is damaged")
            continue
        last = content_version(stored)
        at = cache(partial(old.rows, table.name))
        days = ["day"] if table.by_day else []
        for namespace in names:
            named = manifests.get(namespace, {}).get("tables", {}).get(table.name)
            wanted = [named] if isinstance(named, int) and named != last else []
            write = partial(new.within(namespace).write, table.name, partitions=days)
            versions[namespace][table.name] = _copied(
                home, table, namespace, at, [*wanted, last], write
            )
    return _notes(home, manifests, versions)


def put_in_place(home: Home, old: StoredTables) -> None:
    """Puts the new tables where the old ones were, which go. It can be done again."""
    if (home.root / NEXT).is_dir():
        remove(home.warehouse)
        (home.root / NEXT).rename(home.warehouse)
    elif "://" in old.address:
        for name in TABLES:
            old.erase(name)


def _copied(
    home: Home,
    table: Table,
    namespace: str,
    at: Callable[[int], pl.LazyFrame],
    wanted: Sequence[int],
    write: Callable[[pl.DataFrame], int],
) -> Versions:
    """Writes the rows of a namespace as they were at some versions of a table.

    What cannot be read is left out: the next run finds out, and makes the table again. But for
    `records`, which cannot be made again.
    """
    done: dict[int, int] = {}
    mine = pl.col("namespace") == namespace if "namespace" in table.columns else True
    try:
        for version in wanted:
            done[version] = write(_as_now(home, table, at(version).filter(mine).collect()))
    except BaseException as error:
        if not isinstance(error, DeltaError) and as_damage(error) is None:
            raise
        if table is RECORDS:
            raise _unreadable(home, first_line(error)) from error
    return done


def _unreadable(home: Home, why: str) -> HomeError:
    return HomeError(
        f"home {home.root}: table records cannot be read ({why}), and nothing else brings it back:"
        " mend it by `cairn run` of the version that wrote it, or put it there from a backup; then"
        " `cairn upgrade`"
    )


def _as_now(home: Home, table: Table, rows: pl.DataFrame) -> pl.DataFrame:
    """Rows of a table as they would be written today."""
    if table is WORK:
        noted = pl.col("input_hash").str.contains("@").fill_null(value=False)
        return rows.with_columns(input_hash=pl.when(noted).then(pl.lit("")).otherwise("input_hash"))
    if table is not RECORDS or (home.root / DATED).exists():
        return rows
    # An earlier intake took a time for absurd that was more than a day later than its own clock.
    sources = {source.path: source.timezone for source in list_sources(home)}
    undated = rows.filter(pl.col("occurred_at").is_null())
    zones = [_timezone(file, sources) for file in undated["source_file"]]
    told = told_times(undated["adapter"].to_list(), undated["payload"].to_list(), zones)
    dated = undated.with_columns(occurred_at=told.cast(undated.schema["occurred_at"]))
    return pl.concat([rows.filter(pl.col("occurred_at").is_not_null()), dated])


def _timezone(file: str, sources: Mapping[str, str]) -> str:
    within = [path for path in sources if Path(file).is_relative_to(path)]
    return sources[max(within, key=len)] if within else "UTC"


def _notes(
    home: Home,
    manifests: Mapping[str, Mapping[str, Any]],
    versions: Mapping[str, Mapping[str, Versions]],
) -> dict[str, str]:
    """Manifests, and why what is blocked is, with the versions of today, by file."""

    def as_now(namespace: str, named: Mapping[str, int]) -> dict[str, int]:
        of = versions.get(namespace, {})
        found = {name: of.get(name, {}).get(version) for name, version in named.items()}
        return {name: version for name, version in found.items() if version is not None}

    notes = {
        f"publication/{namespace}.json": json.dumps(
            [{**manifest, "tables": as_now(namespace, manifest["tables"])}]
        )
        for namespace, manifest in manifests.items()
    }
    try:
        blocked = json.loads((home.root / BLOCKED).read_bytes())
        for namespace, each in blocked.items():
            each["tables"] = as_now(namespace, each["tables"])
        notes[BLOCKED] = json.dumps(blocked, indent=1, sort_keys=True)
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        pass
    return notes
