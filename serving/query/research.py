"""What people ask to have searched for, and what was searched: told, listed, tried again."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

import polars as pl

from cairn.knowledge.consolidation.verdicts.standing import STANDING
from cairn.knowledge.extraction.searches import SEARCHES, Attempt, History, histories
from cairn.knowledge.ingest.inbox_events.searches import EFFECT
from cairn.knowledge.research.learn_prompts import found
from cairn.knowledge.schema.fact_types import is_event
from cairn.knowledge.schema.tables import (
    ENRICHMENT_QUEUE,
    FACT_SOURCES,
    LEARN_PROMPTS,
    MEMORY,
    MEMORY_ENTITIES,
    RAW_LOGS,
)
from cairn.resources.context import State
from cairn.resources.effects import forgotten
from cairn.serving.read.pagination import Key, Page, newest, page
from cairn.serving.read.reader import Reader

RESULTS = (pl.col("kind") == "tool_result") & (pl.col("tool_name") == "search")
"""Rows of RAW_LOGS that searches brought."""

_NEVER = 2**62
"""Stands for no time."""

NO_PROVIDER = "No search provider is set (CAIRN_SEARCH_PROVIDER): nothing is searched for."

SEARCHES_FOLLOW = (
    "Searches follow after the next run, when nothing else runs: the daemon makes both, or"
    " `cairn research --run`."
)

SEARCHES_WAIT = (
    "Searches wait: `cairn research --run` makes them now, the daemon when nothing else is to be"
    " done."
)

FORGOTTEN = "what it brought was forgotten: ask anew, and it is searched for"


def prompts(reader: Reader, limit: int = 20, cursor: str | None = None) -> Page:
    """Learn prompts, the latest first, each with the entities that were found through it.

    Raises:
        BadCursor: the cursor is none of this list.
    """
    keys = [newest("created_at"), Key(pl.col("learn_prompt_id"), descending=True)]
    asked = reader.table(LEARN_PROMPTS)
    shown = page(asked, keys, ("learn prompts", reader.namespace), limit, cursor)
    if not shown.rows:
        return shown
    results = _records(reader, "search results", RESULTS)
    brought = pl.col("record_id").is_in(results["record_id"].implode())
    sources = reader.table(FACT_SOURCES, ["fact_id", "record_id"]).filter(brought).collect()
    columns = ["fact_id", "entity_id", "status", "event", "predicate"]
    facts = reader.rows(MEMORY, "fact_id", sources["fact_id"].unique(), columns).filter(
        ~is_event(), pl.col("status").is_in(STANDING)
    )
    through = found(
        LEARN_PROMPTS.frame(shown.rows), results, sources, facts.select("fact_id", "entity_id")
    )
    names = reader.rows(
        MEMORY_ENTITIES, "entity_id", through["entity_id"].unique(),
        ["entity_id", "display_name", "type"],
    )  # fmt: skip
    named: dict[str, list[dict[str, Any]]] = {}
    for one in through.join(names, on="entity_id", maintain_order="left").to_dicts():
        named.setdefault(one.pop("learn_prompt_id"), []).append(one)
    rows = [row | {"entities": named.get(row["learn_prompt_id"], [])} for row in shown.rows]
    return replace(shown, rows=rows)


def schedules(reader: Reader, limit: int = 20, cursor: str | None = None) -> Page:
    """What recurs, with its next search; the next first.

    Raises:
        BadCursor: the cursor is none of this list.
    """
    recurring = _queue(reader).filter(mode="schedule").lazy()
    rows = recurring.select("schedule_id", "topic", "due_at", "blocked_by", "reason")
    never = pl.lit(_NEVER)
    keys = [Key(pl.col("due_at").dt.epoch("us").fill_null(never)), Key(pl.col("schedule_id"))]
    return page(rows, keys, ("schedules", reader.namespace), limit, cursor)


class ResearchReport(NamedTuple):
    """What is to be searched for, and what was."""

    due: pl.DataFrame
    """Rows of ENRICHMENT_QUEUE, in the order in which they are searched for."""
    blocked: pl.DataFrame
    """The same, of what is not searched for; `blocked_by` says why."""
    made: list[dict[str, Any]]
    """Searches of the system itself, the latest first."""


NOTHING = ResearchReport(ENRICHMENT_QUEUE.empty(), ENRICHMENT_QUEUE.empty(), [])


def report(reader: Reader) -> ResearchReport:
    """What is to be searched for, what was, and what is not known."""
    rows = _queue(reader)
    free = pl.col("blocked_by").is_null()
    made = [
        {
            "effect_id": one.search.effect_id, "at": one.at, "trigger": one.search.trigger,
            "query": one.search.query, "outcome": one.outcome, "results": one.search.found,
            "error": one.search.error, "provider": one.search.provider,
        }
        for one in attempts_of(reader)
    ]  # fmt: skip
    return ResearchReport(rows.filter(free), rows.filter(~free), made)


def wait(state: State) -> bool:
    """Whether searches could be made now, in any namespace, and nobody has made them."""
    if not state.searches:
        return False
    moment = datetime.now(UTC)
    due = pl.col("blocked_by").is_null() & (pl.col("due_at") <= moment)
    rows = state.warehouse.read(ENRICHMENT_QUEUE).filter(
        due | (pl.col("blocked_by") == "switched_off")
    )
    found = rows.select("namespace", "effect_id").collect()
    return not all(forgotten(state, EFFECT, found, moment))


def _queue(reader: Reader) -> pl.DataFrame:
    """Rows of ENRICHMENT_QUEUE in their order; what was forgotten is blocked, too."""
    rows = reader.table(ENRICHMENT_QUEUE).collect().sort("rank")
    gone = pl.lit(forgotten(reader.state, EFFECT, rows, datetime.now(UTC)))
    return rows.with_columns(
        blocked_by=pl.when(gone).then(pl.lit("forgotten")).otherwise("blocked_by"),
        reason=pl.when(gone).then(pl.lit(FORGOTTEN)).otherwise("reason"),
    )


def attempts_of(reader: Reader) -> list[Attempt]:
    """Searches of the system itself, the latest first."""
    rows = _records(reader, "searches", SEARCHES)
    history = histories(rows).get(reader.namespace, History())
    return [one for one in reversed(history.attempts) if one.search.effect_id]


def _records(reader: Reader, name: str, which: pl.Expr) -> pl.DataFrame:
    """Rows of RAW_LOGS of a kind, by record_id: few of all that are looked through, once."""
    return reader.made(name, "record_id", reader.table(RAW_LOGS).filter(which).collect)
