"""Decisions of a person as rows of raw logs, about facts of `rows`."""

import msgspec
import polars as pl

from cairn.knowledge.consolidation.verdicts.decisions import decisions
from cairn.knowledge.ingest.inbox_events.decisions import DecidedThing, ToldDecision
from cairn.knowledge.schema.tables import ENTITIES, RAW_LOGS
from tests.knowledge.rows import day, fact_sources


def meant(id_: str, said: str = "", entity: str = "cairn", type_: str = "project") -> DecidedThing:
    return DecidedThing(id_, type_, entity, "states" if said else "", said)


def decided(
    record: str,
    decision: str,
    *named: DecidedThing,
    at: float = 30,
    thing: str = "fact",
    text: str = "",
    into: str | None = None,
    reason: str | None = None,
) -> dict[str, object]:
    """A row of raw logs, decided `at` days after the start."""
    told = ToldDecision(decision, thing, named, into, reason)
    return {
        "record_id": record, "block": 0, "namespace": "n", "day": "2026-03-03", "source": "inbox",
        "conversation_id": "decisions", "seq": 0, "kind": "decision", "origin": "human",
        "trigger": "user_message", "text": text or decision, "is_error": False,
        "tool_input": msgspec.json.encode(told).decode(), "sidechain": False, "proactive": False,
        "occurred_at": day(at), "source_file": "inbox", "source_line": 1, "content_hash": "x",
        "redactions": 0,
    }  # fmt: skip


def entities(*names: tuple[str, str, str]) -> pl.DataFrame:
    """Entities of (id, name, type); cairn unless told."""
    return ENTITIES.frame(
        {
            "entity_id": id_, "namespace": "n", "name": name, "display_name": name, "type": type_,
            "aliases": [], "introduced_by": "r", "mentions": 1, "facts": 1,
        }
        for id_, name, type_ in names or [("e", "cairn", "project")]
    )  # fmt: skip


def made(
    rows: list[dict[str, object]],
    facts: pl.DataFrame,
    sources: pl.DataFrame | None = None,
    known: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """DECISIONS of such rows; each fact has a source of its own unless told."""
    if sources is None:
        own = [{"fact_id": fact, "record_id": f"r_{fact}"} for fact in facts["fact_id"]]
        sources = fact_sources(*own)
    return decisions(RAW_LOGS.frame(rows), facts, sources, entities() if known is None else known)


def by_id(found: pl.DataFrame) -> dict[str, dict[str, object]]:
    return {row["decision_id"]: row for row in found.to_dicts()}
