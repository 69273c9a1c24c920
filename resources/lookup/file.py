"""The lookup file: SQLite, made whole with a publication, and replaced by the next."""

import json
import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from cairn.resources.home.atomic_files import sync_folder
from cairn.resources.home.home import Home, check_namespace

STAMP = "stamp"
"""Key of its meta under which stands what it was made of."""


def lookup_file(home: Home, namespace: str) -> Path:
    """Where the lookup file of a namespace stands."""
    return home.lookup / f"{check_namespace(namespace)}.sqlite"


def stamp_of(home: Home, namespace: str) -> str | None:
    """What the lookup file was made of; None if there is none that can be read."""
    file = lookup_file(home, namespace)
    with suppress(sqlite3.Error, ValueError):
        if file.is_file():
            with closing(
                sqlite3.connect(f"{file.as_uri()}?mode=ro&immutable=1", uri=True)
            ) as known:
                found = known.execute("SELECT value FROM meta WHERE key = ?", (STAMP,)).fetchone()
                return json.loads(found[0]) if found else None
    return None


def write_lookup(
    home: Home,
    namespace: str,
    tables: Mapping[str, str],
    rows: Mapping[str, Iterable[Sequence[Any]]],
    stamp: str,
) -> None:
    """Makes the lookup file of a namespace in place of the one there is.

    Args:
        home: Whose.
        namespace: Of which.
        tables: Columns of each table, as SQL; `meta` (key, value) among them.
        rows: Of each table.
        stamp: What they were made of.
    """
    file = lookup_file(home, namespace)
    file.parent.mkdir(mode=0o700, exist_ok=True)
    partial = file.with_name(f"{file.name}.{os.getpid()}.partial")
    partial.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(partial, isolation_level=None)) as made:
            partial.chmod(0o600)
            made.execute("PRAGMA journal_mode = OFF")
            made.execute("PRAGMA synchronous = FULL")
            made.execute("BEGIN")
            for name, columns in tables.items():
                keyed = " WITHOUT ROWID" if "PRIMARY KEY" in columns else ""
                made.execute(f"CREATE TABLE {name} ({columns}){keyed}")
                places = ",".join("?" * (1 + columns.partition(", PRIMARY KEY")[0].count(", ")))
                inserted = f"INSERT INTO {name} VALUES ({places})"  # noqa: S608  (names of ours)
                made.executemany(inserted, rows[name])
            made.execute("INSERT INTO meta VALUES (?, ?)", (STAMP, json.dumps(stamp)))
            made.execute("COMMIT")
        partial.replace(file)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    sync_folder(file.parent)


def remove_lookup(home: Home, namespace: str) -> None:
    """Takes the lookup file of a namespace away: nothing of it may be offered any more."""
    lookup_file(home, namespace).unlink(missing_ok=True)
