"""The minimum spanning tree that HDBSCAN cuts, exact and fast for thousands of unit vectors.

In 256 dimensions space trees help no more, and Prim's algorithm reads every pair once per point.
Here Borůvka's algorithm joins whole components at once, from lists of near neighbours; only where
a list does not prove that nothing nearer lies outside it, a matrix product looks at all points.
Products find candidates; distances that decide are computed pair by pair in float64.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from knowledge.embedding import Vectors

Indices = NDArray[np.int64]
Reals = NDArray[np.float64]

LISTED = 32
"""Near neighbours kept per point."""

_CELLS_AT_ONCE = 1 << 24
_PAIRS_AT_ONCE = 8192
_DECIMALS = 6
_MARGIN = 1e-5  # of float32 cosines
_NEAREST = 1e-6  # distances stay above zero


class Tree(NamedTuple):
    """Edges of a spanning tree, each (points - 1,)."""

    left: Indices
    right: Indices
    weight: Reals


class _Lists(NamedTuple):
    """Near neighbours of each point, nearest first, shape (points, listed)."""

    rows: Indices
    distance: Reals
    bound: Reals
    """Per point: nothing that is not listed is nearer."""


def spanning_tree(points: Vectors, neighbours: int) -> Tree:
    """Minimum spanning tree under mutual reachability.

    The weight of a pair is the greatest of its distance and both core distances; the core distance
    of a point is that to its `neighbours`-th nearest (Campello et al., 2013). Equal weights are
    taken in the order of the smaller, then the larger row, so the tree is unique.

    Args:
        points: Distinct unit vectors, shape (points, dimension).
        neighbours: At least 1; at most `LISTED`, and fewer than there are points, count.
    """
    lists = _near(points)
    core = lists.distance[:, min(neighbours, lists.distance.shape[1]) - 1]
    reach = np.maximum(np.maximum(lists.distance, core[:, None]), core[lists.rows])
    component = np.arange(len(points))
    edges: list[tuple[Indices, Indices, Reals]] = []
    while (sizes := np.bincount(component)).size > 1:
        active = np.flatnonzero(component != np.argmax(sizes))
        best, at = _best_listed(lists, reach, component, active)
        # The best edge of each component so far; who might still have a better one looks at all.
        least = np.full(len(sizes), np.inf)
        np.minimum.at(least, component[active], best)
        nearest_unlisted = np.maximum(lists.bound[active], core[active])
        unsure = (nearest_unlisted <= best) & (nearest_unlisted <= least[component[active]])
        best[unsure], at[unsure] = _best_of_all(points, core, component, active[unsure])
        low, high = np.minimum(active, at), np.maximum(active, at)
        order = np.lexsort((high, low, best, component[active]))
        _, first = np.unique(component[active][order], return_index=True)
        chosen = order[first]
        edges.append((low[chosen], high[chosen], best[chosen]))
        component = _joined(component, low[chosen], high[chosen])
    left, right, weight = (np.concatenate(parts) for parts in zip(*edges, strict=True))
    # Two components may choose the same edge.
    _, once = np.unique(left * len(points) + right, return_index=True)
    return Tree(left[once], right[once], weight[once])


def _near(points: Vectors) -> _Lists:
    """The nearest neighbours of each point."""
    rows = len(points)
    listed = min(LISTED, rows - 1)
    block = max(1, _CELLS_AT_ONCE // rows)
    near = np.empty((rows, listed), dtype=np.int64)
    bound = np.full(rows, np.inf)
    for start in range(0, rows, block):
        cosine = points[start : start + block] @ points.T
        own = np.arange(len(cosine))
        cosine[own, own + start] = -np.inf
        some = np.argpartition(-cosine, listed - 1, axis=1)[:, :listed]
        near[start : start + block] = some
        if listed < rows - 1:
            farthest = cosine[own[:, None], some].min(axis=1).astype(np.float64)
            bound[start : start + block] = _length(farthest + _MARGIN)
    distance = distances(points, np.repeat(np.arange(rows), listed), near.ravel())
    distance = distance.reshape(rows, listed)
    order = np.lexsort((near, distance), axis=1)
    return _Lists(np.take_along_axis(near, order, 1), np.take_along_axis(distance, order, 1), bound)


def distances(points: Vectors, left: Indices, right: Indices) -> Reals:
    """Euclidean distances of pairs of unit vectors, in float64, from cosines rounded to 1e-6."""
    cosine = np.empty(len(left))
    for start in range(0, len(left), _PAIRS_AT_ONCE):
        pairs = slice(start, start + _PAIRS_AT_ONCE)
        cosine[pairs] = (points[left[pairs]].astype(np.float64) * points[right[pairs]]).sum(axis=1)
    return np.maximum(_length(np.round(cosine, _DECIMALS)), _NEAREST)


def _length(cosine: Reals) -> Reals:
    return np.sqrt(np.maximum(2.0 - 2.0 * cosine, 0.0))


def _best_listed(
    lists: _Lists, reach: Reals, component: Indices, active: Indices
) -> tuple[Reals, Indices]:
    """For each active point the least weight to another component in its list, and where."""
    inside = component[lists.rows[active]] == component[active][:, None]
    weight = np.where(inside, np.inf, reach[active])
    best = weight.min(axis=1)
    tied = np.where(weight == best[:, None], lists.rows[active], len(component))
    return best, tied.min(axis=1)


def _best_of_all(
    points: Vectors, core: Reals, component: Indices, unsure: Indices
) -> tuple[Reals, Indices]:
    """For each unsure point the least weight to another component among all, and where."""
    best, at = np.empty(len(unsure)), np.empty(len(unsure), dtype=np.int64)
    block = max(1, _CELLS_AT_ONCE // len(points))
    squared = (core * core).astype(np.float32)
    for start in range(0, len(unsure), block):
        rows = unsure[start : start + block]
        weight = 2.0 - 2.0 * (points[rows] @ points.T)
        np.maximum(weight, squared, out=weight)
        np.maximum(weight, squared[rows][:, None], out=weight)
        weight[component[rows][:, None] == component] = np.inf
        row, column = np.nonzero(weight <= weight.min(axis=1, keepdims=True) + 8 * _MARGIN)
        exact = np.maximum(
            distances(points, rows[row], column), np.maximum(core[rows[row]], core[column])
        )
        order = np.lexsort((column, exact, row))
        _, first = np.unique(row[order], return_index=True)
        best[start : start + block] = exact[order[first]]
        at[start : start + block] = column[order[first]]
    return best, at


def _joined(component: Indices, left: Indices, right: Indices) -> Indices:
    """Components after the edges were added, numbered from 0."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count = int(component.max()) + 1
    links = coo_array(
        (np.ones(len(left), dtype=np.int8), (component[left], component[right])),
        shape=(count, count),
    )
    _, number = connected_components(links, directed=False)
    return number.astype(np.int64)[component]
