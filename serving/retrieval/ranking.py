"""What a result of a search is worth, and which results say the same."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, lru_cache
from math import exp

import numpy as np

from cairn.knowledge.nlp.text import STOP_WORDS, spaced, words
from cairn.knowledge.nlp.vocabulary import stem
from cairn.knowledge.schema.calendar import EPOCH
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.vectors.model import Calibration, Vectors
from cairn.knowledge.vectors.similarity import raw_floor, similar_pairs
from cairn.resources.vector_index.protocol import Hit

EPISODE = "episode"
UNJUDGED = 0.6
"""Confidence of an episode: it happened, but nobody has judged what was said in it."""

PER_RESULT = 3
"""Candidates of each arm for a result that is asked for: the best twenty of both arms together are
not among the best twenty of each."""

WORD = re.compile(r"[^\W_]+")

OF_LATE = re.compile(
    r"(?i)\b(?:late(?:st|ly)|last|recent(?:ly)?|newest|current(?:ly)?|now|these days|today)\b"
)
"""What asks for the newest: then alone recency counts of what was said."""


@dataclass(frozen=True)
class PublishedHit:
    """What the published tables have of a hit, at a reader's moment."""

    text: str
    entity: str | None = None
    confidence: float = UNJUDGED
    status: str | None = None
    last_event_at: datetime | None = None
    context: str = ""
    """What it is found by beside its text."""
    speaker: str | None = None
    """Who said it, where that is known."""


@dataclass(frozen=True)
class ScoredHit:
    """A hit with what it is worth."""

    hit: Hit
    told: PublishedHit
    score: float
    similarity: float
    recency: float
    dense: float
    """Calibrated similarity of the vectors; 0 where there is none."""
    covered: float
    """Share of the query's words that it has, or what stands before it; by their stems."""
    rerank_score: float | None = None
    """What a reranker gave it, 0 to 1; None where it did not read it."""

    def with_reranker(self, given: float | None, share: float) -> "ScoredHit":
        """The same, with a share of its score from the reranker in place of similarity."""
        score = self.score + share * ((given or 0.0) - self.similarity)
        return replace(self, score=score, rerank_score=given)

    @cached_property
    def stems(self) -> set[str]:
        """Stems of the words that it has."""
        return _own_stems(self.told)

    @property
    def order(self) -> tuple[float, float, str]:
        """Best first, of equals the latest, ties by id."""
        return -round(self.score, 6), -self.recency, self.hit.id


def per_arm(wanted: int, policy: Policy) -> int:
    """Candidates that are taken from each arm for so many results."""
    return max(policy.search_per_arm, PER_RESULT * wanted)


def scored(
    query: str,
    hits: Sequence[Hit],
    told: Sequence[PublishedHit],
    as_of: datetime,
    scale: Calibration,
    policy: Policy,
) -> list[ScoredHit]:
    """Hits by their worth, best first: 0.6 similarity + 0.3 confidence + 0.1 recency.

    Recency is exp(-0.01 · days since the last evidence). Similarity is a weighted sum of both arms.
    BM25 has no scale of its own: the best of a query gets the largest share of the query's words
    that any hit has, so that one odd word in common is not much, and the others by their BM25. What
    has no vector, or a query without a word that the encoder knows, is judged by its words.
    """
    cosines = np.array([-1.0 if hit.dense_score is None else hit.dense_score for hit in hits])
    nearness = scale.calibrated(cosines).tolist()
    wanted = stems(query, but=STOP_WORDS)
    shares = [
        len(wanted & _own_stems(its)) / (len(wanted) or 1) if hit.covered is None else hit.covered
        for hit, its in zip(hits, told, strict=True)
    ]
    best = {
        talk: _best(
            (hit.sparse_score, share)
            for hit, share in zip(hits, shares, strict=True)
            if (hit.kind == EPISODE) == talk
        )
        for talk in (True, False)
    }
    of_late = OF_LATE.search(query) is not None
    found: list[ScoredHit] = []
    for hit, its, near, covered in zip(hits, told, nearness, shares, strict=True):
        top, reach = best[hit.kind == EPISODE]
        sparse = (hit.sparse_score or 0.0) / top * reach
        dense = 0.0 if hit.dense_score is None else near
        similarity = (
            sparse
            if hit.dense_score is None
            else policy.weight_dense * dense + (1 - policy.weight_dense) * sparse
        )
        fade = recency(its.last_event_at, as_of, policy)
        counts = hit.kind != EPISODE or of_late
        score = (
            policy.weight_similarity * similarity
            + policy.weight_confidence * its.confidence
            + policy.weight_recency * fade * counts
        )
        found.append(ScoredHit(hit, its, score, similarity, fade, dense, covered))
    return sorted(found, key=lambda one: one.order)


def _own_stems(its: PublishedHit) -> set[str]:
    return stems(f"{its.entity or ''} {its.context} {its.text}")


def _best(found: Iterable[tuple[float | None, float]]) -> tuple[float, float]:
    """The best BM25 of some hits, and the largest share of the query that one of them has.

    What was said is found by what stands beside it, too: by its BM25 nothing else is measured.
    """
    by_words = [(score, share) for score, share in found if score]
    return (
        max((score for score, _ in by_words), default=1.0),
        max((share for _, share in by_words), default=0.0),
    )


def recency(last_event_at: datetime | None, as_of: datetime, policy: Policy) -> float:
    """exp(-0.01 · days since the last evidence), 0 for what has no time."""
    if last_event_at is None:
        return 0.0
    return exp(-policy.decay_per_day * max(days(as_of) - days(last_event_at), 0.0))


def days(moment: datetime) -> float:
    """Days since 1970, with fractions."""
    return (moment - EPOCH).total_seconds() / 86_400


def about(found: Sequence[ScoredHit], policy: Policy) -> list[ScoredHit]:
    """Those that are about the query, in their order: none if not one of them surely is.

    What is about something by its vector and its words together speaks for others beside it, which
    need half as much: the answer to a question often has few of its words.
    """
    near = [one.dense + one.covered for one in found]
    if max(near, default=0.0) < policy.min_search_relevance:
        return []
    return [
        one
        for one, each in zip(found, near, strict=True)
        if each >= policy.min_search_relevance / 2
    ]


def diverse(best_first: Sequence[ScoredHit], scale: Calibration, policy: Policy) -> list[ScoredHit]:
    """Of results alike beyond `policy.search_diversity`, the most confident; others stay.

    Alike by their vectors, and in half of the words of the shorter one: to an encoder of English
    all texts of another script are alike. What stands word for word in a better one goes; what has
    a better one in it says more.
    """
    said = [f" {' '.join(words(one.told.text))} " for one in best_first]
    gone = {
        row
        for row, one in enumerate(best_first)
        if one.hit.kind != "entity" and any(said[row] in better for better in said[:row])
    }
    rows = [row for row, one in enumerate(best_first) if one.hit.vector is not None]
    vectors: Vectors = np.array([best_first[row].hit.vector for row in rows], dtype=np.float32)
    if len(rows) > 1:
        alike = policy.search_diversity
        pairs = similar_pairs(vectors, None, alike, scale, floor=_floor(scale, alike))
        for near, far in zip(pairs.left.tolist(), pairs.right.tolist(), strict=True):
            left, right = rows[near], rows[far]
            if left in gone or right in gone:
                continue
            one, two = best_first[left].stems, best_first[right].stems
            if 2 * len(one & two) >= min(len(one), len(two)):
                surer = best_first[right].told.confidence > best_first[left].told.confidence
                gone.add(left if surer else right)
    return [one for row, one in enumerate(best_first) if row not in gone]


@lru_cache(maxsize=8)
def _floor(scale: Calibration, threshold: float) -> float:
    """To find it takes longer than to compare the few results of a search."""
    return raw_floor(scale, threshold)


def stems(text: str, but: Collection[str] = ()) -> set[str]:
    """Stems of the words of a text."""
    return {stem(word) for word in WORD.findall(spaced(text.casefold())) if word not in but}
