"""Where something is named in a home: lines, rows, answers of models, and what is watched."""

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from cairn.knowledge.deletion.naming import naming, rows_naming
from cairn.knowledge.deletion.tombstones import READS, tombstone_of
from cairn.knowledge.ingest.adapter import Head
from cairn.knowledge.ingest.adapters import own_adapters
from cairn.knowledge.ingest.adapters.inbox import TOMBSTONES
from cairn.knowledge.ingest.records import read_records
from cairn.knowledge.redaction import redactor
from cairn.knowledge.schema.calendar import UNDATED
from cairn.knowledge.schema.tables import RECORDS, TABLES, Table
from cairn.resources.context import State
from cairn.resources.deletion.imported import imported_records
from cairn.resources.home.home import Home
from cairn.resources.home.inbox import all_files, event_id_of, lines_of
from cairn.resources.home.sources import list_sources
from cairn.resources.web.notifier import told_in

SHOWN = 3
"""Ids of a place that are told."""


class NamedPlace(NamedTuple):
    """Where something is named."""

    where: str
    """A table; or inbox, answers, notifications (the file), sources."""
    rows: int
    ids: Sequence[str]
    """The first; of files, their paths."""


def places(state: State, namespace: str, pattern: str | None) -> list[NamedPlace]:
    """Where a namespace names what a pattern (deletion/naming.py) is of, lines of sources first.

    Returns:
        Places with rows, in the order of the tables; none if it is named nowhere, or has no name.
    """
    if pattern is None:
        return []
    found = [
        (name, rows_named(state, table, namespace, pattern, [_id(table)])[_id(table)])
        for name, table in TABLES.items()
        if "namespace" in table.columns and (table is RECORDS or table.words)
    ]
    heads = [head.native_id or "" for head in _inbox(state, namespace, pattern)]
    known = rows_named(state, RECORDS, namespace, pattern, ["record_key"])
    come = imported_naming(state.home, namespace, pattern).select("record_key")
    waiting = come.join(known, on="record_key", how="anti")["record_key"]
    found.append(("inbox", pl.concat([pl.Series(heads, dtype=pl.String), waiting])))
    found.append(("answers", pl.Series(answers_naming(state, namespace, pattern), dtype=pl.String)))
    told = told_in(state.home, namespace)
    lines = told.read_text("utf-8", "replace").splitlines() if told.exists() else []
    at = pl.Series([str(told)] * len(_matching(lines, pattern)), dtype=pl.String)
    found.append(("notifications file", at))
    watched = [each.path for each in list_sources(state.home) if each.namespace == namespace]
    found.append(("sources", _matching(watched, pattern)))
    return [
        NamedPlace(where, len(ids), ids.drop_nulls().unique().sort().head(SHOWN).to_list())
        for where, ids in found
        if len(ids)
    ]


def rows_named(
    state: State, table: Table, namespace: str, pattern: str, columns: Sequence[str]
) -> pl.DataFrame:
    """Columns of the rows of a table that name it."""
    rows = state.warehouse.read(table, namespace=namespace)
    return rows_naming(table, rows, pattern).select(columns).collect()


def lines_naming(state: State, namespace: str, pattern: str, waiting: pl.DataFrame) -> pl.DataFrame:
    """Columns READS of all lines that name it, `waiting_records` among them."""
    records = rows_named(state, RECORDS, namespace, pattern, READS)
    waits = rows_naming(RECORDS, waiting.lazy(), pattern).select(READS).collect()
    come = imported_naming(state.home, namespace, pattern).select(READS)
    return pl.concat([records, waits, come.join(records, on="record_key", how="anti")])


def waiting_records(state: State, namespace: str, known: pl.DataFrame) -> pl.DataFrame:
    """Rows of RECORDS of lines of the inbox that the next run takes in.

    `known` has native_id and record_key of the records that are there.
    """
    ids = set(known["native_id"])
    clean = redactor(state.policy.redact_personal)
    found = [RECORDS.empty()]
    for file in all_files(state.home, namespace):
        lines = file.read_bytes().split(b"\n")
        new = [b"" if event_id_of(line) in ids else line for line in lines]
        found.append(
            read_records(
                b"\n".join(new), namespace=namespace, source_file=str(file), timezone="UTC",
                seen_at=UNDATED, redactor=clean, adapter="inbox",
            ).records
        )  # fmt: skip
    waiting = pl.concat(found).unique("record_key", keep="first", maintain_order=True)
    return waiting.filter(pl.col("thread") != TOMBSTONES).join(known, on="record_key", how="anti")


def imported_naming(home: Home, namespace: str, pattern: str) -> pl.DataFrame:
    """Imported records that name it, whether or not a run took them in: rows of RECORDS."""
    found = [
        rows_naming(RECORDS, records.lazy(), pattern).collect()
        for records in imported_records(home, namespace)
    ]
    return pl.concat([RECORDS.empty(), *found]).unique("record_key")


def answers_naming(state: State, namespace: str, pattern: str) -> list[str]:
    """Keys of a model's answers that name it."""
    kept = state.answers.of_namespace(namespace)
    texts = pl.DataFrame(
        [(each.key, f"{each.text or ''}\n{each.reason or ''}") for each in kept],
        schema={"key": pl.String, "text": pl.String},
        orient="row",
    )
    return texts.filter(naming("text", pattern))["key"].to_list()


def _inbox(state: State, namespace: str, pattern: str) -> list[Head]:
    """Heads of the lines of the inbox that name it, and may be forgotten."""
    lines = [line.decode("utf-8", "replace") for line in lines_of(state.home, namespace)]
    named = [line.encode() for line in _matching(lines, pattern).to_list()]
    heads = [_head(line) for line in named if tombstone_of(line) is None]
    return [head for head in heads if head is not None and head.native_id]


def _head(line: bytes) -> Head | None:
    try:
        return own_adapters()["inbox"].head(line)
    except Exception:  # what a crash left of a line
        return None


def _matching(texts: Sequence[str], pattern: str) -> pl.Series:
    found = pl.Series("text", texts, dtype=pl.String).to_frame()
    return found.filter(naming("text", pattern))["text"]


def _id(table: Table) -> str:
    """What tells a row: an id, if its key has one, and no words."""
    ids = [name for name in table.key if name.endswith(("_id", "_key", "_hash"))]
    return ids[0] if ids else table.key[-1]
