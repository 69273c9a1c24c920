"""Databases of a home: whether SQLite can read them; nothing is written."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

_SQLITE = b"SQLite format 3\0"


def sqlite_header(path: Path) -> None:
    """Looks at a database from outside, without opening it.

    Raises:
        ValueError: It is none, or was cut.
    """
    if not path.is_file():
        raise ValueError("no file")
    with path.open("rb") as file:
        head = file.read(32)
    page = int.from_bytes(head[16:18], "big")
    pages, size = int.from_bytes(head[28:32], "big"), path.stat().st_size
    wal = path.with_name(path.name + "-wal")
    if size == 0 and wal.exists():
        return  # its first pages are in the log still
    if head[:16] != _SQLITE or (pages * (65536 if page == 1 else page) > size and not wal.exists()):
        raise ValueError("no database")


def sqlite_damage(path: Path) -> str | None:
    """What is wrong with a database that is there."""
    if not path.is_file():
        return "is no file"
    if path.stat().st_size == 0 and not path.with_name(path.name + "-wal").exists():
        return "is empty"
    fixed = "" if os.access(path.parent, os.W_OK) else "&immutable=1"
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro{fixed}", uri=True)) as base:
            said = base.execute("PRAGMA quick_check(1)").fetchone()[0]
            if (
                said == "ok"
                and not base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            ):
                return "is empty"
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return None
        return str(error)
    except sqlite3.DatabaseError as error:
        return str(error)
    return None if said == "ok" else "its pages do not fit together"
