"""What people ask to have searched for, and what was searched: told, listed, tried again."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

import polars as pl

from knowledge.learn_prompts import found
from knowledge.search_events import EFFECT
from knowledge.searches import COMMANDS, SEARCHES, Attempt, History, histories, interval
from knowledge.tables import (
    ENRICHMENT_QUEUE,
    FACT_SOURCES,
    LEARN_PROMPTS,
    MEMORY,
    MEMORY_ENTITIES,
    RAW_LOGS,
)
from resources.effects import try_again
from resources.inbox import Received
from resources.state import State
from serving.inbox import add_event
from serving.reader import Reader
from serving.search import IN_FORCE

LONGEST_TOPIC = 200
NO_PROVIDER = "No search provider is set (CAIRN_SEARCH_PROVIDER): nothing is searched for."


class Refused(Exception):  # noqa: N818  what a person is told
    """What was asked for cannot be searched for; the message says why."""


class Tried(NamedTuple):
    """A search that is to be tried again."""

    query: str
    new: bool
    """False if that was said before."""


def learn(state: State, namespace: str, topic: str) -> Received:
    """Notes that somebody wants to learn about a topic.

    Raises:
        Refused: it is none.
    """
    return _command(state, namespace, f"/learn {_topic(topic)}")


def schedule(state: State, namespace: str, topic: str, every: str | None) -> Received:
    """Notes that a topic is to be searched for again and again; or with no time, no more.

    Raises:
        Refused: it is no topic, or no time.
    """
    if every is None:
        return _command(state, namespace, f"/unschedule {_topic(topic)}")
    if interval(every) is None:
        raise Refused(f"{every!r} is no time such as 12h, 3d, week, `2 weeks` or month")
    return _command(state, namespace, f"/schedule {_topic(topic)} --every {every}")


def _topic(topic: str) -> str:
    line = " ".join(topic.split())
    if not any(character.isalnum() for character in line):
        raise Refused("there is no topic")
    if len(line) > LONGEST_TOPIC:
        raise Refused(f"a topic has at most {LONGEST_TOPIC} characters")
    if " --" in line:
        raise Refused("a topic has no option in it")
    return line


def _command(state: State, namespace: str, text: str) -> Received:
    return add_event(state, {"type": "command", "namespace": namespace, "text": text})


def prompts(reader: Reader) -> list[dict[str, Any]]:
    """Learn prompts, the latest first, each with the entities that were found through it."""
    asked = reader.table(LEARN_PROMPTS).collect()
    facts = reader.table(MEMORY).filter(pl.col("status").is_in(IN_FORCE))
    through = found(
        asked,
        reader.table(RAW_LOGS).filter(pl.col("kind") == "tool_result").collect(),
        reader.table(FACT_SOURCES, ["fact_id", "record_id"]).collect(),
        facts.select("fact_id", "entity_id").collect(),
    )
    names = reader.table(MEMORY_ENTITIES, ["entity_id", "display_name"]).collect()
    named = through.join(names, on="entity_id", maintain_order="left").to_dicts()
    return [
        row
        | {
            "entities": [
                {key: one[key] for key in ("entity_id", "display_name", "facts")}
                for one in named
                if one["learn_prompt_id"] == row["learn_prompt_id"]
            ]
        }
        for row in asked.sort(
            "created_at", "learn_prompt_id", descending=True, nulls_last=True
        ).to_dicts()
    ]


def due(reader: Reader) -> pl.DataFrame:
    """Rows of ENRICHMENT_QUEUE in the order in which they are searched for."""
    return reader.table(ENRICHMENT_QUEUE).collect().sort("rank")


def schedules(reader: Reader) -> list[dict[str, Any]]:
    """Schedules with their next run."""
    rows = due(reader).filter(mode="schedule").sort("due_at", "topic")
    return rows.select("schedule_id", "topic", "due_at", "held", "reason").to_dicts()


def attempts(reader: Reader) -> list[Attempt]:
    """Searches of the system itself, the latest first."""
    rows = reader.table(RAW_LOGS).filter(SEARCHES & ~COMMANDS).collect()
    history = histories(rows).get(reader.namespace, History())
    return [one for one in reversed(history.attempts) if one.search.effect_id]


def again(reader: Reader, effect_id: str) -> Tried:
    """Lets a search be tried again of which nobody knows what became, or that failed for good.

    Raises:
        Refused: there is no such search, or it is not held.
    """
    rows = due(reader).filter(
        pl.col("effect_id").str.starts_with(effect_id) & pl.col("held").is_in(["unknown", "failed"])
    )
    if rows.height != 1:
        what = "several searches begin with" if rows.height else "no search that is held has the id"
        raise Refused(f"{what} {effect_id}; see `cairn research`")
    row = rows.row(0, named=True)
    last = row["effect_id"]
    if row["held"] == "failed":
        tries = [one for one in attempts(reader) if one.search.unit == row["unit"]]
        last = tries[0].search.effect_id
    now = datetime.now(UTC)
    return Tried(row["query"], try_again(reader.state, reader.namespace, EFFECT, last, now))
