"""Upper bounds of cosines that cost a quarter of them: what cannot be alike is not compared.

`bounding` gives one bound, for a floor that is the same for all; `bounding_parts` and `reaching`
one that grows closer part by part, for a floor of each pair.
"""

import numpy as np
from numpy.typing import NDArray

from cairn.knowledge.vectors.model import Vectors

LEADING = 64
"""Dimensions that a bound keeps of each vector."""

FEWEST = 64
"""Dimensions that a part has at least."""

SHARE = 0.03
"""While more of the pairs may reach their floors, the next part of all is multiplied."""

_SAMPLE = 2048
_ROUNDING = 1e-6
"""More than float32 loses of a squared length, so that what is left is never taken for less."""


def bounding(a: Vectors, b: Vectors) -> tuple[Vectors, Vectors]:
    """Short vectors whose products are not below the products of the long ones.

    Of each vector stay its coordinates in the leading directions, and the length of what is left of
    it: `x·y = Px·Py + (x-Px)·(y-Py) <= Px·Py + |x-Px| |y-Py|` (Cauchy and Schwarz). Any orthonormal
    directions give a bound; those of the greatest second moments of `a` leave the least.

    Args:
        a: Shape (n, dimension), of at most unit length.
        b: Shape (m, dimension), of at most unit length; may be `a` itself.

    Returns:
        Shapes (n, LEADING + 1) and (m, LEADING + 1), float32. Their products are bounds but for the
        rounding of one product of float32 (1e-5).
    """
    leading = _directions(a)[1][:, -LEADING:].astype(np.float32)
    short = _shortened(a, leading)
    return short, short if b is a else _shortened(b, leading)


def _shortened(vectors: Vectors, leading: NDArray[np.float32]) -> Vectors:
    head = vectors @ leading
    whole = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)
    left = whole - np.einsum("ij,ij->i", head, head, dtype=np.float64)
    rest = np.sqrt(np.maximum(left, 0.0) + _ROUNDING).astype(np.float32)
    return np.ascontiguousarray(np.c_[head, rest])


def _directions(vectors: Vectors) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Second moments of vectors from the least, and their directions, each a column."""
    sample = vectors[:: max(len(vectors) // _SAMPLE, 1)].astype(np.float64)
    return np.linalg.eigh(sample.T @ sample)


def parted_axes(vectors: Vectors) -> list[Vectors]:
    """All directions from the greatest second moments on, in parts for `bounding_parts`.

    Each part holds three quarters of the squared lengths that are left by those before it.

    Returns:
        Shapes (dimension, directions of the part + 2): the last two columns are zero.
    """
    moments, directions = _directions(vectors)
    directions = directions[:, ::-1].astype(np.float32)
    left = moments.clip(0).cumsum()[::-1]
    parts: list[Vectors] = []
    start = 0
    while start < len(left):
        end = start + max(int(np.count_nonzero(left[start:] > left[start] / 4)), FEWEST)
        end = end if len(left) - end >= FEWEST else len(left)
        parts.append(np.pad(directions[:, start:end], [(0, 0), (0, 2)]))
        start = end
    return parts


def bounding_parts(vectors: Vectors, axes: list[Vectors]) -> list[Vectors]:
    """Parts whose products with `taken_back` ones, summed, bound cosines, each sum more closely.

    Beside its coordinates each part has the length of what is left of a vector after them, and that
    of what was left before them, which `taken_back` takes from the sum (see `bounding`).
    """
    parts = [vectors @ part for part in axes]
    after = np.zeros(len(vectors), dtype=np.float32)
    for part in parts[::-1]:
        before = np.sqrt(after**2 + np.vecdot(part, part))
        part[:, -2], part[:, -1] = after, before
        after = before
    parts[0][:, -1] = 0
    return parts


def taken_back(parts: list[Vectors]) -> list[Vectors]:
    """`bounding_parts` of the other side of products."""
    parts = [part.copy() for part in parts]
    for part in parts:
        part[:, -1] *= -1
    return parts


def reaching(
    floor: NDArray[np.float32], left: list[Vectors], right: list[Vectors]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Row and column of all pairs whose cosine reaches its floor.

    Args:
        floor: Shape (rows, columns) or (1, columns), lower already by what float32 may lose (1e-5).
        left: `taken_back` parts of the rows.
        right: `bounding_parts` of the columns.
    """
    bound = left[0] @ right[0].T
    looked = 1
    while np.count_nonzero(near := bound >= floor) > near.size * SHARE and looked < len(left):
        bound += left[looked] @ right[looked].T
        looked += 1
    found = np.flatnonzero(near)
    row, column = np.divmod(found, floor.shape[1])
    cosine, least = bound.ravel()[found], np.broadcast_to(floor, bound.shape)[row, column]
    for one, other in zip(left[looked:], right[looked:], strict=True):
        cosine += np.vecdot(one.take(row, axis=0), other.take(column, axis=0))
        still = cosine >= least
        row, column, cosine, least = row[still], column[still], cosine[still], least[still]
    return row, column
