"""What is counted from runs, failures and edits, explained: counts, and the calls that bear it out.

Of an earlier moment it is counted from what had happened by then.
"""

from typing import Any

import polars as pl

from cairn.knowledge.dialogue.tool_calls import shell_command
from cairn.knowledge.extraction.rules.rule import decoded
from cairn.knowledge.nlp.text import beginning
from cairn.knowledge.schema.tables import FAILURES, RAW_LOGS
from cairn.serving.query.work import known_errors, known_practices, known_project_facts, known_runs
from cairn.serving.read.display import count, times
from cairn.serving.read.id_lookup import UnknownId
from cairn.serving.read.reader import Reader

MOST = 20
"""Runs and failures that are told, the newest."""

LONGEST_QUOTE = 400
"""Characters of a call, or of its result, that stand for it."""

RUN_FIELDS = ("record_id", "conversation_id", "occurred_at", "command", "folder", "passed")
FAILURE_FIELDS = (
    "failure_id", "record_id", "conversation_id", "occurred_at", "project", "command", "key_line",
    "outcome", "fix",
)  # fmt: skip


def practice(reader: Reader, id_: str) -> dict[str, Any]:
    """A command that is run for a task: its counts, its newest runs, what it replaced.

    Raises:
        UnknownId: it was not run by then.
    """
    known = known_practices(reader)
    row = _only(known, "practice_id", id_)
    others = known.filter(
        pl.col("practice_id").is_in([one for one in (row["replaced_by"], row["replaces"]) if one])
    )
    same = [pl.col(name) == row[name] for name in ("project", "task", "command", "folder")]
    # Runs of a part count only where there is no other, as in `practices`.
    counted = pl.col("narrowed") == pl.col("narrowed").all()
    runs = _newest(reader, known_runs(reader).lazy().filter(*same).filter(counted), RUN_FIELDS)
    talks = count(row["conversations"], "conversation")
    return {
        "text": f"{row['task']}: `{row['command']}`; {count(row['runs'], 'run')} in {talks},"
        f" {row['passed']:,} passed, {row['failed']:,} failed",
        "practice": row,
        "others": others.select("practice_id", "command", "first_seen", "last_seen").to_dicts(),
        "runs": _with_places(reader, runs),
        "sources": _sources(reader, row["source_record_ids"]),
    }


def fix(reader: Reader, id_: str) -> dict[str, Any]:
    """What ended an error: how often, in which projects, and the failures of that error.

    Raises:
        UnknownId: it had not been seen by then.
    """
    rows = known_errors(reader).filter(fix_id=id_).sort("project")
    if rows.is_empty():
        raise UnknownId(f"nothing was known of {id_} by then")
    first = rows.row(0, named=True)
    same = [pl.col(name) == first[name] for name in ("tool_family", "signature")]
    failures = _newest(reader, reader.table(FAILURES).filter(*same), FAILURE_FIELDS)
    names = ("fix_id", "signature_id", "tool_family", "signature", "key_line", "fix", "fix_kind")
    counts = {name: int(rows[name].sum()) for name in ("wins", "losses", "failures")}
    records = rows["source_record_ids"].explode().drop_nulls().unique(maintain_order=True)
    ended = f"{first['fix']}; ended it {times(counts['wins'], counts['losses'])}"
    return {
        "text": f"{first['key_line']} → {ended if first['fix'] else 'nothing is proven to end it'}",
        "fix": {name: first[name] for name in names}
        | counts
        | {"first_seen": rows["first_seen"].min(), "last_seen": rows["last_seen"].max()},
        "projects": rows.select(
            "project", "failures", "conversations", "wins", "losses", "fix_last_seen"
        ).to_dicts(),
        "failures": _with_places(reader, failures),
        "sources": sorted(_sources(reader, records.to_list()), key=_when),
    }


def project_fact(reader: Reader, id_: str) -> dict[str, Any]:
    """What is counted of a project: a package manager, files that are edited, and so on.

    Raises:
        UnknownId: it was not so by then.
    """
    row = _only(known_project_facts(reader), "project_fact_id", id_)
    names = " and ".join(filter(None, [row["name"], row["other"]]))
    kind = row["kind"].replace("_", " ")
    return {
        "text": f"{kind}: {names}; {count(row['conversations'], 'conversation')}",
        "project_fact": row,
        "sources": _sources(reader, row["source_record_ids"]),
    }


def _when(source: dict[str, Any]) -> tuple[str, int]:
    at = source["occurred_at"]
    return at.isoformat() if at else "", source["line"] or 0


def _said(row: dict[str, Any]) -> str:
    """What a result says, or the command line of a call; of another call all that it was given."""
    given = row["tool_input"] or ""
    return row["text"] or shell_command(decoded(given)) or given


def _quoted(text: str) -> str:
    return text if len(text) <= LONGEST_QUOTE else f"{beginning(text, LONGEST_QUOTE - 1)}…"


def _only(known: pl.DataFrame, column: str, id_: str) -> dict[str, Any]:
    rows = known.filter(pl.col(column) == id_)
    if rows.is_empty():
        raise UnknownId(f"nothing was known of {id_} by then")
    return rows.row(0, named=True)


def _newest(reader: Reader, rows: pl.LazyFrame, fields: tuple[str, ...]) -> list[dict[str, Any]]:
    """The newest rows that had happened."""
    happened = (pl.col("occurred_at") <= reader.latest).fill_null(value=True)
    by_time = rows.filter(happened).sort(
        "occurred_at", "record_id", descending=[True, False], nulls_last=True
    )
    return by_time.select(fields).head(MOST).collect().to_dicts()


def _with_places(reader: Reader, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    places = _places(reader, [row["record_id"] for row in rows])
    nowhere = {"file": None, "line": None}
    return [row | (places.get(row["record_id"]) or nowhere) for row in rows]


def _places(reader: Reader, record_ids: list[str]) -> dict[str, dict[str, Any]]:
    rows = reader.places(record_ids).iter_rows(named=True)
    return {
        row["record_id"]: {"file": row["source_file"], "line": row["source_line"]} for row in rows
    }


def _sources(reader: Reader, record_ids: list[str]) -> list[dict[str, Any]]:
    """Calls and results that bear it out, in their order: quote, record_id, file and line."""
    ids = pl.Series(record_ids, dtype=pl.String)
    columns = ["record_id", "origin", "occurred_at", "text", "tool_input", "source_file",
               "source_line"]  # fmt: skip
    rows = reader.rows(RAW_LOGS, "record_id", ids, columns)
    there = {row["record_id"]: row for row in rows.iter_rows(named=True)}
    return [
        {
            "quote": _quoted(_said(row)),
            "record_id": id_,
            "file": row["source_file"],
            "line": row["source_line"],
            "origin": row["origin"],
            "occurred_at": row["occurred_at"],
        }
        for id_ in record_ids
        if (row := there.get(id_))
    ]
