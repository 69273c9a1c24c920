"""Where something was said, refused or run, and the lesson that all these places bear out."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
import polars as pl

from cairn.knowledge.consolidation.verdicts.decision_effects import still_held
from cairn.knowledge.dialogue.shortcuts.shortcuts import shortcut
from cairn.knowledge.dialogue.trust import PERSON
from cairn.knowledge.engine.stage import Frames
from cairn.knowledge.extraction.rules.entities import project_name
from cairn.knowledge.learnings.draft import Draft, Quote
from cairn.knowledge.learnings.drafting import tags_of
from cairn.knowledge.learnings.quotes import LONGEST, MOST, shorten
from cairn.knowledge.learnings.scoring import DraftGrounds, factors
from cairn.knowledge.schema.calendar import UNDATED

RECURRENCE = "learning.recurrence@7"
FEWEST_ASKED = 2
"""Conversations in which a person says or refuses the same."""

ASKED, REFUSED = ("directs", "asks"), ("refuses", "refused_call")
TOLD = (*ASKED, *REFUSED)
"""Predicates of what a person wants and refuses."""

LONGEST_REQUEST = 300
"""Characters of a request that is shown; a longer one is pasted in for the most part."""

READ_OF: Mapping[str, tuple[str, ...]] = {
    "facts": ("namespace", "fact_id", "predicate", "object", "event", "trust"),
    "valid_times": ("namespace", "fact_id", "valid_to"),
    "fact_sources": ("namespace", "fact_id", "candidate_id", "conversation_id"),
    "candidates": ("namespace", "candidate_id", "record_id", "predicate", "quote", "quote_field",
                   "quote_start", "origin", "occurred_at"),
    "command_runs": ("namespace", "conversation_id", "record_id", "place", "seq", "occurred_at",
                     "project", "folder", "command", "task", "passed"),
    "episodes": ("namespace", "episode_id", "conversation_id", "seq", "project", "request",
                 "started_at", "ended_at", "quarantined"),
}  # fmt: skip
"""Columns that recurrence is read from, by table."""


class Occurrence(NamedTuple):
    """One conversation that bears a lesson out."""

    at: datetime
    conversation: str
    project: str
    records: tuple[str, ...]
    quotes: tuple[Quote, ...]


class Request(NamedTuple):
    """What a person asked, where a record stands."""

    episode: str
    text: str
    project: str
    begin: datetime
    end: datetime


def requests_of(episodes: pl.DataFrame) -> dict[str, list[Request]]:
    """What was asked in each conversation, in order; not where something was left out of it."""
    found: defaultdict[str, list[Request]] = defaultdict(list)
    columns = ["conversation_id", "episode_id", "request", "project", "started_at", "ended_at"]
    rows = episodes.filter(pl.col("quarantined").is_null()).sort("conversation_id", "seq")
    for conversation, episode, text, project, begin, end in rows.select(columns).iter_rows():
        name = project_name(project) if project else ""
        found[conversation].append(Request(episode, text, name, begin or UNDATED, end or UNDATED))
    return found


def asked_at(requests: Sequence[Request], at: datetime) -> Request | None:
    """The request in whose work something was done; else the first that says something."""
    within = [one for one in requests if one.begin <= at <= one.end and one.text.strip()]
    return next(iter(within or [one for one in requests if one.text.strip()]), None)


def told(reads: Frames, predicates: Sequence[str]) -> list[dict[str, Any]]:
    """What a person wants or refuses that still stands, by source.

    Nothing that a person took back, that ended, or that only one session was meant for.
    """
    said = pl.col("predicate").is_in(ASKED)
    meant = (
        pl.when(said)
        .then((pl.col("trust") == PERSON) & ~pl.col("event"))
        .otherwise(pl.lit(value=True))
    )
    fact = ["namespace", "fact_id"]
    standing = (
        still_held(reads["facts"], reads["decisions"])
        .filter(pl.col("predicate").is_in(predicates), meant)
        .join(reads["valid_times"].filter(pl.col("valid_to").is_not_null()), on=fact, how="anti")
        .select(*fact, words="object")
    )
    sources = (
        reads["fact_sources"]
        .select(READ_OF["fact_sources"])
        .join(standing, on=fact)
        .join(reads["candidates"].select(READ_OF["candidates"]), on=["namespace", "candidate_id"])
        .sort("candidate_id", "fact_id")
        .unique(["candidate_id"], keep="first", maintain_order=True)
    )
    return [{**row, "at": row["occurred_at"] or UNDATED} for row in sources.iter_rows(named=True)]


def occurrences(
    rows: Iterable[Mapping[str, Any]], requests: Mapping[str, list[Request]]
) -> list[Occurrence]:
    """The conversations of some sources, in the order of time; of copies of a session, one.

    What was said or done in several of them at the same moment was said or done once.
    """
    by_conversation: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: (row["at"], row["record_id"], row["candidate_id"])):
        by_conversation[row["conversation_id"]].append(row)
    seen = sorted(
        _occurrence(conversation, own, requests.get(conversation, ()))
        for conversation, own in by_conversation.items()
    )
    once: dict[object, Occurrence] = {}
    for one in seen:
        once.setdefault(one.conversation if one.at == UNDATED else one.at, one)
    return list(once.values())


def _occurrence(
    conversation: str, rows: Sequence[Mapping[str, Any]], asked: Sequence[Request]
) -> Occurrence:
    """One conversation: what was said is quoted, else what was asked when it happened."""
    records = [row["record_id"] for row in rows]
    quotes = [
        Quote(row["record_id"], text, row["origin"], row["quote_start"])
        for row in rows
        if row["quote_field"] == "text" and (text := cut(row["quote"]))
    ]
    request = None if quotes else asked_at(asked, rows[0]["at"])
    if request and (text := cut(request.text)):
        quotes = [Quote(request.episode, text, "human", 0)]
        records.append(request.episode)
    project = next((one.project for one in asked if one.project), "")
    return Occurrence(
        rows[0]["at"], conversation, project, tuple(dict.fromkeys(records)), tuple(quotes[:1])
    )


def cut(text: str) -> str:
    """Text as a quote: its beginning, where it begins with no white space; else none."""
    return text[:LONGEST].rstrip() if text[:1].strip() else ""


def requests_around(one: Occurrence, requests: Mapping[str, list[Request]]) -> list[str]:
    """The short request in which something was said."""
    return [
        " ".join(asked.text.split())
        for asked in requests.get(one.conversation, ())
        if asked.episode in one.records and len(asked.text) <= LONGEST_REQUEST
    ]


def at_work_on(seen: Sequence[Occurrence]) -> str:
    """The project, if all of the first conversations are of it."""
    names = {one.project for one in seen[:FEWEST_ASKED]}
    name = next(iter(names))
    return f", at work on {name}" if len(names) == 1 and name else ""


def lesson(
    category: str, title: str, content: str, grounds: DraftGrounds, own: Iterable[str]
) -> Draft:
    """A lesson without its sources.

    The title has at most 100 characters; `own` are names that belong to the project.
    """
    gist = content.split(": ", 1)[-1].split("\n", 1)[0]
    return Draft(
        category=category,
        title=title,
        content=content,
        tags=tags_of(category, (), title),
        factors=factors(grounds, title, own),
        evidence=[],
        quotes=[],
        summary=shorten(f"{title.rstrip('.')}. {gist}"),
        signals=[],
        extractor=RECURRENCE,
        shortcut=None if category == "anti_pattern" else shortcut((), title, content),
    )


def each_conversation(
    base: Draft, seen: Sequence[Occurrence], fewest: int, trust: str, signal: str
) -> Iterator[tuple[str, Draft]]:
    """A draft for each conversation; the quotes are those of the first ones.

    The lesson was found when the last conversation came that it needed at least.
    """
    found = seen[fewest - 1].at
    quotes = [quote for one in seen for quote in one.quotes][:MOST]
    for one in seen if quotes else ():
        yield (
            one.conversation,
            msgspec.structs.replace(
                base,
                evidence=list(one.records),
                quotes=quotes,
                signals=[signal],
                trust=trust,
                occurred_at=None if found == UNDATED else max(one.at, found),
            ),
        )
