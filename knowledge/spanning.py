"""The minimum spanning tree that HDBSCAN cuts: exact, and grown where only some points are new.

In 256 dimensions space trees help no more, and Prim's algorithm reads every pair once per point.
Here Borůvka's algorithm joins whole components at once, from lists of near neighbours; only where
a list does not prove that nothing nearer lies outside it, a matrix product looks at all points.
Products find candidates; distances that decide are computed pair by pair in float64.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from knowledge.embedding import Vectors

Indices = NDArray[np.int64]
Reals = NDArray[np.float64]

EVERY = 8
"""Of so many points one is looked at first: how near its nearest are bounds what is listed."""

LISTED = 16
"""Near neighbours in other components that are listed where the first list tells too little."""

FEW = 256
"""Points up to which all pairs are listed."""

ROWS, COLUMNS = 512, 2048
"""Points of each side that are multiplied at once: few, so that products stay in the cache."""

_CELLS_AT_ONCE = 1 << 24
_PAIRS_AT_ONCE = 1024
_DECIMALS = 6
_MARGIN = 1e-5  # of float32 cosines
_BELOW = 1e-3  # so much farther than its bound a list goes on, that its last may be certain
_NEAREST = 1e-6  # distances stay above zero


class Tree(NamedTuple):
    """Edges of a spanning tree, each (points - 1,); `left` is the smaller row of each."""

    left: Indices
    right: Indices
    weight: Reals

    def take(self, which: Indices | NDArray[np.bool_]) -> "Tree":
        """Some of the edges."""
        return Tree(self.left[which], self.right[which], self.weight[which])


def _together(parts: Sequence[Tree]) -> Tree:
    """The edges of all parts, in their order."""
    return Tree(
        np.concatenate([part.left for part in (_NOTHING, *parts)]),
        np.concatenate([part.right for part in (_NOTHING, *parts)]),
        np.concatenate([part.weight for part in (_NOTHING, *parts)]),
    )


_NOTHING = Tree(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))


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
    least = _least_listed(points, neighbours)
    listed = _listed(points, least)
    core = np.zeros(len(points)) if neighbours == 1 else _core(listed, len(points), neighbours)
    listed = _by_weight(_reach(listed, core))
    bound = _length(least + _MARGIN)
    return _connected(points, core, bound, listed, np.arange(len(points)))


def grown_tree(points: Vectors, old: Tree, fresh: Indices) -> Tree | None:
    """`spanning_tree(points, 1)`, made of the tree of points that were there before.

    Edges of the old tree whose points are still there stay the least across their cut when points
    go; what they no longer connect is connected first. When points come, edges between others only
    leave: the new tree is one of the old tree's edges and of those at fresh points. Of these, one
    longer than the longest edge on a way between its points is in no minimum spanning tree, and
    such a way goes through a root: so only edges are looked at that are shorter than the longest on
    the way of either point to the root.

    Args:
        points: As in `spanning_tree`.
        old: Edges that were in the tree, both of whose points are still there.
        fresh: Rows that were not there before, sorted.

    Returns:
        None where so much came or went that starting anew is no dearer.
    """
    stay = np.setdiff1d(np.arange(len(points)), fresh)
    if len(fresh) > len(points) // 8 or len(stay) < FEW:
        return None
    place = np.full(len(points), -1)
    place[stay] = np.arange(len(stay))
    forest = Tree(place[old.left], place[old.right], old.weight)
    component = _joined(np.arange(len(stay)), forest.left, forest.right)
    if len(stay) - np.bincount(component).max() > len(stay) // 4:
        return None
    tree = forest
    if component.any():  # what went has parted it
        unlisted = np.zeros(len(stay))
        more = _connected(points[stay], unlisted, unlisted, _NOTHING, component)
        tree = _together([forest, more])
    tree = Tree(stay[tree.left], stay[tree.right], tree.weight)
    if not len(fresh):
        return _by_weight(tree)
    low, high = _at_fresh(points, _longest_to_root(tree, len(points)), stay, fresh)
    more = Tree(low, high, distances(points, low, high))
    return _least(_together([tree, more]))


def _least_listed(points: Vectors, neighbours: int) -> NDArray[np.float32]:
    """For each point a cosine that more than `neighbours` others reach, and not many.

    It is just below that of its next nearest after `neighbours` among every 8th point; -1 where all
    are listed.
    """
    if len(points) <= FEW or len(points) < 2 * EVERY * (neighbours + 2):
        return np.full(len(points), -1, dtype=np.float32)
    sample = np.ascontiguousarray(points[::EVERY].T)
    least = np.empty(len(points), dtype=np.float32)
    block = max(EVERY, _CELLS_AT_ONCE // len(points) // EVERY * EVERY)
    for start in range(0, len(points), block):
        cosine = points[start : start + block] @ sample
        own = np.arange(0, len(cosine), EVERY)
        cosine[own, (own + start) // EVERY] = -1
        for _ in range(neighbours):
            cosine[np.arange(len(cosine)), cosine.argmax(axis=1)] = -1
        least[start : start + block] = cosine.max(axis=1)
    return np.maximum(least - np.float32(_BELOW), np.float32(-1))


def _listed(points: Vectors, least: NDArray[np.float32]) -> Tree:
    """Each pair of points whose cosine is at least what one of them lists, and its distance."""
    turned = np.ascontiguousarray(points.T)
    lows: list[Indices] = []
    highs: list[Indices] = []
    room = np.empty(ROWS * COLUMNS, dtype=np.float32)
    enough = np.empty(ROWS * COLUMNS, dtype=np.float32)
    for row in range(0, len(points), ROWS):
        one = points[row : row + ROWS]
        for column in range(row, len(points), COLUMNS):
            two = turned[:, column : column + COLUMNS]
            shape = (len(one), two.shape[1])
            cells = shape[0] * shape[1]
            products = np.matmul(one, two, out=room[:cells].reshape(shape))
            floor = np.minimum(
                least[row : row + ROWS, None],
                least[column : column + COLUMNS],
                out=enough[:cells].reshape(shape),
            )
            low, high = np.divmod(np.flatnonzero(products >= floor), shape[1])
            low, high = low + row, high + column
            once = low < high
            lows.append(low[once])
            highs.append(high[once])
    low, high = np.concatenate(lows), np.concatenate(highs)
    return Tree(low, high, distances(points, low, high))


def _core(listed: Tree, points: int, neighbours: int) -> Reals:
    """Distance of each point to its `neighbours`-th nearest."""
    row = np.concatenate([listed.left, listed.right])
    distance = np.concatenate([listed.weight, listed.weight])
    order = np.lexsort((distance, row))
    start = np.searchsorted(row[order], np.arange(points))
    return distance[order][start + neighbours - 1]


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


def _connected(
    points: Vectors, core: Reals, bound: Reals, listed: Tree, component: Indices
) -> Tree:
    """The edges that join components, by Borůvka's algorithm: each takes the least that leaves it.

    Args:
        points: Unit vectors.
        core: Core distance of each, or zero.
        bound: Per point: nothing that is not listed is nearer.
        listed: Edges by weight.
        component: Of each point, numbered from 0.

    Returns:
        Edges by weight.
    """
    edges: list[Tree] = []
    bound = np.maximum(bound, core)
    while (sizes := np.bincount(component)).size > 1:
        # The largest component needs no edge of its own: the others find theirs to it.
        largest = int(np.argmax(sizes))
        first = _first_out(listed, component, largest)
        best = np.append(listed.weight, np.inf)[first]
        # Who might have a better one that is not listed looks at all.
        unsure = np.flatnonzero((bound <= best[component]) & (component != largest))
        if len(unsure):
            more, bound[unsure] = _farther(points, core, component, unsure)
            listed = _by_weight(_together([listed, more]))
            first = _first_out(listed, component, largest)
        # Two components may choose the same edge.
        chosen = np.unique(first[first < len(listed.left)])
        edges.append(listed.take(chosen))
        component = _joined(component, edges[-1].left, edges[-1].right)
        leaves = component[listed.left] != component[listed.right]
        listed = listed.take(leaves)
    return _by_weight(_together(edges))


def distances(points: Vectors, left: Indices, right: Indices) -> Reals:
    """Euclidean distances of pairs of unit vectors, in float64, from cosines rounded to 1e-6."""
    cosine = np.empty(len(left))
    for start in range(0, len(left), _PAIRS_AT_ONCE):
        pairs = slice(start, start + _PAIRS_AT_ONCE)
        cosine[pairs] = (points[left[pairs]].astype(np.float64) * points[right[pairs]]).sum(axis=1)
    return np.maximum(_length(np.round(cosine, _DECIMALS)), _NEAREST)


def _length(cosine: NDArray[np.floating]) -> Reals:
    return np.sqrt(np.maximum(2.0 - 2.0 * cosine.astype(np.float64), 0.0))


def _first_out(listed: Tree, component: Indices, largest: int) -> Indices:
    """For each component but the largest the first edge that leaves it; how many edges: none."""
    left, right = component[listed.left], component[listed.right]
    leaves = np.flatnonzero(left != right)
    first = np.full(int(component.max()) + 1, len(listed.left))
    np.minimum.at(first, left[leaves], leaves)
    np.minimum.at(first, right[leaves], leaves)
    first[largest] = len(listed.left)
    return first


def _farther(
    points: Vectors, core: Reals, component: Indices, unsure: Indices
) -> tuple[Tree, Reals]:
    """Longer lists, of what lies in other components alone, and the new bounds of those points."""
    bound = np.full(len(unsure), np.inf)
    parts: list[Tree] = []
    block = max(1, _CELLS_AT_ONCE // len(points))
    for start in range(0, len(unsure), block):
        rows = unsure[start : start + block]
        cosine = points[rows] @ points.T
        cosine[component[rows][:, None] == component] = -np.inf
        listed = min(LISTED, len(points))
        least = np.partition(cosine, -listed, axis=1)[:, -listed]
        row, column = np.nonzero(cosine >= np.maximum(least - _BELOW, -2)[:, None])
        bound[start : start + block] = np.maximum(_length(least + _MARGIN), core[rows])
        low, high = np.minimum(rows[row], column), np.maximum(rows[row], column)
        parts.append(_reach(Tree(low, high, distances(points, low, high)), core))
    more = _together(parts)
    _, once = np.unique(more.left * len(points) + more.right, return_index=True)
    return more.take(once), bound


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


def _at_fresh(
    points: Vectors, longest: Reals, stay: Indices, fresh: Indices
) -> tuple[Indices, Indices]:
    """Pairs of a fresh point and any other that may be in the tree: smaller row, larger row."""
    floor = (1.0 - longest[stay] ** 2 / 2).astype(np.float32)
    reached = np.empty(len(fresh), dtype=np.float32)
    lows: list[Indices] = []
    highs: list[Indices] = []
    block = max(1, _CELLS_AT_ONCE // len(stay) // 4)
    turned = points.T
    for start in range(0, len(fresh), block):
        rows = fresh[start : start + block]
        products = (points[rows] @ turned)[:, stay]
        reached[start : start + block] = np.minimum(products, floor).max(axis=1)
        own = reached[start : start + block, None]
        row, column = np.nonzero(products >= np.minimum(own, floor) - 2 * _MARGIN)
        lows.append(rows[row])
        highs.append(stay[column])
    for start in range(0, len(fresh), block):
        rows = fresh[start : start + block]
        products = points[rows] @ points[fresh].T
        own = reached[start : start + block, None]
        row, column = np.nonzero(products >= np.minimum(own, reached) - 2 * _MARGIN)
        once = row + start < column
        lows.append(rows[row[once]])
        highs.append(fresh[column[once]])
    one, two = np.concatenate(lows), np.concatenate(highs)
    return np.minimum(one, two), np.maximum(one, two)


def _least(edges: Tree) -> Tree:
    """The minimum spanning tree of a graph, edges by weight; ties as in `spanning_tree`."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    ranked = _by_weight(edges)
    count = int(ranked.right.max()) + 1
    rank = np.arange(1, len(ranked.left) + 1)
    chosen = minimum_spanning_tree(
        coo_array((rank, (ranked.left, ranked.right)), shape=(count, count)).tocsr()
    )
    kept = np.sort(chosen.data.astype(np.int64)) - 1
    return ranked.take(kept)
