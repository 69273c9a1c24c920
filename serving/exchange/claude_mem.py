"""The SQLite file of claude-mem, in any of its versions, read and never written."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from cairn.knowledge.extraction.documents import note_sentences
from cairn.knowledge.ingest.inbox_events.documents import NamedInText
from cairn.knowledge.ingest.inbox_events.imported import ImportedMemory
from cairn.serving.exchange.folder import ExchangeError
from cairn.serving.exchange.memories import ForeignMemories, ForeignMemory, instant, texts

MAGIC = b"SQLite format 3\0"
PATIENCE = 5.0
"""Seconds that are waited for claude-mem while it writes."""
LEARNED = ("learned", "notes")
"""Fields of a summary that hold beyond its session; the rest tells what was done in it."""


def is_sqlite(file: Path) -> bool:
    """Whether a file is one of SQLite."""
    with file.open("rb") as stream:
        return stream.read(len(MAGIC)) == MAGIC


def claude_mem(file: Path) -> ForeignMemories:
    """Facts of observations, what summaries learned, and rules that were set, by project.

    Raises:
        ExchangeError: it is no file of claude-mem's, is damaged, or is locked.
    """
    found: list[ForeignMemory] = []
    skipped = 0
    try:
        # A file beside which nothing is written: claude-mem may be at work in it.
        where = f"file:{quote(str(file.absolute()))}?mode=ro"
        with closing(sqlite3.connect(where, uri=True, timeout=PATIENCE)) as database:
            database.row_factory = sqlite3.Row
            columns = _columns(database)
            if not {"project"} <= columns.get("observations", set()):
                raise ExchangeError(f"{file} is a file of SQLite, and not claude-mem's")
            for table, read in (
                ("observations", _observation),
                ("session_summaries", _summary),
                ("directives", _rule),
            ):
                for row in _rows(database, table, columns):
                    told = list(read(row))
                    skipped += not told
                    found += [_memory(table, row, text, heading) for heading, text in told]
    except sqlite3.OperationalError as error:
        busy = error.sqlite_errorname.startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))
        why = "is locked: end claude-mem, or copy the file" if busy else f"cannot be read: {error}"
        raise ExchangeError(f"{file} {why}") from None
    except sqlite3.DatabaseError as error:
        raise ExchangeError(f"{file} is no whole file of SQLite: {error}") from None
    return ForeignMemories("claude-mem", f"claude-mem ({file.name})", tuple(found), skipped)


def _columns(database: sqlite3.Connection) -> dict[str, set[str]]:
    """Columns of each table."""
    query = (
        "SELECT m.name, c.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c "
        "WHERE m.type = 'table'"
    )
    found: dict[str, set[str]] = {}
    for table, column in database.execute(query):
        found.setdefault(table, set()).add(column)
    return found


def _rows(
    database: sqlite3.Connection, table: str, columns: Mapping[str, set[str]]
) -> Iterator[Mapping[str, Any]]:
    """Rows of one of three tables, as far as it is there."""
    if "id" in columns.get(table, set()):
        for row in database.execute(f"SELECT * FROM {table} ORDER BY id"):  # noqa: S608
            yield dict(row)


def _observation(row: Mapping[str, Any]) -> Iterator[Sequence[str | None]]:
    title = _text(row.get("title"))
    facts = texts(row.get("facts"))
    if facts:
        yield from ((title, fact) for fact in facts)
    elif told := _text(row.get("narrative")) or _text(row.get("text")) or title:
        yield from ((title, text) for _, text in note_sentences(told))


def _summary(row: Mapping[str, Any]) -> Iterator[Sequence[str | None]]:
    for name in LEARNED:
        if told := _text(row.get(name)):
            yield from ((_text(row.get("request")), text) for _, text in note_sentences(told))


def _rule(row: Mapping[str, Any]) -> Iterator[Sequence[str | None]]:
    told = _text(row.get("content"))
    if told and row.get("status", "active") == "active":
        yield None, told


def _memory(
    table: str, row: Mapping[str, Any], text: str | None, heading: str | None
) -> ForeignMemory:
    # A worktree's rows go by the project that it was merged into.
    project = _text(row.get("merged_into_project")) or _text(row.get("project")) or ""
    name = project.rstrip("/").rpartition("/")[2]
    told = ImportedMemory(
        "claude-mem",
        project,
        f"{table}/{row.get('id')}",
        about=NamedInText(name, "project") if name else None,
        tags=(*texts(row.get("concepts")), *filter(None, [_text(row.get("type"))])),
        heading=heading,
    )
    at = instant(row.get("created_at_epoch")) or instant(row.get("created_at"))
    return ForeignMemory(text or "", told, at)


def _text(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) else None
