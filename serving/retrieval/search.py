"""Search: both arms of the index, one score, the best of what says the same, and why it is here."""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from math import log
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl

from cairn.knowledge.consolidation.verdicts.standing import IN_FORCE, STANDING
from cairn.knowledge.nlp.dates.query_dates import asked_time
from cairn.knowledge.retrieval.points import episode_of
from cairn.knowledge.schema.tables import LEARNINGS
from cairn.knowledge.vectors.model import Calibration
from cairn.resources.embedders.calibrations import Calibrated
from cairn.resources.embedders.files import EmbedderError
from cairn.resources.home.usage import SEARCH, note_use
from cairn.resources.limits.day import check_limit
from cairn.resources.vector_index.protocol import Filters, Hit
from cairn.serving.read.reader import Reader
from cairn.serving.retrieval.event_hits import FACTS, asked_for, event_hits
from cairn.serving.retrieval.personalization import Personalization
from cairn.serving.retrieval.published_hits import published_hits, time_of
from cairn.serving.retrieval.ranking import (
    EPISODE,
    UNJUDGED,
    ScoredHit,
    about,
    days,
    diverse,
    per_arm,
    scored,
)
from cairn.serving.retrieval.reranking import RankedHits, ranked

KINDS = {
    "facts": ("fact",),
    "episodes": ("episode",),
    "learnings": ("learning",),
    "entities": ("entity",),
    "both": ("fact", "episode"),
    "all": ("fact", "episode", "learning"),
}
"""What `search_type` may be, and the kinds of points that it asks for."""

PAST_DEPTH = 10
"""Times as many candidates are taken for an earlier `as_of`, or for what was true at some moment:
the index knows facts as they are now, so what they were then is only seen when they are read."""

LONGEST_QUESTION = 500
"""Characters of a query up to which its words may say when; a longer one is a text to compare."""

FEW_DAYS = 31
"""Days up to which all that was said in them may be an answer."""

LONGEST_QUOTE = 200
"""Characters of an episode that stand for it among sources."""

ANYTHING = Filters()

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class SearchResult:
    """One result, with why it is here."""

    id: str
    kind: str
    text: str
    score: float
    similarity: float
    confidence: float
    recency: float
    timestamp: datetime | None
    dense_rank: int | None
    sparse_rank: int | None
    entity: str | None = None
    predicate: str | None = None
    status: str | None = None
    sources: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    rerank_score: float | None = None


@dataclass(frozen=True)
class SearchAnswer:
    """Results, best first, and the words of the query that were read as a time."""

    results: list[SearchResult]
    time_expression: str | None = None
    from_day: str | None = None
    to_day: str | None = None
    near: int = 0
    """Results that are near enough, those beyond the limit too."""
    redundant: int = 0
    """Of these, those that are left out, since another says the same."""
    reranked: bool | None = None
    """Whether a reranker put them in order; None where none is set, or nothing was found."""
    not_reranked: str | None = None
    """Why it did not, though it is set."""


def search_memory(
    reader: Reader,
    query: str,
    search_type: str = "both",
    limit: int | None = None,
    min_confidence: float | None = None,
    only: Filters = ANYTHING,
    *,
    seconds: float | None = None,
) -> list[SearchResult]:
    """The results of `answer`."""
    return answer(reader, query, search_type, limit, min_confidence, only, seconds=seconds).results


def answer(
    reader: Reader,
    query: str,
    search_type: str = "both",
    limit: int | None = None,
    min_confidence: float | None = None,
    only: Filters = ANYTHING,
    personalization: Personalization | None = None,
    *,
    events: bool = False,
    seconds: float | None = None,
) -> SearchAnswer:
    """What memory has about `query`, best first; `serving.retrieval.ranking` says what is best.

    Words that say when ("in May", "last spring") become days, unless days are given already, or
    nothing of those days is found: then they are words like others.

    Of results that say nearly the same, the most confident one stays. Where none is near enough to
    the query, by its vector and its words, there are none: nothing is better than noise. Only where
    a few days are asked for, anything of those days may be an answer.

    Args:
        reader: Whose memory, at which moment.
        query: What is asked.
        search_type: One of `KINDS`.
        limit: Most results; `policy.search_limit` if None.
        min_confidence: Least confidence; `policy.search_min_confidence` if None.
        only: What results must be besides: kinds and statuses are filled in where it has none.
        personalization: As of `nearest`.
        events: Also events, which are found by their words; a predicate of theirs asks for them.
        seconds: From now, until which a reranker must have scored them; its own time if None. Of 0
            none is asked.

    Raises:
        ValueError: the query is empty, or the search type unknown.
    """
    policy = reader.state.policy
    if not query.strip():
        raise ValueError("the query is empty")
    if search_type not in KINDS:
        raise ValueError(f"unknown search type {search_type!r}: one of {', '.join(KINDS)}")
    wanted = limit or policy.search_limit
    least = policy.search_min_confidence if min_confidence is None else min_confidence
    happened = asked_for(only, events=events)
    asking = _Search(reader, search_type, wanted, least, personalization, happened)
    until = None if seconds is None else time.monotonic() + seconds
    question = None if seconds == 0 else query
    if len(query) <= LONGEST_QUESTION and not (only.from_day or only.to_day):
        zone = ZoneInfo(reader.state.settings.timezone)
        asked = asked_time(query, reader.as_of.astimezone(zone))
        days = [day.isoformat() if day else None for day in (asked.first, asked.last)]
        if asked.said:
            then = replace(only, from_day=days[0], to_day=days[1])
            order = asking.ordered(asked.rest, then, question, until)
            if order.best:
                return _answer(reader, order, wanted, asked.said, *days)
    return _answer(reader, asking.ordered(query, only, question, until), wanted)


def _answer(reader: Reader, order: RankedHits, wanted: int, *time_read: str | None) -> SearchAnswer:
    """The first of what was found, with what the tables have of it."""
    return SearchAnswer(
        _results(reader, order.best[:wanted]),
        *time_read,
        near=len(order.near),
        redundant=len(order.near) - len(order.best),
        reranked=order.reranked,
        not_reranked=order.not_reranked,
    )


def served(reader: Reader, ask: Callable[[], SearchAnswer]) -> SearchAnswer:
    """An answer to somebody who asked: the same, counted.

    Raises:
        LimitReached: its namespace is answered no more today.
    """
    check_limit(reader.state, reader.namespace, "searches")
    its = ask()
    note_use(reader.state.home, reader.namespace, SEARCH, len(its.results), its.near, its.redundant)
    return its


def nearest(
    reader: Reader,
    text: str,
    search_type: str,
    wanted: int,
    least: float,
    only: Filters = ANYTHING,
    personalization: Personalization | None = None,
) -> list[SearchResult]:
    """What memory has about a text that need be no question: words that say when are words.

    Arguments as of `answer`; with a `personalization`, for what is told unasked, what it leaves
    out is not there, and of what is equally relevant more interest comes first.
    """
    asking = _Search(reader, search_type, wanted, least, personalization)
    return _results(reader, asking.ordered(text, only).best[:wanted])


@dataclass(frozen=True)
class _Search:
    """What a search asks for, whatever its words and days."""

    reader: Reader
    search_type: str
    wanted: int
    least: float
    personalization: Personalization | None
    events: bool = False

    def ordered(
        self, text: str, only: Filters, question: str | None = None, until: float | None = None
    ) -> RankedHits:
        """What is near to a text, by a reranker where there is a question, and each thing once."""
        found = ranked(
            self.reader, question, lambda most: self._near(text, only, most), self.wanted, until
        )
        near = self.personalization.sorted(found.near) if self.personalization else found.near
        best = diverse(near, _scale(self.reader), self.reader.state.policy)
        return replace(found, near=near, best=best)

    def _near(self, text: str, only: Filters, wanted: int) -> list[ScoredHit]:
        """What is near to a text, best first, and may be told."""
        reader, policy = self.reader, self.reader.state.policy
        hits = _hits(reader, text, self.search_type, wanted, self.least, only)
        best = _scored(reader, text, hits)
        if self.events and FACTS in KINDS[self.search_type]:
            happened = event_hits(reader, text, only, per_arm(wanted, policy))
            best = sorted([*best, *_scored(reader, text, happened)], key=lambda one: one.order)
        statuses, least = {None, *(only.statuses or IN_FORCE)}, round(self.least, 9)
        fit = [
            one
            for one in best
            if round(one.told.confidence, 9) >= least and one.told.status in statuses
        ]
        near = fit if _few_days(only) else about(fit, policy)
        cares = self.personalization
        return [one for one in near if cares.leaves(one)] if cares else near


def _scored(reader: Reader, text: str, hits: Sequence[Hit]) -> list[ScoredHit]:
    """Hits of one arm or index, with what the published tables have of them, best first."""
    told = published_hits(reader, hits)
    there = [hit for hit in hits if hit.id in told[hit.kind]]
    texts = [told[hit.kind][hit.id] for hit in there]
    return _whole(scored(text, there, texts, reader.as_of, _scale(reader), reader.state.policy))


def _whole(best: Sequence[ScoredHit]) -> list[ScoredHit]:
    """Hits in their order, of each episode the best passage, by the id of the episode."""
    found: dict[tuple[str, str], ScoredHit] = {}
    for one in best:
        id_ = episode_of(one.hit.id)[0] if one.hit.kind == EPISODE else one.hit.id
        found.setdefault((one.hit.kind, id_), replace(one, hit=one.hit._replace(id=id_)))
    return [*found.values()]


def _few_days(only: Filters) -> bool:
    """Whether what was said in the days that are asked for is an answer in itself.

    "What did we talk about on Monday?" has no word of what it was.
    """
    if only.from_day is None or only.to_day is None:
        return False
    first, last = map(date.fromisoformat, (only.from_day, only.to_day))
    return (last - first).days < FEW_DAYS


def _hits(
    reader: Reader, query: str, search_type: str, wanted: int, least: float, only: Filters
) -> list[Hit]:
    """What the index finds of what may be shown at the reader's moment."""
    generation = reader.manifest.generation
    if generation is None:
        return []
    policy = reader.state.policy
    past = reader.true_at is not None or reader.past
    model, vector = _embedded(reader, query)
    # Episodes are all as sure, so they need not be found to be left out.
    kinds = [kind for kind in KINDS[search_type] if kind != "episode" or least <= UNJUDGED]
    fades = least > 0 and not past

    def strong(rate: float) -> float:
        return log(least) + rate * days(reader.as_of)

    filters = replace(
        only,
        kinds=kinds if only.kinds is None else [kind for kind in kinds if kind in only.kinds],
        statuses=None if past else only.statuses or STANDING,
        holds_after=None if past or only.statuses else reader.moment,
        min_strength=strong(policy.decay_per_day) if fades else None,
        min_lasting_strength=strong(policy.lasting_decay_per_day) if fades else None,
    )
    hits = reader.state.index.search(
        reader.namespace,
        generation,
        text=query,
        vector=vector,
        model=model,
        filters=filters,
        limit=per_arm(wanted, policy) * (PAST_DEPTH if past else 1),
        vectors=True,
    )
    # What is no fact has one event; of facts, what came later is left out with their texts.
    # Later than the latest event are decisions alone, and those are no news.
    return [hit for hit in hits if not (past and hit.kind != "fact" and _later(hit, reader.as_of))]


def _embedded(reader: Reader, query: str) -> tuple[str | None, list[float] | None]:
    """The model and the vector of a query; without them it is found by its words alone."""
    try:
        embedder = reader.embedder
        vector = embedder.embed_query(query)
    except EmbedderError as error:
        logger.warning("found by words alone: %s", error)
        return None, None
    return (embedder.model, vector.tolist()) if np.any(vector) else (None, None)


def _scale(reader: Reader) -> Calibration:
    try:
        return reader.embedder
    except EmbedderError:
        return Calibrated()


def _later(hit: Hit, moment: datetime) -> bool:
    at = time_of(hit)
    return at is not None and at > moment


def _results(reader: Reader, chosen: Sequence[ScoredHit]) -> list[SearchResult]:
    facts = [one.hit.id for one in chosen if one.hit.kind == "fact"]
    sources: dict[str, list[dict[str, Any]]] = dict(reader.sources(facts)) if facts else {}
    sources |= _sources_of_others(reader, chosen)
    return [
        SearchResult(
            id=one.hit.id,
            kind=one.hit.kind,
            text=one.told.text,
            score=round(one.score, 4),
            similarity=round(one.similarity, 4),
            confidence=round(one.told.confidence, 4),
            recency=round(one.recency, 4),
            timestamp=one.told.last_event_at,
            dense_rank=one.hit.dense_rank,
            sparse_rank=one.hit.sparse_rank,
            entity=one.told.entity,
            predicate=one.hit.payload.get("predicate"),
            status=one.told.status,
            sources=sources.get(one.hit.id, []),
            rerank_score=None if one.rerank_score is None else round(one.rerank_score, 4),
        )
        for one in chosen
    ]


def _sources_of_others(
    reader: Reader, chosen: Sequence[ScoredHit]
) -> dict[str, list[dict[str, Any]]]:
    """An episode's request, a learning's quotes."""
    quotes = [
        (one.hit.id, one.hit.id, one.told.text[:LONGEST_QUOTE])
        for one in chosen
        if one.hit.kind == "episode"
    ]
    lessons = [one.hit.id for one in chosen if one.hit.kind == "learning"]
    if lessons:
        rows = reader.rows(LEARNINGS, "learning_id", pl.Series(lessons), ["learning_id", "quotes"])
        quotes += [
            (id_, quote["record_id"], quote["text"])
            for id_, said in rows.iter_rows()
            for quote in said
        ]
    if not quotes:
        return {}
    rows = reader.places([record for _, record, _ in quotes])
    places = {record: (file, line) for record, file, line in rows.iter_rows()}
    found: dict[str, list[dict[str, Any]]] = {}
    for id_, record, quote in quotes:
        if record in places:
            file, line = places[record]
            found.setdefault(id_, []).append(
                {"file": file, "line": line, "record_id": record, "quote": quote}
            )
    return found
