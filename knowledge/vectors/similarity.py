"""Similarity of texts: candidates by matrix products, decisions by exact calibrated pairs.

A matrix product in float32 may differ in its last bits from one block size or machine to the next,
so it only finds candidates, with a margin. What decides and is stored is computed again, pair by
pair, in float64, and rounded; it depends on nothing but the two vectors.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cairn.knowledge.vectors.bounds import LEADING, bounding
from cairn.knowledge.vectors.model import Calibration, Vectors

Indices = NDArray[np.int64]
Similarities = NDArray[np.float64]

DECIMALS = 6
"""Places that a deciding similarity keeps."""

BLOCK = 512
"""Rows of each side that are multiplied at once: few, so that the products stay in the cache."""

FEW = 1024
"""Rows up to which finding a bound takes longer than comparing all."""

_PAIRS_AT_ONCE = 8192


class Curve:
    """A strictly increasing, piecewise linear map from raw cosine to calibrated similarity.

    Args:
        cosines: Knots, strictly increasing from -1 to 1.
        similarities: Their values, strictly increasing from 0 to 1.

    Raises:
        ValueError: the knots do not make such a map.
    """

    def __init__(self, cosines: ArrayLike, similarities: ArrayLike) -> None:
        self.cosines: Similarities = np.asarray(cosines, dtype=np.float64)
        self.similarities: Similarities = np.asarray(similarities, dtype=np.float64)
        if self.cosines.shape != self.similarities.shape or self.cosines.ndim != 1:
            raise ValueError("a calibration needs as many similarities as cosines")
        for name, knots, low in (
            ("cosines", self.cosines, -1.0),
            ("similarities", self.similarities, 0.0),
        ):
            if knots.size < 2 or (knots[0], knots[-1]) != (low, 1.0):
                raise ValueError(f"{name} of a calibration must go from {low:g} to 1")
            if np.any(np.diff(knots) <= 0):
                raise ValueError(f"{name} of a calibration must strictly increase")

    def __call__(self, cosine: NDArray[np.float64]) -> Similarities:
        """Calibrated similarities, 0 to 1, in the shape of `cosine`."""
        return np.interp(cosine, self.cosines, self.similarities)


class Pairs(NamedTuple):
    """Rows that are alike: indices into the left and the right vectors, and how alike."""

    left: Indices
    right: Indices
    similarity: Similarities


def pair_similarity(
    a: Vectors, b: Vectors, left: Indices, right: Indices, embedder: Calibration
) -> Similarities:
    """The similarity that decides: of `a[left]` and `b[right]`, pair by pair.

    Args:
        a: Unit vectors, shape (n, dimension).
        b: Unit vectors, shape (m, dimension); may be `a` itself.
        left: Rows of `a`, shape (pairs,).
        right: Rows of `b`, shape (pairs,).
        embedder: Gives the calibration.

    Returns:
        Calibrated similarities, shape (pairs,), float64, rounded to 6 places; the same for two
        vectors whatever their order, their place and the pairs beside them.
    """
    cosines = np.empty(len(left), dtype=np.float64)
    for start in range(0, len(left), _PAIRS_AT_ONCE):
        block = slice(start, start + _PAIRS_AT_ONCE)
        # A product and a row sum, not a matrix product: each row is summed by itself.
        products = a[left[block]].astype(np.float64) * b[right[block]]
        cosines[block] = products.sum(axis=1)
    return np.round(embedder.calibrated(np.round(cosines, DECIMALS)), DECIMALS)


def raw_floor(embedder: Calibration, threshold: float) -> float:
    """The least raw cosine whose calibrated similarity reaches `threshold`; above 1 if none does.

    By bisection, so that it holds for any monotone calibration.
    """

    def reaches(cosine: float) -> bool:
        return float(embedder.calibrated(np.array([cosine]))[0]) >= threshold

    if not reaches(1.0):
        return float(np.nextafter(1.0, 2.0))
    low, high = -1.0, 1.0
    if reaches(low):
        return low
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high


def candidate_pairs(
    a: Vectors, b: Vectors | None, floor_cosine: float, *, block: int = BLOCK, margin: float = 1e-4
) -> tuple[Indices, Indices]:
    """Pairs whose cosine may reach `floor_cosine`: a superset, to be decided by `pair_similarity`.

    Where there are many, an upper bound tells which need be looked at; none is lost by it. Memory
    is bounded by `block` squared floats beside the pairs themselves.

    Args:
        a: Unit vectors, shape (n, dimension).
        b: Unit vectors, shape (m, dimension); None pairs the rows of `a` among themselves, each
            pair once, left before right.
        floor_cosine: Least raw cosine; see `raw_floor`.
        block: Rows of each side that are multiplied at once.
        margin: How far below the floor a candidate may lie (`Policy.candidate_margin`).

    Returns:
        Indices into `a` and into `b` (or `a`), sorted by the first, then the second.
    """
    among = b is None
    other = a if b is None else b
    floor = floor_cosine - margin
    many = a.shape[1] > LEADING and min(len(a), len(other)) >= FEW
    rows, columns = bounding(a, other) if many else (a, other)
    room = np.empty((block, block), dtype=np.float32)
    lefts: list[Indices] = [np.empty(0, dtype=np.int64)]
    rights: list[Indices] = [np.empty(0, dtype=np.int64)]
    for row in range(0, len(a), block):
        for column in range(row if among else 0, len(other), block):
            one, two = rows[row : row + block], columns[column : column + block]
            products = np.matmul(one, two.T, out=room[: len(one), : len(two)])
            left, right = np.divmod(np.flatnonzero(products >= floor), products.shape[1])
            left, right = left + row, right + column
            if among:
                once = left < right
                left, right = left[once], right[once]
            if many:
                near = _products(a, other, left, right) >= floor
                left, right = left[near], right[near]
            lefts.append(left)
            rights.append(right)
    left, right = np.concatenate(lefts), np.concatenate(rights)
    order = np.lexsort((right, left))
    return left[order], right[order]


def _products(a: Vectors, b: Vectors, left: Indices, right: Indices) -> NDArray[np.float32]:
    """Products of `a[left]` and `b[right]`, pair by pair."""
    found = [np.empty(0, dtype=np.float32)]
    for start in range(0, len(left), _PAIRS_AT_ONCE):
        block = slice(start, start + _PAIRS_AT_ONCE)
        found.append(np.einsum("ij,ij->i", a[left[block]], b[right[block]]))
    return np.concatenate(found)


def similar_pairs(
    a: Vectors,
    b: Vectors | None,
    threshold: float,
    embedder: Calibration,
    *,
    block: int = BLOCK,
    margin: float = 1e-4,
    floor: float | None = None,
) -> Pairs:
    """All pairs whose calibrated similarity is at least `threshold`, with that similarity.

    Arguments as in `candidate_pairs`; sorted by left, then right. `floor` is the `raw_floor` of the
    threshold, for whoever knows it already.
    """
    floor = raw_floor(embedder, threshold) if floor is None else floor
    left, right = candidate_pairs(a, b, floor, block=block, margin=margin)
    similarity = pair_similarity(a, a if b is None else b, left, right, embedder)
    enough = similarity >= threshold
    return Pairs(left[enough], right[enough], similarity[enough])
