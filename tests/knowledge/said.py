"""Small rows of `candidates`, with what a test does not name filled in."""

from datetime import UTC, datetime, timedelta

import polars as pl

from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.tables import CANDIDATES

START = datetime(2026, 2, 1, tzinfo=UTC)


def candidates(*rows: dict[str, object]) -> pl.DataFrame:
    return CANDIDATES.frame(candidate(**row) for row in rows)


def stated(*rows: dict[str, object]) -> pl.DataFrame:
    """Candidates as facts are made of them."""
    return undrawn(candidates(*rows))


def undrawn(said: pl.DataFrame) -> pl.DataFrame:
    """Candidates that were drawn from nothing but their records."""
    return said.with_columns(derived_from=pl.lit([], dtype=pl.List(pl.String)))


def candidate(**row: object) -> dict[str, object]:
    """A fact of project cairn that an agent's call shows; `at` is in hours after the start."""
    at = row.pop("at", 0)
    record = row.get("record_id", "r1")
    filled = {
        "namespace": "n", "day": "2026-02-01", "conversation_id": "s1", "episode_id": None,
        "record_id": record, "kind": "fact", "subject": f"action_{record}",
        "predicate": "used_tool", "object": "Bash", "content": "cairn used the tool Bash",
        "entity_name": "cairn", "entity_type": "project", "quote": "Bash",
        "quote_field": "tool_name", "quote_start": 0, "quote_end": 4, "confidence": 1.0,
        "mode": "rule", "extractor": "used_tool@1", "origin": "agent", "trigger": "user_message",
        "occurred_at": None if at is None else START + timedelta(hours=float(str(at))),
        **row,
    }  # fmt: skip
    place = ("record_id", "extractor", "predicate", "object", "entity_name", "quote_start")
    return {"candidate_id": "k_" + digest(*(filled[part] for part in place)), **filled}


def topic(name: str, text: str, **row: object) -> dict[str, object]:
    """A topic that a person named in `text`."""
    return {
        "kind": "entity", "predicate": "is", "object": name, "entity_name": name,
        "entity_type": "topic", "content": text, "quote": name, "quote_field": "text",
        "quote_start": text.index(name), "quote_end": text.index(name) + len(name),
        "extractor": "key_phrase@1", "origin": "human", "confidence": 0.6, **row,
    }  # fmt: skip


def statement(text: str, **row: object) -> dict[str, object]:
    """Something that an agent says it found out about the project."""
    return {
        "predicate": "discovery", "object": text, "content": text, "quote": text,
        "quote_field": "text", "quote_end": len(text), "confidence": 0.6,
        "extractor": "discovery@1", **row,
    }  # fmt: skip


def contexts(**texts: str) -> pl.DataFrame:
    rows = [{"namespace": "n", "record_id": record, "text": text} for record, text in texts.items()]
    return pl.DataFrame(rows, {"namespace": pl.String, "record_id": pl.String, "text": pl.String})
