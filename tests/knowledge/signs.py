"""Signs of interest as raw logs have them, and what is made of them."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl

from cairn.knowledge.interests.engagements import COLUMNS, Engaged, engagements
from cairn.knowledge.interests.interests import interests
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import CANDIDATES, ENTITY_MERGES, FACT_SOURCES, FACTS
from tests.knowledge import rows
from tests.knowledge.extraction.rules.fixtures import raw_logs
from tests.knowledge.said import candidates
from tests.knowledge.toy_embedder import ToyEmbedder

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
POLICY = Policy.model_validate({})
TOY = ToyEmbedder()
NAMES = ("sourdough", "tide tables", "old clocks", "sea shanties")

Line = dict[str, Any]


def at(days: float) -> datetime:
    return START + timedelta(days=days)


def entities(namespace: str = "default") -> pl.DataFrame:
    return rows.entities(
        *(
            dict[str, object](namespace=namespace, entity_id=f"e_{name}", display_name=name)
            for name in NAMES
        )
    )


def said(text: str, day: float = 0, **more: Any) -> Line:
    return {"kind": "message", "origin": "human", "text": text, "occurred_at": at(day), **more}


def told(text: str, native: str, *, unasked: bool = False) -> Line:
    """What Cairn itself said."""
    return {
        "kind": "message", "origin": "recalled", "source": "inbox", "text": text,
        "native_id": native, "proactive": unasked, "occurred_at": at(0),
    }  # fmt: skip


def reacted(text: str, native: str, day: float = 0) -> Line:
    return {
        "kind": "reaction", "origin": "human", "source": "inbox", "text": text,
        "reply_to": native, "occurred_at": at(day),
    }  # fmt: skip


def command(verb: str, topic: str, day: float = 0) -> Line:
    return {
        "kind": "command", "origin": "human", "text": f"/{verb} {topic}", "occurred_at": at(day),
        "trigger": "learn_command" if verb == "learn" else "user_message",
        "tool_input": json.dumps({"verb": verb, "argument": topic}),
    }  # fmt: skip


def searched(query: str, day: float = 0, trigger: str = "user_message", **more: Any) -> Line:
    origin = "system" if trigger == "enrichment" else "human"
    return {
        "kind": "search", "origin": origin, "trigger": trigger, "text": query,
        "occurred_at": at(day), **more,
    }  # fmt: skip


def engaged(logs: pl.DataFrame, **frames: pl.DataFrame) -> Engaged:
    return engagements(
        logs.select(COLUMNS),
        frames.get("read", CANDIDATES.empty()),
        frames.get("entities", entities()),
        frames.get("facts", FACTS.empty()),
        frames.get("fact_sources", FACT_SOURCES.empty()),
        frames.get("merges", ENTITY_MERGES.empty()),
        TOY,
    )


def ranked(
    found: Engaged,
    day: float = 0,
    of: pl.DataFrame | None = None,
    merges: pl.DataFrame | None = None,
) -> pl.DataFrame:
    return interests(
        found.engagements, found.preferences, entities() if of is None else of,
        ENTITY_MERGES.empty() if merges is None else merges, TOY, POLICY, at(day),
    )  # fmt: skip


def merged(name: str, into: str) -> pl.DataFrame:
    """That two of NAMES are one thing."""
    return ENTITY_MERGES.frame(
        [
            {
                "namespace": "default", "entity_id": f"e_{name}", "canonical_id": f"e_{into}",
                "rule": "decided", "reason": "", "similarity": 0.0, "decided_at": at(0),
            }
        ]
    )  # fmt: skip


def scores(*lines: Line, day: float = 0) -> dict[str, float]:
    """Score by name, the highest first, of lines in one conversation each."""
    found = ranked(engaged(raw_logs(*([line] for line in lines))), day)
    by_rank = found.sort("rank").select("entity_id", "score").iter_rows()
    return {id_.removeprefix("e_"): score for id_, score in by_rank}


def read_in(text: str, *found: tuple[str, str, str]) -> pl.DataFrame:
    """What a model read in the first message: predicate, name and quote of each attitude."""
    return candidates(
        *(
            dict[str, object](
                namespace="default",
                record_id="c0_0",
                predicate=predicate,
                entity_name=name,
                entity_type="topic",
                origin="human",
                quote=quote,
                quote_start=text.index(quote),
                quote_end=text.index(quote) + len(quote),
            )
            for predicate, name, quote in found
        )
    )


UNASKED, ANSWER = told("Old clocks!", "m1", unasked=True), told("Old clocks tick.", "m2")
