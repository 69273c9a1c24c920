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
from cairn.resources.upgrade.rows import write_rows
from cairn.resources.warehouse.delta import Delta, content_version, opened, table_uri
from cairn.resources.warehouse.publication import BLOCKED

NEXT = "warehouse.next"
"""Where tables in a folder are made; in an object store they are made where they belong."""
DATED = "records_dated"
"""Mark of a home that was written after records told their time however late it was."""

Versions = Mapping[int, int]
"""Versions of a table of all namespaces, and those of one that hold its rows of them."""


def namespaces_of(settings: Settings, home: Home, manifests: Mapping[str, Any]) -> list[str]:
    """Namespaces that have rows or readers, sorted."""
    found = set(manifests)
    for name, table in TABLES.items():
        if "namespace" in table.columns and (stored := _stored(settings, home, name)):
            parts = pl.DataFrame(stored.get_add_actions(flatten=True))
            if "partition.namespace" in parts.columns:
                found |= set(parts["partition.namespace"].cast(pl.String).drop_nulls())
    return sorted(filter(NAMESPACE.fullmatch, found))


def split(
    settings: Settings, home: Home, manifests: Mapping[str, Mapping[str, Any]]
) -> dict[str, str]:
    """Makes the tables of each namespace; gives the notes that name versions as they must become.

    Args:
        settings: In force: they say where tables are.
        home: Whose.
        manifests: The one in force, by namespace.

    Raises:
        HomeError: `records`, which nothing brings back, cannot be read; or in an object store a
            namespace is called as a table is. Nothing that readers follow was changed.
    """
    names = namespaces_of(settings, home, manifests)
    if settings.warehouse is None:
        remove(home.root / NEXT)
        place = str(home.root / NEXT)
    else:
        place = settings.warehouse
        if clash := set(names) & TABLES.keys():
            raise HomeError(
                f"namespace {min(clash)} is called as a table is, and the tables in"
                f" {settings.warehouse} get a folder per namespace: copy them to a folder, upgrade"
                " there, and copy them back"
            )
    versions: dict[str, dict[str, Versions]] = {name: {} for name in names}
    for table in TABLES.values():
        stored = _stored(settings, home, table.name)
        if stored is None:
            if table is RECORDS and any((home.warehouse / table.name).glob("**/*.parquet")):
                raise _unreadable(home, "its log is damaged")
            continue
        last = content_version(stored)
        at = cache(partial(_version, settings, home, table.name))
        for namespace in names:
            named = manifests.get(namespace, {}).get("tables", {}).get(table.name)
            wanted = [named] if isinstance(named, int) and named != last else []
            write = partial(
                write_rows, table_uri(table_uri(place, namespace), table.name), table.name,
                partitions=["day"] if table.by_day else [], options=settings.object_store or None,
            )  # fmt: skip
            versions[namespace][table.name] = _copied(
                home, table, namespace, at, [*wanted, last], write
            )
    return _notes(home, manifests, versions)


def put_in_place(settings: Settings, home: Home) -> None:
    """Puts the new tables where the old ones were, which go. It can be done again."""
    if settings.warehouse is not None:
        for name in TABLES:
            if (stored := _stored(settings, home, name)) is not None:
                stored.delete()
                stored.vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False)
    elif (home.root / NEXT).is_dir():
        remove(home.warehouse)
        (home.root / NEXT).rename(home.warehouse)


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


def _version(settings: Settings, home: Home, table: str, version: int) -> pl.LazyFrame:
    """Rows of a table as it was; looked up once for all namespaces."""
    options = settings.object_store or None
    stored = Delta(_uri(settings, home, table), version=version, storage_options=options)
    return pl.scan_delta(stored, storage_options=options)


def _uri(settings: Settings, home: Home, table: str) -> str:
    return table_uri(settings.warehouse or str(home.warehouse), table)


def _stored(settings: Settings, home: Home, table: str) -> Delta | None:
    """A table as it is; None if it is not there, or cannot be read."""
    try:
        return opened(_uri(settings, home, table), settings.object_store or None)
    except DeltaError:
        return None
