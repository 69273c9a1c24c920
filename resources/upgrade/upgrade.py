"""Brings a home of an older schema to this one, by the data in `resources/home/migrations`.

What is written in a new form is a new version of its table, marked with the version that it was
made of; what readers follow stays until all of it is there. Then one journal says what else is to
be replaced and removed, and after that the home's schema version. So a kill at any point loses
nothing, and running it again finishes it.
"""

import json
import logging
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from cairn.resources.home.atomic_files import replace_file
from cairn.resources.home.home import SCHEMA_VERSION, Home, check_writable, remove, schema_version
from cairn.resources.home.migrations import MIGRATIONS, Migration
from cairn.resources.home.settings import Settings, old_settings
from cairn.resources.home.write_lock import write_lock
from cairn.resources.upgrade.by_namespace import namespaces_of, put_in_place, split
from cairn.resources.upgrade.stored_tables import StoredTables, readable
from cairn.resources.warehouse.delta import content_version

JOURNAL = "upgrading"
MARK = "cairn_upgraded"
"""Key of a commit that wrote a table in a new form: the schema, and the version it was made of."""

logger = logging.getLogger(__name__)


class TableUpgrade(NamedTuple):
    """A table that is written in a new form."""

    table: str
    new_name: str
    columns: Mapping[str, str]
    """Old names and new ones, of columns that are there."""
    rows: int


@dataclass(frozen=True)
class Upgrade:
    """What an upgrade does, or would do."""

    home: Path
    from_version: int
    to_version: int
    tables: list[TableUpgrade]
    files: dict[str, str]
    """Notes of the home that get another name."""
    settings: dict[str, str]
    """Old names in use, which stay accepted, and the new ones."""
    dry_run: bool
    namespaces: list[str] = field(default_factory=list[str])
    """Those whose tables are taken out of tables of all of them."""


def upgrade_home(
    root: Path,
    settings: Settings,
    *,
    lock_timeout: float = Home.lock_timeout,
    dry_run: bool = False,
) -> Upgrade:
    """Brings a home to the schema of this version; does nothing where it has that.

    Args:
        root: The home.
        settings: In force: they say where its tables are.
        lock_timeout: Seconds to wait for another writer.
        dry_run: Change nothing, and tell what would be done.

    Raises:
        HomeError: it can only be read.
        LockTimeout: another writer kept the lock.
    """
    home = Home(root, lock_timeout)
    tables = StoredTables(settings.warehouse or str(home.warehouse), settings.object_store or None)
    if not dry_run:
        check_writable(home)
    with nullcontext() if dry_run else write_lock(home, "cairn upgrade"):
        found = schema_version(root)
        steps = [each for each in MIGRATIONS if found < each.version <= SCHEMA_VERSION]
        told = Upgrade(
            root,
            found,
            SCHEMA_VERSION,
            [one for step in steps for one in _changed(tables, step)],
            {
                old: new
                for step in steps
                for old, new in step.files.items()
                if (root / old).exists()
            },
            old_settings(),
            dry_run,
            namespaces_of(tables, _published(home))
            if any(step.by_namespace for step in steps)
            else [],
        )
        if dry_run:
            return told
        for step in steps:
            _apply(home, settings, tables, step)
        if not steps:
            remove(root / JOURNAL)
    return told


def _changed(tables: StoredTables, step: Migration) -> list[TableUpgrade]:
    """What a step does to tables that are there."""
    found: list[TableUpgrade] = []
    for old, new in step.changed_tables.items():
        stored = readable(lambda old=old: tables.opened(old))
        if stored is None:
            continue
        there = {column.name for column in stored.schema().fields}
        columns = {a: b for a, b in step.columns.get(new, {}).items() if a in there}
        rows = int(pl.DataFrame(stored.get_add_actions())["num_records"].sum())
        found.append(TableUpgrade(old, new, columns, rows))
    return found


def _apply(home: Home, settings: Settings, tables: StoredTables, step: Migration) -> None:
    """One step; what a kill left undone of it is done."""
    journal = _journal(home, step)
    if journal is None and step.by_namespace:
        notes = split(settings, home, tables, _published(home))
        journal = dict[str, Any](to=step.version, files=notes, removed=list(step.dropped))
        replace_file(home.root / JOURNAL, json.dumps(journal).encode(), 0o600)
    if journal is None:
        published = _published(home)
        versions: dict[str, dict[int, int]] = {}
        for old, new in step.changed_tables.items():
            used = {one["tables"][old] for one in published.values() if old in one["tables"]}
            versions[old] = _written(tables, step, old, new, used, versions)
        journal = _planned(home, step, published, versions)
        replace_file(home.root / JOURNAL, json.dumps(journal).encode(), 0o600)
    for name, content in journal["files"].items():
        replace_file(home.root / name, content.encode())
    for name in journal["removed"]:
        remove(home.root / name)
    for name in step.tables:
        tables.erase(name)
    if step.by_namespace:
        put_in_place(home, tables)
    replace_file(home.root / "schema_version", f"{step.version}\n".encode())
    remove(home.root / JOURNAL)


def _journal(home: Home, step: Migration) -> dict[str, Any] | None:
    try:
        found = json.loads((home.root / JOURNAL).read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and found.get("to") == step.version else None


def _published(home: Home) -> dict[str, dict[str, Any]]:
    """The manifest in force of each namespace, as it is; one that cannot be read is left alone."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(home.publication.glob("*.json")):
        try:
            first = json.loads(path.read_bytes())[0]
            if isinstance(first["tables"], dict):
                found[path.stem] = first
        except (OSError, ValueError, LookupError, TypeError):
            continue
    return found


def _planned(
    home: Home,
    step: Migration,
    published: Mapping[str, Mapping[str, Any]],
    versions: Mapping[str, Mapping[int, int]],
) -> dict[str, Any]:
    """What is to be replaced and removed, once all tables are written. Older manifests go."""

    def as_now(named: Mapping[str, int]) -> dict[str, int]:
        return {
            step.tables.get(name, name): versions.get(name, {}).get(version, version)
            for name, version in named.items()
        }

    files = {
        f"publication/{namespace}.json": json.dumps(
            [
                {step.manifest.get(name, name): value for name, value in manifest.items()}
                | {"tables": as_now(manifest["tables"])}
            ]
        )
        for namespace, manifest in published.items()
    }
    for old, new in step.files.items():
        try:
            note = json.loads((home.root / old).read_bytes())
            for each in note.values():
                each["tables"] = as_now(each["tables"])
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            continue
        text = json.dumps(note, indent=1, sort_keys=True)
        for name, setting in step.settings.items():
            text = text.replace(name, setting)
        files[new] = text
    return {"to": step.version, "files": files, "removed": [*step.files, *step.dropped]}


def _written(
    tables: StoredTables,
    step: Migration,
    old: str,
    new: str,
    published: set[int],
    versions: Mapping[str, Mapping[int, int]],
) -> dict[int, int]:
    """Writes each version of a table that anybody reads in its new form; the present one last.

    Returns:
        Old versions and the new ones. What cannot be read is left as it is: the next run finds out,
        and makes the table again.
    """
    done = _done(tables, step, new)
    source = readable(lambda: tables.opened(old))
    if source is None:
        return done
    last = source.version()
    if old == new:
        ours = set(done.values())
        last = max((each for each in range(last + 1) if each not in ours), default=-1)
    present = readable(lambda: tables.opened(old, last))
    if present is None:
        return done
    content = content_version(present)
    for version in [*sorted(published - {content}), content]:
        if version in done:
            continue
        frame = readable(lambda version=version: tables.rows(old, version).collect())
        if frame is not None:
            as_now = _renamed(frame, step, new, versions)
            done[version] = tables.write(
                new, as_now, partitions=source.metadata().partition_columns,
                marks={MARK: f"{step.version}:{version}"},
            )  # fmt: skip
    return done


def _done(tables: StoredTables, step: Migration, new: str) -> dict[int, int]:
    """Versions that an interrupted upgrade has written: what they were made of, and theirs."""
    stored = readable(lambda: tables.opened(new))
    marks = [] if stored is None else stored.history()
    found: dict[int, int] = {}
    for commit in marks:
        schema, _, version = str(commit.get(MARK, "")).partition(":")
        if schema == str(step.version):
            found[int(version)] = int(commit["version"])
    return found


def _renamed(
    frame: pl.DataFrame, step: Migration, table: str, versions: Mapping[str, Mapping[int, int]]
) -> pl.DataFrame:
    """Rows of a table in its new form."""
    names = step.columns.get(table, {})
    frame = frame.rename({old: new for old, new in names.items() if old in frame.columns})
    for (where, column), values in step.values.items():
        if where == table and column in frame.columns:
            frame = frame.with_columns(pl.col(column).replace(dict(values)))
    if column := step.input_hashes.get(table):
        texts = frame[column].unique().to_list()
        noted = {text: _noted(text, step, versions) for text in texts if text and "@" in text}
        frame = frame.with_columns(pl.col(column).replace(noted))
    return frame


def _noted(text: str, step: Migration, versions: Mapping[str, Mapping[int, int]]) -> str:
    """Noted versions of tables as they are now; none where one is not known: all is made again."""
    parts: list[str] = []
    for part in text.split():
        name, _, version = part.partition("@")
        if name in step.changed_tables and version.isdigit():
            now = versions.get(name, {}).get(int(version))
            if now is None:
                return ""
            version = str(now)
        parts.append(f"{step.tables.get(name, name)}@{version}")
    return " ".join(parts)
