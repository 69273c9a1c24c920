"""Learn prompts and schedules that a person asks for, and searches tried again."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

import polars as pl

from cairn.knowledge.extraction.searches import interval
from cairn.knowledge.ingest.inbox_events.searches import EFFECT
from cairn.resources.context import State
from cairn.resources.effects import try_again
from cairn.serving.query.research import attempts_of, report
from cairn.serving.read.reader import Reader
from cairn.serving.write.decisions import Undecidable
from cairn.serving.write.requests import order, topic_of


class RetriedSearch(NamedTuple):
    """A search that is to be tried again."""

    query: str
    new: bool
    """False if that was said before."""


def learn(state: State, namespace: str, topic: str, event_id: str | None = None) -> dict[str, Any]:
    """Notes that somebody wants to learn about a topic; gives what `order` does.

    Raises:
        Undecidable: it is none.
    """
    return order(state, namespace, "learn", _topic(topic), event_id)


def schedule(
    state: State, namespace: str, topic: str, every: str | None, event_id: str | None = None
) -> dict[str, Any]:
    """Notes that a topic is to be searched for again and again; or with no time, no more.

    Raises:
        Undecidable: it is no topic, or no time.
    """
    named = _topic(topic)
    if every is None:
        return order(state, namespace, "unschedule", named, event_id)
    if interval(every) is None:
        raise Undecidable(f"{every!r} is no time such as 12h, 3d, week, `2 weeks` or month")
    return order(state, namespace, "schedule", named, event_id, option=f"--every {every}")


def _topic(topic: str) -> str:
    line = topic_of([topic])
    if not any(character.isalnum() for character in line):
        raise Undecidable("the topic says nothing")
    if " --" in f" {line}":
        raise Undecidable("a topic has no option in it")
    return line


def again(reader: Reader, effect_id: str) -> RetriedSearch:
    """Lets a search be tried again of which nobody knows what became, or that failed for good.

    Raises:
        Undecidable: there is no such search, or it is not blocked.
    """
    rows = report(reader).blocked.filter(
        pl.col("effect_id").str.starts_with(effect_id)
        & pl.col("blocked_by").is_in(["unknown", "failed"])
    )
    if rows.height != 1:
        what = (
            "several searches begin with" if rows.height else "no search that is blocked has the id"
        )
        raise Undecidable(f"{what} {effect_id}; see `cairn research`")
    row = rows.row(0, named=True)
    last = row["effect_id"]
    if row["blocked_by"] == "failed":
        tries = [one for one in attempts_of(reader) if one.search.unit == row["unit"]]
        last = tries[0].search.effect_id
    now = datetime.now(UTC)
    return RetriedSearch(row["query"], try_again(reader.state, reader.namespace, EFFECT, last, now))
