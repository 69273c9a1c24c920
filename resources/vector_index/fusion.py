"""Both arms of a search, the same for every engine: how each ranks, and the hits of the two."""

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from cairn.resources.vector_index.protocol import Hit

DENSE, SPARSE = "dense", "bm25"
EXACT_BELOW = 100_000
"""Fewer points than this are compared exactly: 9 ms at 60,000, and the same answer whatever the
build. From there on a graph is built (HNSW)."""
TIES = 32
"""Asked beyond the limit, so that points of one score at the cut are chosen by id."""
DIGITS = {DENSE: 6, SPARSE: 4}
"""Of scores: engines add up in float32, and what is beyond its precision is rounded away."""

PointId = int | uuid.UUID | str
Arm = dict[PointId, tuple[float, int]]
"""Point → its score and rank among the best."""


class ScoredPoint(Protocol):
    """A point that an arm found."""

    @property
    def id(self) -> PointId: ...  # noqa: D102
    @property
    def score(self) -> float: ...  # noqa: D102


class StoredPoint(Protocol):
    """A point as an engine holds it."""

    @property
    def payload(self) -> dict[str, Any] | None: ...  # noqa: D102
    @property
    def vector(self) -> object: ...  # noqa: D102


def indexing_threshold(dimension: int) -> int:
    """Kilobytes of vectors from which an engine builds a graph: those of `EXACT_BELOW` points."""
    return EXACT_BELOW * dimension // 256


def ranked(found: Sequence[ScoredPoint], arm: str, limit: int) -> Arm:
    """An arm's best, by score, ties by the id of the point."""
    scores = [-round(point.score, DIGITS[arm]) for point in found]
    cut = sorted(scores)[:limit][-1:] or [0.0]
    # An id takes longer to read than a score: only those are read that may be among the best.
    best = sorted(
        (score, point.id) for score, point in zip(scores, found, strict=True) if score <= cut[0]
    )
    return {point: (-score, rank) for rank, (score, point) in enumerate(best[:limit], 1)}


def _covered(wanted: Sequence[int], words: Any) -> float:
    """Share of the words of a query that are among those of a point."""
    there = set[int]() if words is None else set(words.indices)
    return sum(word in there for word in wanted) / (len(wanted) or 1)


def hits(
    arms: Mapping[str, Arm],
    asked: Sequence[float] | None,
    retrieve: Callable[[list[PointId], bool], Iterable[StoredPoint]],
    wanted: Sequence[int] | None,
) -> list[Hit]:
    """What both arms found, with the payloads of all, and the cosines of those with a vector.

    Args:
        arms: What each found; an arm that was not asked found nothing.
        asked: The vector of the query, if the generation has vectors.
        retrieve: Gives points in the order of their ids, with their vectors or without.
        wanted: The words of the query, where each hit is to have its vector and what it covers.
    """
    dense, sparse = arms.get(DENSE, {}), arms.get(SPARSE, {})
    points = [*dict.fromkeys([*sparse, *dense])]
    if not points:
        return []
    # Vectors take as long as all else, and the nearest have their cosines already.
    needed = wanted is not None or bool(asked is not None and sparse.keys() - dense.keys())
    query = None if asked is None or not needed else np.asarray(asked, dtype=np.float32)
    if query is not None:
        query /= np.linalg.norm(query) or 1.0
    found: list[Hit] = []
    for id_, point in zip(points, retrieve(points, needed), strict=True):
        payload = {name: value for name, value in (point.payload or {}).items() if name != "digest"}
        nearness, near = dense.get(id_, (None, None))
        weight, rank = sparse.get(id_, (None, None))
        stored = point.vector if needed else None  # each look at it makes it anew
        held = stored if isinstance(stored, dict) else {}
        near_by = held.get(DENSE)
        vector = None if near_by is None else np.asarray(near_by, dtype=np.float32)
        if nearness is None and query is not None and vector is not None:
            nearness = round(float(query @ vector), DIGITS[DENSE])
        found.append(
            Hit(
                payload["id"], payload["kind"], nearness, weight, near, rank, payload, vector,
                None if wanted is None else _covered(wanted, held.get(SPARSE)),
            )
        )  # fmt: skip
    none = len(found) + 1
    return sorted(
        found,
        key=lambda hit: (min(hit.dense_rank or none, hit.sparse_rank or none), hit.kind, hit.id),
    )
