"""The minimum spanning tree that HDBSCAN cuts: exact, and grown where only some points are new.

In 256 dimensions space trees help no more, and Prim's algorithm reads every pair once per point.
Here any spanning tree that is not much too long comes first, from every 8th point. A pair that is
farther apart than the longest edge on the way between them is in no minimum spanning tree; a bound
of a few coordinates shows that of nearly all pairs. Products find candidates; distances that decide
are computed pair by pair in float64.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cairn.knowledge.vectors.bounds import bounding_parts, parted_axes, reaching, taken_back
from cairn.knowledge.vectors.model import Vectors

Indices = NDArray[np.int64]
Reals = NDArray[np.float64]

EVERY = 8
"""Of so many points one is in the sample that the first tree is made of."""

TIES = 2
"""So many points of the sample every other one is tied to, in the first tree."""

FEW = 256
"""Points up to which all pairs are candidates."""

ROWS, COLUMNS = 128, 1024
"""Points of each side that are multiplied at once: few, so that products stay in the cache."""

_CELLS_AT_ONCE = 1 << 19
_PAIRS_AT_ONCE = 512
_DECIMALS = 6
_MARGIN = 1e-5  # of float32 cosines
_NEAREST = 1e-6  # distances stay above zero
_NEVER = np.float32(2)  # no cosine


class Tree(NamedTuple):
    """Edges of a spanning tree, each (points - 1,); `left` is the smaller row of each."""

    left: Indices
    right: Indices
    weight: Reals

    def take(self, which: Indices | NDArray[np.bool_]) -> "Tree":
        """Some of the edges."""
        return Tree(self.left[which], self.right[which], self.weight[which])


def _together(one: Tree, two: Tree) -> Tree:
    return Tree(
        np.concatenate([one.left, two.left]),
        np.concatenate([one.right, two.right]),
        np.concatenate([one.weight, two.weight]),
    )


def spanning_tree(points: Vectors, neighbours: int) -> Tree:
    """Minimum spanning tree under mutual reachability.

    The weight of a pair is the greatest of its distance and both core distances; the core distance
    of a point is that to its `neighbours`-th nearest (Campello et al., 2013). With one neighbour it
    is the distance itself, for none is below the core distances of its points. Equal weights are
    taken in the order of the smaller, then the larger row, so the tree is unique.

    Args:
        points: Distinct unit vectors, shape (points, dimension), at least two, in no particular
            order: every 8th should be like the others.
        neighbours: At least 1; no more than there are other points count.
    """
    neighbours = min(neighbours, len(points) - 1)
    axes = [] if _are_few(points, neighbours) else parted_axes(points)  # which takes 20 ms
    return _spanning(points, axes, neighbours)


def grown_tree(points: Vectors, old: Tree) -> Tree | None:
    """`spanning_tree(points, 1)`, made of the tree of points that were there before.

    Edges of the old tree whose points are still there stay the least across their cut when points
    go. When points come, edges between others only leave. So the new tree is one of the edges of
    the greatest part that is left of the old tree, and of those at all other points: fresh ones,
    and those that hung on it by points that went. Of these, one longer than the longest edge on a
    way between its points is in no minimum spanning tree, and such a way goes through a root: so
    only edges are looked at that are shorter than the longest on the way of either point to the
    root.

    Args:
        points: As in `spanning_tree`.
        old: Edges that were in the tree, both of whose points are still there.

    Returns:
        None where so much came or went that starting anew is no dearer.
    """
    component = _components(old, len(points))
    whole = component == np.argmax(np.bincount(component))
    stay, loose = np.flatnonzero(whole), np.flatnonzero(~whole)
    if len(loose) > len(points) // 4 or len(stay) < FEW:
        return None
    tree = old.take(whole[old.left])
    if not len(loose):
        return _by_weight(tree)
    low, high = _at_loose(points, _longest_to_root(tree, len(points)), stay, loose)
    return _least(_together(tree, Tree(low, high, distances(points, low, high))), len(points))


def _are_few(points: Vectors, neighbours: int) -> bool:
    return len(points) <= max(FEW, EVERY * (max(neighbours, TIES) + 1))


def _spanning(points: Vectors, axes: list[Vectors], neighbours: int) -> Tree:
    if _are_few(points, neighbours):
        low, high = np.triu_indices(len(points), 1)
    else:
        low, high = _shortcuts(points, axes, _first(points, axes, neighbours))
    edges = Tree(low, high, distances(points, low, high))
    if neighbours > 1:
        edges = _reach(edges, _core(edges, len(points), neighbours))
    return _least(edges, len(points))


def _first(points: Vectors, axes: list[Vectors], neighbours: int) -> Tree:
    """A spanning tree, no edge of it below its weight: that of a sample, the others tied to it."""
    every = np.arange(len(points))
    sample, others = every[::EVERY], every[every % EVERY > 0]
    of_sample = _spanning(points[sample], axes, neighbours)
    near = _near(points, others, sample, axes, max(neighbours, TIES))
    row, near = np.repeat(others, near.shape[1]), near.ravel()
    ties = Tree(np.minimum(row, near), np.maximum(row, near), distances(points, row, near))
    if neighbours > 1:
        # None is below the true one: these are of some points alone, or of an edge that reaches.
        core = np.full(len(points), np.inf)
        np.minimum.at(core, sample[of_sample.left], of_sample.weight)
        np.minimum.at(core, sample[of_sample.right], of_sample.weight)
        by_row = np.sort(ties.weight.reshape(len(others), -1), axis=1)
        core[others] = by_row[:, neighbours - 1]
        ties = _reach(ties, core)
    return _least(
        _together(Tree(sample[of_sample.left], sample[of_sample.right], of_sample.weight), ties),
        len(points),
    )


def _near(
    points: Vectors, rows: Indices, sample: Indices, axes: list[Vectors], ties: int
) -> Indices:
    """Of a sample some that seem near, for each of the rows; shape (rows, ties)."""
    turned = np.ascontiguousarray((points[sample] @ axes[0]).T)
    near = np.empty((len(rows), ties), dtype=np.int64)
    block = max(ROWS, _CELLS_AT_ONCE // len(sample))
    for start in range(0, len(rows), block):
        cosine = (points[rows[start : start + block]] @ axes[0]) @ turned
        row = np.arange(len(cosine))
        for tie in range(ties):
            best = cosine.argmax(axis=1)
            near[start : start + block, tie] = sample[best]
            cosine[row, best] = -np.inf
    return near


def _shortcuts(points: Vectors, axes: list[Vectors], tree: Tree) -> tuple[Indices, Indices]:
    """Pairs not farther apart than the longest edge on the tree's way between them, and few others.

    Returns:
        Smaller row, larger row.
    """
    order, step = _walk(tree, len(points))
    enough, sides = _enough(step), bounding_parts(points[order], axes)
    ones: list[Indices] = []
    others: list[Indices] = []
    for start in range(0, len(order), ROWS):
        end = min(start + ROWS, len(order))
        later = np.tri(end - start, k=-1, dtype=np.bool_)
        inside = np.where(later, enough[start:end, None], _NEVER)
        for back in 2 ** np.arange(ROWS.bit_length()):  # ten times as fast as `accumulate`
            inside[back:] = np.minimum(inside[back:], inside[:-back])
        beyond = np.minimum.accumulate(enough[end:])
        own = taken_back([part[start:end] for part in sides])
        for first in (start, *range(end, len(order), COLUMNS)):
            last, floor = end, inside
            if first > start:
                last = min(first + COLUMNS, len(order))
                floor = beyond[None, first - end : last - end]
                if floor[0, 0] > inside[-1, 0]:
                    floor = np.minimum(inside[-1][:, None], floor)
            one, other = reaching(floor, own, [part[first:last] for part in sides])
            ones.append(order[one + start])
            others.append(order[other + first])
    one, other = np.concatenate(ones), np.concatenate(others)
    return np.minimum(one, other), np.maximum(one, other)


def _walk(tree: Tree, points: int) -> tuple[Indices, Reals]:
    """The points in an order in which the longest step between any two is that on their way.

    Edges by weight join walks, the shorter one behind the longer.

    Returns:
        The order; and the step to each from the one before, zero to the first.
    """
    above, last, size = list(range(points)), list(range(points)), [1] * points
    after = [0] * points
    step = np.zeros(points)
    first = 0
    for left, right, weight in zip(*(column.tolist() for column in tree), strict=True):
        first, behind = root(above, left), root(above, right)
        if size[first] < size[behind]:
            first, behind = behind, first
        after[last[first]] = behind
        step[behind] = weight
        last[first] = last[behind]
        size[first] += size[behind]
        above[behind] = first
    order = [first]
    while len(order) < points:
        order.append(after[order[-1]])
    return np.asarray(order), step[order]


def root(above: list[int], place: int) -> int:
    """The root of a place's set; ways to it are shortened as they are gone."""
    while (up := above[place]) != place:
        above[place] = place = above[up]
    return place


def _enough(distance: Reals) -> NDArray[np.float32]:
    """A cosine that float32 products of points reach that are not farther apart."""
    return (1.0 - distance**2 / 2 - _MARGIN).astype(np.float32)


def _core(listed: Tree, points: int, neighbours: int) -> Reals:
    """Distance of each point to its `neighbours`-th nearest."""
    row = np.concatenate([listed.left, listed.right])
    distance = np.concatenate([listed.weight, listed.weight])
    # No distance is above 2, and unequal ones differ by more than a sum with a row loses.
    by_row = row + distance / 4
    order = np.argsort(by_row)
    start = np.searchsorted(by_row[order], np.arange(points))
    return distance[order[start + neighbours - 1]]


def _reach(listed: Tree, core: Reals) -> Tree:
    weight = np.maximum(listed.weight, np.maximum(core[listed.left], core[listed.right]))
    return Tree(listed.left, listed.right, weight)


def _by_weight(edges: Tree) -> Tree:
    """Edges by weight, left, right. Few are as long as another, so only these are sorted by all."""
    order = np.argsort(edges.weight)
    weight = edges.weight[order]
    same = weight[1:] == weight[:-1]
    tied = np.flatnonzero(np.append(same, False) | np.insert(same, 0, False))
    among = order[tied]
    order[tied] = among[np.lexsort((edges.right[among], edges.left[among], edges.weight[among]))]
    return edges.take(order)


def distances(points: Vectors, left: Indices, right: Indices) -> Reals:
    """Euclidean distances of pairs of unit vectors, in float64, from cosines rounded to 1e-6."""
    cosine = np.empty(len(left))
    for start in range(0, len(left), _PAIRS_AT_ONCE):
        pairs = slice(start, start + _PAIRS_AT_ONCE)
        cosine[pairs] = np.vecdot(
            points.take(left[pairs], axis=0).astype(np.float64),
            points.take(right[pairs], axis=0).astype(np.float64),
        )
    return np.sqrt(np.maximum(2.0 - 2.0 * np.round(cosine, _DECIMALS), _NEAREST**2))


def _components(edges: Tree, points: int) -> Indices:
    """The component of each point, numbered from 0."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = coo_array((edges.weight, (edges.left, edges.right)), shape=(points, points))
    return connected_components(links, directed=False)[1].astype(np.int64)


def _longest_to_root(tree: Tree, points: int) -> Reals:
    """The longest edge on each point's way to the root; infinite where the tree does not reach.

    The root is the point with the most edges: the farther inside it lies, the shorter the ways.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order

    root = int(np.argmax(np.bincount(np.concatenate([tree.left, tree.right]))))
    links = coo_array((tree.weight, (tree.left, tree.right)), shape=(points, points)).tocsr()
    _, before = breadth_first_order(links, root, directed=False)
    next_one = np.where(before < 0, np.arange(points), before)
    longest = np.full(points, np.inf)
    child = np.where(next_one[tree.left] == tree.right, tree.left, tree.right)
    longest[child] = tree.weight
    longest[root] = 0.0
    # Each step doubles the part of the way that is known.
    while (next_one != next_one[next_one]).any():
        longest = np.maximum(longest, longest[next_one])
        next_one = next_one[next_one]
    return longest


def _at_loose(
    points: Vectors, longest: Reals, stay: Indices, loose: Indices
) -> tuple[Indices, Indices]:
    """Pairs of a loose point and any other that may be in the tree: smaller row, larger row."""
    axes = parted_axes(points)
    near = _near(points, loose, stay[::EVERY], axes, TIES)
    reached = distances(points, np.repeat(loose, TIES), near.ravel()).reshape(near.shape)
    longest[loose] = np.maximum(reached, longest[near]).min(axis=1)
    # Those that are far from all stand together.
    enough = _enough(longest)
    loose, order = loose[np.argsort(enough[loose])], np.argsort(enough)
    left = taken_back(bounding_parts(points[loose], axes))
    ones: list[Indices] = []
    others: list[Indices] = []
    for first in range(0, len(order), COLUMNS):
        columns = order[first : first + COLUMNS]
        right = bounding_parts(points[columns], axes)
        for start in range(0, len(loose), ROWS):
            rows = loose[start : start + ROWS]
            floor = np.minimum(enough[rows, None], enough[columns])
            one, other = reaching(floor, [part[start : start + ROWS] for part in left], right)
            ones.append(rows[one])
            others.append(columns[other])
    one, other = np.concatenate(ones), np.concatenate(others)
    once = (one < other) | ~np.isin(other, loose)
    one, other = one[once], other[once]
    return np.minimum(one, other), np.maximum(one, other)


def _least(edges: Tree, count: int) -> Tree:
    """The minimum spanning tree of a graph, edges by weight; ties as in `spanning_tree`."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    ranked = _by_weight(edges)
    rank = np.arange(1, len(ranked.left) + 1)
    chosen = minimum_spanning_tree(
        coo_array((rank, (ranked.left, ranked.right)), shape=(count, count)).tocsr()
    )
    kept = np.sort(chosen.data.astype(np.int64)) - 1
    return ranked.take(kept)
