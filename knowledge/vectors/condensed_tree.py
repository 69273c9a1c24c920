"""The clusters of a spanning tree: HDBSCAN's hierarchy, condensed, and cut by excess of mass.

The same as the library `hdbscan` makes of the same tree (a test compares them), in one pass up and
one down, so that a million points take seconds, and without the seconds that its import takes.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cairn.knowledge.vectors.mst import Indices, Reals, Tree, root

NOISE = -1


class Cut(NamedTuple):
    """Labels from 0 (-1 for noise) and probabilities of points; persistence of clusters."""

    labels: Indices
    probabilities: Reals
    persistence: Reals


class _Condensed(NamedTuple):
    """Clusters of at least the least size, each after its parent; the first is everything."""

    parent: Indices
    size: Indices
    stability: Reals
    density: Reals
    """The greatest at which something leaves it: a point, or all by a split."""
    last: Indices
    """Of each point: the cluster that it leaves last."""
    left: Reals
    """Of each point: the density (1 / distance) at which it leaves it."""


def cut(tree: Tree, least: int, most: int) -> Cut:
    """Clusters of `least` to `most` points with the greatest excess of mass, never everything.

    Campello, Moulavi and Sander, "Density-based clustering based on hierarchical density
    estimates", 2013, section 5.

    Args:
        tree: Edges by weight, all above zero.
        least: Fewest points of a cluster.
        most: Most points of a cluster.
    """
    found = _condensed(tree, least)
    chosen = _chosen(found, most)
    # The cluster that each stands in: itself, or what its parent stands in.
    inside = np.full(len(chosen), NOISE)
    for cluster, parent in enumerate(found.parent.tolist()):
        if cluster:
            inside[cluster] = cluster if chosen[cluster] else inside[parent]
    own = inside[found.last]
    clusters = np.flatnonzero(chosen)
    number = np.full(len(chosen) + 1, NOISE)  # the last entry is for noise
    number[clusters] = np.arange(len(clusters))
    labels = number[own]
    sizes = np.bincount(labels[labels != NOISE], minlength=len(clusters))
    greatest = max(float(found.left.max()), float(found.density.max()))
    return Cut(
        labels,
        np.where(own == NOISE, 0.0, np.minimum(found.left / found.density[own], 1.0)),
        found.stability[clusters] / (sizes * greatest),
    )


def _merged(tree: Tree) -> tuple[list[int], list[int], list[int]]:
    """Each merge's two nodes and its size; points are nodes from 0, merges follow them."""
    points = len(tree.left) + 1
    # The node that each root of a set stands for, and how many points it has.
    above = list(range(points))
    node = list(range(points))
    size = [1] * points
    lefts: list[int] = []
    rights: list[int] = []
    sizes: list[int] = []
    for merge, (left, right) in enumerate(
        zip(tree.left.tolist(), tree.right.tolist(), strict=True), points
    ):
        one, two = root(above, left), root(above, right)
        lefts.append(node[one])
        rights.append(node[two])
        sizes.append(size[one] + size[two])
        large, small = (one, two) if size[one] >= size[two] else (two, one)
        above[small] = large
        node[large] = merge
        size[large] = sizes[-1]
    return lefts, rights, sizes


def _condensed(tree: Tree, least: int) -> _Condensed:
    points = len(tree.left) + 1
    lefts, rights, sizes = _merged(tree)
    size = [1] * points + sizes
    density = (1.0 / tree.weight).tolist()
    cluster = [0] * len(size)
    left = [0.0] * len(size)
    """Where a node is too small to be a cluster, the density at which it left one."""
    parent, born, whole, stability, greatest = [-1], [0.0], [points], [0.0], [0.0]
    for node in range(len(size) - 1, points - 1, -1):
        one, two, own = lefts[node - points], rights[node - points], cluster[node]
        cluster[one] = cluster[two] = own
        if left[node]:
            left[one] = left[two] = left[node]
            continue
        now = density[node - points]
        if size[one] >= least and size[two] >= least:
            gone = size[node]
            for child in (one, two):
                cluster[child] = len(parent)
                parent.append(own)
                born.append(now)
                whole.append(size[child])
                stability.append(0.0)
                greatest.append(0.0)
        else:
            gone = 0
            for child in (one, two):
                if size[child] < least:
                    left[child] = now
                    gone += size[child]
        stability[own] += gone * (now - born[own])
        greatest[own] = max(greatest[own], now)
    return _Condensed(
        np.asarray(parent), np.asarray(whole), np.asarray(stability), np.asarray(greatest),
        np.asarray(cluster[:points]), np.asarray(left[:points]),
    )  # fmt: skip


def _chosen(found: _Condensed, most: int) -> NDArray[np.bool_]:
    """Clusters that are more stable than what is chosen below them; never everything."""
    stability = found.stability.tolist()
    below = [0.0] * len(stability)
    alone = np.zeros(len(stability), dtype=np.bool_)
    sizes, parents = found.size.tolist(), found.parent.tolist()
    for cluster in range(len(stability) - 1, 0, -1):
        alone[cluster] = below[cluster] <= stability[cluster] and sizes[cluster] <= most
        below[parents[cluster]] += (
            max(stability[cluster], below[cluster]) if alone[cluster] else below[cluster]
        )
    # Of those that lie inside each other the outermost counts.
    inside = np.zeros(len(stability), dtype=np.bool_)
    for cluster, parent in enumerate(parents):
        if cluster:
            inside[cluster] = inside[parent] or (alone[parent] and parent > 0)
    return alone & ~inside
