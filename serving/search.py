"""A first search: both arms of the index, one score, one result of each kind of thing."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from math import log
from typing import Any

import numpy as np
import polars as pl

from knowledge.days import EPOCH
from knowledge.policy import Policy
from knowledge.similarity import similar_pairs
from knowledge.tables import EPISODES, LEARNINGS, MEMORY_ENTITIES
from knowledge.text import STOP_WORDS, words
from knowledge.vocabulary import stem
from resources.index import Filters
from serving.reader import Reader

KINDS = {
    "facts": ("fact",),
    "episodes": ("episode",),
    "learnings": ("learning",),
    "entities": ("entity",),
    "both": ("fact", "episode"),
    "all": ("fact", "episode", "learning"),
}
"""What `search_type` may be, and the kinds of points that it asks for."""

IN_FORCE = ("active", "pending_embed")
"""Statuses of facts that are found unless they are asked for by name."""

DENSE_SHARE = 0.4
"""Share of the vector in similarity; the rest is the words'. A static encoder is the weaker arm."""


LEAST_COVERED = 0.5
"""Share of the query's words that a result must have, if its vector does not speak for it."""

UNJUDGED = 0.6
"""Confidence of an episode: it happened, but nobody has judged what was said in it."""

PAST_DEPTH = 10
"""Times as many candidates are taken for an earlier `as_of`, or for what was true at some moment:
the index knows facts as they are now, so what they were then is only seen when they are read."""

WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Found:
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


def search_memory(
    reader: Reader,
    query: str,
    search_type: str = "both",
    limit: int | None = None,
    min_confidence: float | None = None,
) -> list[Found]:
    """What memory has about `query`, best first.

    Score = 0.6 similarity + 0.3 confidence + 0.1 recency, with recency = exp(-0.01 · days since
    the last evidence). Of results that say nearly the same, the most confident one stays; what
    stands word for word in a better result is not said again. A result that neither has half of
    the query's words nor reaches the semantic floor is left out: nothing is better than noise.

    Raises:
        ValueError: the query is empty, or the search type unknown.
    """
    policy = reader.state.policy
    if not query.strip():
        raise ValueError("the query is empty")
    if search_type not in KINDS:
        raise ValueError(f"unknown search type {search_type!r}: one of {', '.join(KINDS)}")
    generation = reader.manifest.generation
    if generation is None:
        return []
    wanted = limit or policy.search_limit
    least = policy.search_min_confidence if min_confidence is None else min_confidence
    today = (reader.as_of - EPOCH).total_seconds() / 86_400
    embedder = reader.state.embedder
    watermark = reader.manifest.watermark
    past = reader.true_at is not None or (watermark is not None and reader.as_of < watermark)
    vector = embedder.embed([query])[0]
    known = bool(np.any(vector))
    hits = reader.state.index.search(
        reader.namespace,
        generation,
        text=query,
        vector=vector.tolist() if known else None,
        model=embedder.model if known else None,
        filters=Filters(
            # Episodes are all as sure, so they need not be found to be left out.
            kinds=[kind for kind in KINDS[search_type] if kind != "episode" or least <= UNJUDGED],
            statuses=None if past else IN_FORCE,
            holds_after=None if past else reader.as_of,
            min_strength=log(least) + policy.decay_per_day * today
            if least > 0 and not past
            else None,
        ),
        limit=max(policy.search_per_arm, wanted) * (PAST_DEPTH if past else 1),
    )
    # What is no fact has one event; of facts, what came later is left out with their texts.
    # Later than the latest event are decisions alone, and those are no news.
    later = (pl.col("kind") != "fact") & (pl.col("last_event_at") > reader.as_of) & past
    hits = hits.filter(~later.fill_null(value=False))
    if hits.is_empty():
        return []
    told = hits.drop("status").join(_texts(reader, hits["id"].to_list()), on=["id", "kind"])
    told = told.with_columns(pl.coalesce("evidence_at", "last_event_at").alias("last_event_at"))
    scored = _scored(told, query, reader, today).filter(
        (pl.col("dense") >= policy.semantic_floor) | (pl.col("covered") >= LEAST_COVERED),
        pl.col("effective").round(9) >= round(least, 9),
        pl.col("status").is_null() | pl.col("status").is_in([*IN_FORCE, "deprecated"]),
    )
    chosen = _diverse(scored, reader, policy).head(wanted)
    return _results(chosen, reader)


def _scored(told: pl.DataFrame, query: str, reader: Reader, today: float) -> pl.DataFrame:
    policy = reader.state.policy
    cosine = told["dense_score"].fill_null(-1.0).to_numpy()
    dense = pl.Series(reader.state.embedder.calibrated(cosine.astype(np.float64)))
    best = told["sparse_score"].max()
    top = best if isinstance(best, float) and best > 0 else 1.0
    age = today - (pl.col("last_event_at").dt.epoch("us") / 86_400_000_000)
    fade = (-policy.decay_per_day * pl.max_horizontal(age, pl.lit(0.0))).exp().fill_null(0.0)
    return (
        told.with_columns(
            dense=pl.when(pl.col("dense_score").is_null()).then(0.0).otherwise(dense),
            covered=_covered(query, told),
            recency=fade,
        )
        .with_columns(
            # BM25 has no scale of its own: the best of each query is 1. So a hit counts by the
            # share of the query that it has, too, and one odd word in common is not much.
            sparse=pl.col("sparse_score").fill_null(0.0) / top * pl.col("covered"),
        )
        .with_columns(
            # What has only words (no vector yet, or no word the encoder knows) is judged by them.
            similarity=pl.when(pl.col("dense_score").is_null())
            .then("sparse")
            .otherwise(DENSE_SHARE * pl.col("dense") + (1 - DENSE_SHARE) * pl.col("sparse")),
            effective=pl.coalesce("effective", "confidence", pl.lit(UNJUDGED)),
        )
        .with_columns(
            score=policy.weight_similarity * pl.col("similarity")
            + policy.weight_confidence * pl.col("effective")
            + policy.weight_recency * pl.col("recency")
        )
        .sort("score", "id", descending=[True, False])
    )


def _covered(query: str, told: pl.DataFrame) -> pl.Series:
    """Share of the query's words that each text, or the entity before it, has; by their stems."""
    wanted = _stems(query, but=STOP_WORDS)
    return pl.Series(
        [
            len(wanted & _stems(f"{entity or ''} {text}")) / len(wanted) if wanted else 0.0
            for entity, text in told.select("entity", "text").iter_rows()
        ],
        dtype=pl.Float64,
    )


def _stems(text: str, but: Collection[str] = ()) -> set[str]:
    return {stem(word) for word in WORD.findall(text.casefold()) if word not in but}


def _texts(reader: Reader, ids: list[str]) -> pl.DataFrame:
    """Results by id and kind as the published tables have them at the reader's `as_of`.

    Returns:
        id, kind, text, entity; of facts also effective (confidence), status and evidence_at.
    """
    frames = [
        reader.memory().select(
            pl.col("fact_id").alias("id"), "effective", "status", "entity",
            kind=pl.lit("fact"), text="content", evidence_at="last_event_at",
        ),
        reader.table(EPISODES).select(
            pl.col("episode_id").alias("id"), kind=pl.lit("episode"), text="text", entity="project"
        ),
        reader.table(LEARNINGS).select(
            pl.col("learning_id").alias("id"),
            kind=pl.lit("learning"),
            text=pl.concat_str("title", "content", separator="\n"),
            entity=pl.lit(None, pl.String),
        ),
        reader.table(MEMORY_ENTITIES).select(
            pl.col("entity_id").alias("id"),
            kind=pl.lit("entity"),
            text="display_name",
            entity="display_name",
        ),
    ]  # fmt: skip
    return pl.concat(frames, how="diagonal").filter(pl.col("id").is_in(ids)).collect()


def _diverse(scored: pl.DataFrame, reader: Reader, policy: Policy) -> pl.DataFrame:
    """Of results alike beyond `policy.search_diversity`, the most confident; others stay.

    What stands word for word in a better one goes; what has a better one in it says more.
    """
    told = scored.sort("score", "id", descending=[True, False]).with_row_index("row")
    vectors = reader.state.embedder.embed(told["text"].to_list())
    pairs = similar_pairs(vectors, None, policy.search_diversity, reader.state.embedder)
    confidence = told["effective"].to_list()
    said = [f" {' '.join(words(text))} " for text in told["text"].to_list()]
    gone = {
        row
        for row, kind in told.select("row", "kind").iter_rows()
        if kind != "entity" and any(said[row] in better for better in said[:row])
    }
    for left, right in zip(pairs.left.tolist(), pairs.right.tolist(), strict=True):
        if left not in gone and right not in gone:
            gone.add(left if confidence[right] > confidence[left] else right)
    return told.filter(~pl.col("row").is_in(list(gone)))


def _results(chosen: pl.DataFrame, reader: Reader) -> list[Found]:
    facts = chosen.filter(kind="fact")["id"].to_list()
    sources: dict[str, list[dict[str, Any]]] = dict(reader.sources(facts)) if facts else {}
    sources |= _sources_of_others(chosen.filter(pl.col("kind") != "fact"), reader)
    return [
        Found(
            id=row["id"],
            kind=row["kind"],
            text=row["text"],
            score=round(row["score"], 4),
            similarity=round(row["similarity"], 4),
            confidence=round(row["effective"], 4),
            recency=round(row["recency"], 4),
            timestamp=row["last_event_at"],
            dense_rank=row["dense_rank"],
            sparse_rank=row["sparse_rank"],
            entity=row["entity"],
            predicate=row["predicate"],
            status=row["status"],
            sources=sources.get(row["id"], []),
        )
        for row in chosen.iter_rows(named=True)
    ]


def _sources_of_others(chosen: pl.DataFrame, reader: Reader) -> dict[str, list[dict[str, Any]]]:
    """An episode's request, a learning's quotes."""
    quotes: list[tuple[str, str, str]] = [
        (row["id"], row["id"], row["text"][:200])
        for row in chosen.filter(kind="episode").iter_rows(named=True)
    ]
    lessons = chosen.filter(kind="learning")["id"].to_list()
    if lessons:
        rows = reader.learnings().filter(pl.col("learning_id").is_in(lessons)).collect()
        quotes += [
            (row["learning_id"], quote["record_id"], quote["text"])
            for row in rows.iter_rows(named=True)
            for quote in row["quotes"]
        ]
    places = {
        row["record_id"]: row
        for row in reader.places([record for _, record, _ in quotes]).iter_rows(named=True)
    }
    found: dict[str, list[dict[str, Any]]] = {}
    for id_, record, quote in quotes:
        if place := places.get(record):
            found.setdefault(id_, []).append(
                {
                    "file": place["source_file"],
                    "line": place["source_line"],
                    "record_id": record,
                    "quote": quote,
                }
            )
    return found
