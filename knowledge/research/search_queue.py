"""What is to be searched for: for learn prompts, for schedules, and of what a person cares about.

Nothing here acts, and nothing depends on the clock: a row says from when on it is due.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import polars as pl

from cairn.knowledge.engine.stage import stage_of
from cairn.knowledge.extraction.searches import (
    Attempt,
    History,
    SearchCommand,
    commands,
    histories,
    interval,
)
from cairn.knowledge.nlp.names import canonical
from cairn.knowledge.research.learn_prompts import OWN
from cairn.knowledge.schema.calendar import UNDATED
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import ENRICHMENT_QUEUE

ENRICHMENT_EXTRACTOR = stage_of(
    "enrichment_queue", 2, "What is to be searched for, and in what order.", "research_types",
    "min_research_interest", "research_top", "research_wait_days", "research_empty_days",
)  # fmt: skip

FEW, MANY = 5, 15
"""Facts from which searches aim at gaps, and from which they only ask for news."""

BROAD = ("{name}", "what is {name}", "{name} overview")


class Gap(NamedTuple):
    """A side of things: what is searched for where no fact tells of it."""

    side: str
    query: str
    told: re.Pattern[str]
    """Finds facts that tell of it."""


GAPS = tuple(
    Gap(side, query, re.compile(rf"(?i)\b(?:{told})"))
    for side, query, told in (
        ("what it is", "what is {name}", r"(?:is|are) (?:an?|the)\b"),
        ("how it works", "how does {name} work", r"works?\b|mechanism|process"),
        ("what it is for", "{name} use cases", r"used (?:for|to|as|in)\b|useful|purpose"),
        ("who makes it", "who makes {name}",
         r"(?:made|developed|created|founded|invented|maintained|written|published) by\b"),
        ("versions", "{name} latest release", r"version|releas"),
        ("problems", "{name} common problems",
         r"problem|limit|drawback|issue|cannot\b|fail|risk|bug"),
        ("alternatives", "{name} alternatives compared",
         r"alternative|instead of\b|compared|versus\b|unlike\b"),
        ("cost", "{name} cost and licence", r"costs?\b|pric|licen[cs]e|free\b|paid\b"),
        ("advice", "{name} best practices", r"best\b|should\b|recommend|avoid"),
    )
)  # fmt: skip

_TRIGGER_ORDER = {"learn_command": 0, "user_message": 1, "enrichment": 2}

Row = dict[str, Any]


def enrichment_queue(
    raw_logs: pl.DataFrame,
    learn_prompts: pl.DataFrame,
    interests: pl.DataFrame,
    memory: pl.DataFrame,
    memory_entities: pl.DataFrame,
    policy: Policy,
) -> pl.DataFrame:
    """ENRICHMENT_QUEUE: what is to be searched for, in the order in which it is done.

    `interests` has namespace, entity_id, score, liked, sought, muted, last_engaged_at.
    """
    history = histories(raw_logs)
    asked = commands(raw_logs)
    places = {*learn_prompts["namespace"], *(one.namespace for one in asked)}
    rows: list[Row] = []
    for namespace in sorted({*places, *interests["namespace"]}):
        here = pl.col("namespace") == namespace
        past = history.get(namespace, History())
        schedules = [one for one in asked if one.namespace == namespace and one.verb != "learn"]
        own = [
            *_learning(learn_prompts.filter(here), past),
            *_scheduled(namespace, schedules, past),
            *_enriching(
                interests.filter(here), memory.filter(here), memory_entities.filter(here), past,
                policy,
            ),
        ]  # fmt: skip
        rows += _ranked(own)
    return ENRICHMENT_QUEUE.frame(rows)


def _ranked(rows: Sequence[Row]) -> Iterator[Row]:
    """Rows of one namespace in the order in which they are done: what is held comes last."""

    def key(row: Row) -> tuple[object, ...]:
        first = _TRIGGER_ORDER[row["trigger"]]
        return row["blocked_by"] is not None, first, -row.get("priority", 0.0), row["order"]

    for rank, row in enumerate(sorted(rows, key=key), 1):
        yield {**row, "rank": rank}


def _row(
    namespace: str, unit: str, due_at: datetime | None, held: str | None, past: History,
    **rest: object,
) -> Row:  # fmt: skip
    """One search, if nothing else holds it as its next try."""
    effect, due, stopped = past.next_try(namespace, unit, due_at or UNDATED)
    if past.switched_on is None:
        held = held or "switched_off"
    return {
        "effect_id": effect,
        "namespace": namespace,
        "unit": unit,
        "due_at": due,
        "blocked_by": stopped if stopped == "unknown" else held or stopped,
        **rest,
    }


def _learning(prompts: pl.DataFrame, past: History) -> Iterator[Row]:
    """Queries of learn prompts that are still to be asked, in their order."""
    active = prompts.filter(status="active").sort("created_at", "learn_prompt_id")
    for place, prompt in enumerate(active.iter_rows(named=True)):
        made = {
            one.search.query.casefold()
            for one in past.made()
            if one.record_id in prompt["search_ids"]
        }
        queries: list[str] = prompt["queries"]
        # One given to Cairn waits for a provider; of logs that were read, only what came since.
        early = prompt["source"] != OWN and _before(prompt["created_at"], past)
        for number, query in enumerate(queries):
            if query.casefold() not in made:
                yield _row(
                    prompt["namespace"],
                    digest("learn", prompt["learn_prompt_id"], query.casefold()),
                    prompt["created_at"],
                    "before_switch" if early else None,
                    past,
                    trigger="learn_command",
                    mode="learn",
                    topic=prompt["prompt_text"],
                    query=query,
                    learn_prompt_id=prompt["learn_prompt_id"],
                    reason=f"asked to learn it; search {number + 1} of {len(queries)}",
                    order=(f"{place:06}", f"{number}"),
                )


def _before(at: datetime | None, past: History) -> bool:
    """Whether something was before searches could be made."""
    return past.switched_on is not None and (at is None or at < past.switched_on)


def _scheduled(namespace: str, given: Sequence[SearchCommand], past: History) -> Iterator[Row]:
    """The next run of each schedule: the last word on a topic counts."""
    latest = {canonical(one.topic, "topic"): one for one in given}
    for key, one in sorted(latest.items()):
        if one.verb != "schedule":
            continue
        every = interval(one.every)
        runs = [each.at for each in past.made() if each.search.schedule_id == one.id]
        due_at = one.at or UNDATED
        if every:
            due_at = _next_run(due_at, every, max(runs, default=None), past.switched_on)
        yield _row(
            namespace,
            digest("schedule", one.id, due_at.isoformat()),
            due_at,
            None if every else "no_interval",
            past,
            trigger="user_message",
            mode="schedule",
            topic=one.topic,
            query=one.topic,
            schedule_id=one.id,
            reason=f"asked for every {one.every}" if every else "--every is no time such as 3d",
            order=(due_at.isoformat(), key),
        )


def _next_run(
    start: datetime, every: timedelta, last: datetime | None, switched_on: datetime | None
) -> datetime:
    """The first time of `start + k every` after the last run, and since searches may be made.

    What was missed is not made up for.
    """
    runs = 0 if last is None or last < start else (last - start) // every + 1
    if switched_on is not None and switched_on > start:
        runs = max(runs, -((start - switched_on) // every))
    return start + runs * every


def _enriching(
    interests: pl.DataFrame,
    memory: pl.DataFrame,
    memory_entities: pl.DataFrame,
    past: History,
    policy: Policy,
) -> Iterator[Row]:
    """What a person cares about, with what to ask about it next."""
    stands = memory_entities.filter(pl.col("type").is_in(policy.research_types))
    known = interests.join(
        stands.select("entity_id", "display_name", "name", "active_facts", "last_seen"),
        on="entity_id",
    ).sort("entity_id")
    canonical_of = dict(memory_entities.select("entity_id", "canonical_id").iter_rows())
    searched = _searched(past, canonical_of)
    between = known.filter(pl.col("active_facts").is_between(FEW, MANY - 1))["entity_id"]
    told = dict(
        memory.filter((pl.col("status") == "active") & pl.col("entity_id").is_in(between.implode()))
        .sort("fact_id")
        .group_by("entity_id")
        .agg("content")
        .iter_rows()
    )
    most = set(_wanted(known, policy)["entity_id"])
    for row in known.iter_rows(named=True):
        entity, score, facts = row["entity_id"], row["score"], row["active_facts"]
        about = [*searched.get(entity, ()), *searched.get(row["name"], ())]
        before = sorted(about, key=lambda one: (one.at, one.record_id))
        due_at, since = _due(row["last_engaged_at"], before, policy)
        early = _before(row["last_engaged_at"], past)
        at_once = row["liked"] or entity in most
        if early and past.switched_on is not None:
            due_at = max(due_at, past.switched_on)
        mode, query, why = _asked(row, told.get(entity, ()), before)
        yield _row(
            row["namespace"],
            digest("enrichment", entity, since),
            due_at,
            _held(row, policy) or ("before_switch" if early and not at_once else None),
            past,
            trigger="enrichment",
            mode=mode,
            topic=row["display_name"],
            query=query,
            entity_id=entity,
            interest=score,
            facts=facts,
            priority=score / max(facts, 1),
            reason=f"interest {score:.2f}, {facts} {'fact' if facts == 1 else 'facts'}: {why}",
            order=(entity, ""),
        )


def _searched(past: History, canonical_of: Mapping[str, str]) -> dict[str, list[Attempt]]:
    """Answered searches by the entity that they are about, and by its name."""
    found: dict[str, list[Attempt]] = defaultdict(list)
    for one in past.made():
        if (entity := one.search.entity_id) is not None:
            found[canonical_of.get(entity, entity)].append(one)
        elif one.search.topic:
            found[canonical(one.search.topic, "topic")].append(one)
    return found


def _wanted(known: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """What a person cares about most, of what may be searched for and was not just named."""
    free = known.filter("sought", ~pl.col("muted"), pl.col("score") >= policy.min_research_interest)
    return free.sort("score", "entity_id", descending=[True, False]).head(policy.research_top)


def _held(row: Row, policy: Policy) -> str | None:
    if row["muted"]:
        return "muted"
    if row["score"] < 0:
        return "disliked"
    return "faint" if row["score"] < policy.min_research_interest else None


def _due(
    engaged: datetime | None, before: Sequence[Attempt], policy: Policy
) -> tuple[datetime, str]:
    """From when on an entity may be searched for, and the search since which it waits."""
    if not before:
        return engaged or UNDATED, ""
    last = before[-1]
    empty = last.outcome == "empty"
    days = policy.research_empty_days if empty else policy.research_wait_days
    return last.at + timedelta(days=days), last.record_id


def _asked(row: Row, told: Sequence[str], before: Sequence[Attempt]) -> tuple[str, str, str]:
    """The mode, the query and why: what was asked least, and of that the first."""
    name, facts = row["display_name"], row["active_facts"]
    asked = [one.search.query.casefold() for one in before]

    def rarest(queries: Sequence[str]) -> str:
        return min(queries, key=lambda query: asked.count(query.casefold()))

    if facts < FEW:
        return "broad", rarest([each.format(name=name) for each in BROAD]), "little is known"
    if facts < MANY:
        open_ = [gap for gap in GAPS if not any(gap.told.search(text) for text in told)] or GAPS
        by_query = {gap.query.format(name=name): gap.side for gap in open_}
        query = rarest(list(by_query))
        return "gaps", query, f"not known: {by_query[query]}"
    last: datetime | None = before[-1].at if before else row["last_seen"]
    since = f"{last:%Y-%m-%d}" if last else ""
    return "briefing", f"{name} news since {since}" if since else f"{name} news", "what is new"
