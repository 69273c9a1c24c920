"""Lineage, both ways: the records that something rests on, and what rests on a record.

What gives orders to a model is left out of both; `cairn show` and `cairn review` tell it.
"""

from typing import Any

import polars as pl

from cairn.knowledge.llm.prompt_injection import QUARANTINED_ORDERS, without_orders
from cairn.knowledge.schema.fact_types import is_event
from cairn.knowledge.schema.tables import (
    EPISODES,
    EVIDENCE,
    FACT_SOURCES,
    LEARNINGS,
    RAW_LOGS,
    Table,
)
from cairn.serving.query.explain import explain
from cairn.serving.read.id_lookup import exactly
from cairn.serving.read.reader import Reader, best_first

MOST = 100
"""Rows of each list of what depends on a record."""


def why(reader: Reader, id_: str, *, events: bool = False) -> dict[str, Any] | None:
    """What something is and the words it rests on; None if nothing has just this id, or it is held.

    Among facts of a record, conversation or entity, `events` are told where they are asked for.

    Returns:
        kind, id, namespace; quotes, each with quote, record_id, file and line; explanation: all
        that `cairn.serving.query.explain` has.
    """
    thing = exactly(reader, id_)
    if thing is None:
        return None
    explanation = explain(thing, events=events)
    if thing.kind == "candidate" and explanation["candidate"].get("reason") == QUARANTINED_ORDERS:
        return None
    head = {name: explanation.pop(name) for name in ("kind", "id", "namespace")}
    return head | told({"quotes": _quotes(thing.kind, explanation), "explanation": explanation})


def told(found: Any, origin: str = "agent") -> Any:
    """Texts of whatever was found, without lines that give orders, by who speaks in each."""
    match found:
        case str():
            return without_orders(found, origin)
        case dict():
            who = found.get("origin") or found.get("role")
            origin = who if isinstance(who, str) else origin
            return {name: told(value, origin) for name, value in found.items()}
        case list():
            return [told(value, origin) for value in found]
        case _:
            return found


def _quotes(kind: str, explained: dict[str, Any]) -> list[dict[str, Any]]:
    match kind:
        case "fact" | "practice" | "fix" | "project_fact":
            said = explained["sources"]
        case "learning":
            said = [
                {**quote, "quote": quote["text"], "origin": quote["role"]}
                for quote in explained["learning"]["quotes"]
            ]
        case "record":
            row = explained["record"]
            said = [{**row, "quote": row["text"], "file": row["source_file"],
                     "line": row["source_line"]}]  # fmt: skip
        case "candidate":
            said = [{**explained["candidate"], **(explained["place"] or {})}]
        case "entity":
            place = explained["introduced_by"]
            by = explained["entity"]["introduced_by"]
            said = [{**place, "quote": place["text"], "record_id": by}] if place else []
        case _:
            said = []
    names = ("quote", "record_id", "file", "line", "origin", "occurred_at")
    return [{name: one.get(name) for name in names} for one in said]


def uses(reader: Reader, record_id: str, *, events: bool = False) -> dict[str, Any] | None:
    """What depends on a record; None if there is no such record.

    Returns:
        record_id, conversation_id, kind, origin, file, line, occurred_at; episode, the request it
        belongs to; facts that it says; supported, facts that it bears out or denies; learnings;
        entities that it introduced. Lists have the first `MOST`.
    """
    columns = ["record_id", "conversation_id", "episode_id", "kind", "origin", "occurred_at",
               "source_file", "source_line"]  # fmt: skip
    found = reader.rows(RAW_LOGS, "record_id", pl.Series([record_id]), columns).to_dicts()
    if not found:
        return None
    row = found[0]
    episode = reader.table(EPISODES, ["episode_id", "request", "started_at"]).filter(
        pl.col("episode_id") == pl.lit(row["episode_id"], pl.String)
    )
    spoken = pl.col("source_id") == record_id
    said = _ids(reader, FACT_SOURCES, pl.col("record_id") == record_id)
    return {
        "record_id": record_id,
        "conversation_id": row["conversation_id"],
        "kind": row["kind"],
        "origin": row["origin"],
        "file": row["source_file"],
        "line": row["source_line"],
        "occurred_at": row["occurred_at"],
        "episode": next(iter(episode.collect().to_dicts()), None),
        "facts": _facts(reader, said, events=events),
        "supported": _facts(reader, _ids(reader, EVIDENCE, spoken), events=events),
        "learnings": reader.all_rows(LEARNINGS)
        .filter(pl.col("source_record_ids").list.contains(record_id))
        .select("learning_id", "category", "title")
        .sort("learning_id")
        .head(MOST)
        .collect()
        .to_dicts(),
        "entities": reader.entities()
        .filter(introduced_by=record_id)
        .select("entity_id", "display_name", "type")
        .sort("entity_id")
        .head(MOST)
        .collect()
        .to_dicts(),
    }


def _ids(reader: Reader, table: Table, which: pl.Expr) -> pl.Series:
    """Facts that rows of a table are about."""
    return reader.table(table).filter(which).select("fact_id").collect()["fact_id"].unique()


def _facts(reader: Reader, fact_ids: pl.Series, *, events: bool) -> list[dict[str, Any]]:
    """Facts in short, the best supported first."""
    columns = ["fact_id", "entity", "predicate", "content", "status"]
    return (
        best_first(reader.memory(fact_ids).filter(pl.lit(events) | ~is_event()))
        .select(*columns, confidence="effective")
        .head(MOST)
        .collect()
        .to_dicts()
    )
