"""Small rows of the tables, with what a test does not name filled in."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import polars as pl

from cairn.knowledge.nlp.names import canonical
from cairn.knowledge.schema.predicates import EVENT_PREDICATES
from cairn.knowledge.schema.tables import ENTITIES, EPISODES, EVIDENCE, FACT_SOURCES, FACTS, Table

START = datetime(2026, 2, 1, tzinfo=UTC)


def day(number: float) -> datetime:
    return START + timedelta(days=number)


def _frame(table: Table, defaults: Mapping[str, object], rows: tuple[dict[str, object], ...]):
    return table.frame({**defaults, **row} for row in rows)


def entities(*rows: dict[str, object]) -> pl.DataFrame:
    filled = tuple(
        {"name": canonical(str(row["display_name"]), str(row.get("type", "topic"))), **row}
        for row in rows
    )
    return _frame(
        ENTITIES,
        {
            "namespace": "n", "type": "topic", "aliases": [], "first_seen": START,
            "last_seen": START, "introduced_by": "r", "mentions": 1, "facts": 1,
        },
        filled,
    )  # fmt: skip


def facts(*rows: dict[str, object]) -> pl.DataFrame:
    filled = tuple(
        {"object": row.get("content", "It works"),
         "event": row.get("predicate") in EVENT_PREDICATES, **row}
        for row in rows
    )  # fmt: skip
    return _frame(
        FACTS,
        {
            "namespace": "n", "entity_id": "e", "predicate": "states", "content": "It works",
            "base_confidence": 0.8, "source_count": 1, "conversation_count": 1,
            "first_seen": START, "last_seen": START, "source_record_ids": [], "derived_from": [],
            "extractor": "rule@1", "trust": "person",
        },
        filled,
    )  # fmt: skip


def fact_sources(*rows: dict[str, object]) -> pl.DataFrame:
    filled = tuple(
        {"candidate_id": f"c_{row['record_id']}", "conversation_id": "s1", **row} for row in rows
    )
    return _frame(
        FACT_SOURCES,
        {"namespace": "n", "confidence": 0.8, "occurred_at": START, "day": "2026-02-01"},
        filled,
    )


def episodes(*rows: dict[str, object]) -> pl.DataFrame:
    filled = tuple({"request": row["text"], **row} for row in rows)
    return _frame(
        EPISODES,
        {
            "namespace": "n", "day": "2026-02-01", "conversation_id": "s2", "seq": 0, "answer": "",
            "started_at": day(1), "ended_at": day(1), "records": 2, "tool_calls": 0, "errors": 0,
        },
        filled,
    )  # fmt: skip


def evidence(*rows: dict[str, object]) -> pl.DataFrame:
    return _frame(
        EVIDENCE,
        {
            "namespace": "n", "kind": "restatement", "source_id": "r", "conversation_id": "s2",
            "similarity": 1.0, "weight": None, "occurred_at": START,
        },
        rows,
    )  # fmt: skip
