"""Searches that were made, or at least begun, and commands that ask for them, from raw logs."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import NamedTuple

import polars as pl

from cairn.knowledge.ingest.inbox_events.effects import KIND
from cairn.knowledge.ingest.inbox_events.searches import EFFECT, SearchEvent, search_of
from cairn.knowledge.llm.prompt_injection import gives_orders
from cairn.knowledge.schema.calendar import UNDATED
from cairn.knowledge.schema.identity import digest

SEARCHES = (pl.col("kind") == "search") | (
    (pl.col("kind") == KIND) & (pl.col("tool_name") == EFFECT)
)
"""Rows of RAW_LOGS that tell of searches, whoever made them."""

_COMMAND = re.compile(
    r"/?(?P<verb>learn|schedule|unschedule) (?P<topic>.+?)(?: --every[ =]*(?P<every>.*))?",
    re.IGNORECASE | re.DOTALL,
)
"""Of a text in which every space is one blank: else it takes the cube of its length in steps."""
COMMANDS = (pl.col("kind") == "command") & (pl.col("origin") == "human")
"""Rows of RAW_LOGS among which are those that ask for searches, or for none any more."""

_EVERY = re.compile(
    r"(?P<number>\d{0,4})\s*(?P<unit>h|hours?|d|days?|w|weeks?|months?|hourly|daily|weekly|monthly)",
    re.IGNORECASE,
)
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24}

MOST_FAILURES = 5
FIRST_PAUSE = timedelta(hours=1)
"""Until a failed search is tried again; twice as long after each further failure."""


class SearchCommand(NamedTuple):
    """A command that asks for searches."""

    namespace: str
    id: str
    native_id: str | None
    source: str
    verb: str
    topic: str
    every: str | None
    at: datetime | None


class Attempt(NamedTuple):
    """A search, and what became of it."""

    record_id: str
    search: SearchEvent
    at: datetime
    outcome: str
    """done, empty, failed, or unknown: begun, and nobody knows whether it was made."""


@dataclass
class History:
    """All searches of a namespace."""

    attempts: list[Attempt] = field(default_factory=list[Attempt])
    """The earliest first."""
    retried: set[str] = field(default_factory=set[str])
    """Effects that a person let be tried again."""
    switched_on: datetime | None = None
    """Since when searches may be made; None if they may not."""

    def made(self) -> list[Attempt]:
        """Searches that were answered."""
        return [one for one in self.attempts if one.outcome in ("done", "empty")]

    @cached_property
    def by_unit(self) -> Mapping[str, Sequence[Attempt]]:
        """Tries of each thing that was due."""
        found: dict[str, list[Attempt]] = defaultdict(list)
        for one in self.attempts:
            found[one.search.unit].append(one)
        return found

    def next_try(
        self, namespace: str, unit: str, due_at: datetime
    ) -> tuple[str, datetime, str | None]:
        """The id of the next try, from when on it is due, and what holds it."""
        tried = self.by_unit.get(unit, ())
        failed = [one for one in tried if one.outcome == "failed"]
        again = {one.search.effect_id for one in tried} & self.retried
        effect = "s_" + digest(
            namespace, unit, len({one.search.effect_id for one in failed} | again)
        )
        for one in tried:
            if one.outcome == "unknown" and one.search.effect_id not in self.retried:
                return one.search.effect_id, due_at, "unknown"
        left = [one for one in failed if one.search.effect_id not in self.retried]
        if left:
            due_at = max(due_at, left[-1].at + FIRST_PAUSE * 2 ** (len(left) - 1))
        return effect, due_at, "failed" if len(left) >= MOST_FAILURES else None


def histories(raw_logs: pl.DataFrame) -> dict[str, History]:
    """The searches of each namespace, from rows of RAW_LOGS in any order."""
    columns = ["namespace", "record_id", "kind", "role", "text", "tool_input", "occurred_at"]
    rows = raw_logs.filter(SEARCHES).sort("occurred_at", "record_id", nulls_last=False)
    begun: dict[tuple[str, str], Attempt] = {}
    found: dict[str, History] = defaultdict(History)
    for namespace, record, kind, role, text, given, time in rows.select(columns).iter_rows():
        history, at = found[namespace], time or UNDATED
        search = search_of(given) or SearchEvent()
        key = (namespace, search.effect_id)
        if kind == "search":
            search.query = search.query or text
            begun.pop(key, None)
            outcome = "empty" if search.found == 0 else "done"
            history.attempts.append(Attempt(record, search, at, outcome))
        elif role == "switch":
            history.switched_on = min(at, history.switched_on or at)
        elif role == "retry":
            history.retried.add(search.effect_id)
        elif role == "receipt":
            begun.pop(key, None)
            history.attempts.append(Attempt(record, search, at, "failed"))
        elif role == "intent":
            begun[key] = Attempt(record, search, at, "unknown")
    for (namespace, effect), attempt in begun.items():
        ended = {one.search.effect_id for one in found[namespace].attempts}
        if effect not in ended:
            found[namespace].attempts.append(attempt)
    for history in found.values():
        history.attempts.sort(key=lambda one: (one.at, one.record_id))
    return dict(found)


def commands(raw_logs: pl.DataFrame) -> list[SearchCommand]:
    """What people asked to have searched, the earliest first; nothing that gives orders."""
    columns = ["namespace", "record_id", "native_id", "source", "text", "occurred_at"]
    rows = raw_logs.filter(COMMANDS).sort("occurred_at", "record_id", nulls_last=False)
    return [
        SearchCommand(
            namespace, record, native, source, match["verb"].casefold(),
            match["topic"], match["every"], at,
        )
        for namespace, record, native, source, text, at in rows.select(columns).iter_rows()
        if (match := _COMMAND.fullmatch(" ".join(text.split())))
        and not gives_orders(match["topic"], "human")
    ]  # fmt: skip


def interval(every: str | None) -> timedelta | None:
    """`3d`, `week`, `2 weeks`, `daily`, … as time; None if it is none, or under an hour.

    A month is 30 days.
    """
    match = _EVERY.fullmatch((every or "").strip())
    if match is None:
        return None
    number = int(match["number"] or 1)
    return timedelta(hours=number * _HOURS[match["unit"][0].casefold()]) if number else None


def of_prompt(attempts: Iterable[Attempt], prompt: SearchCommand) -> list[Attempt]:
    """Searches that were made for a learn prompt; logs may name it by its native id."""
    names = {prompt.id, prompt.native_id} - {None}
    return [one for one in attempts if one.search.learn_prompt_id in names]
