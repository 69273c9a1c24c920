"""The spanning tree that clusters are cut from is exact, however it was grown."""

import numpy as np
import pytest

from cairn.knowledge.vectors.mst import Tree, distances, grown_tree, spanning_tree


def scattered(count: int, dimension: int, groups: int) -> np.ndarray:
    random = np.random.default_rng(count)
    centres = random.normal(size=(groups, dimension))
    points = centres[random.integers(groups, size=count)]
    points = points + 0.3 * random.normal(size=(count, dimension))
    return (points / np.linalg.norm(points, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize(
    ("count", "dimension", "groups", "neighbours"),
    [
        (4, 8, 1, 3),
        (40, 8, 3, 3),
        (700, 64, 6, 1),
        (700, 4, 2, 10),
        (900, 256, 6, 1),
        (900, 256, 6, 3),
        (900, 256, 900, 1),
    ],
)
def test_weighs_as_much_as_the_tree_of_the_full_matrix(count, dimension, groups, neighbours):
    from scipy.sparse.csgraph import minimum_spanning_tree

    points = scattered(count, dimension, groups)
    left, right = np.triu_indices(count, 1)
    distance = np.zeros((count, count))
    distance[left, right] = distances(points, left, right)
    distance += distance.T
    core = np.sort(distance, axis=1)[:, neighbours]
    reach = np.maximum(np.maximum(distance, core), core[:, None])
    np.fill_diagonal(reach, 0)
    tree = spanning_tree(points, neighbours)
    assert len(tree.weight) == count - 1
    assert tree.weight.sum() == pytest.approx(minimum_spanning_tree(reach).sum(), rel=1e-9)
    assert tree.weight == pytest.approx(reach[tree.left, tree.right])


def test_more_neighbours_than_there_are_points_are_all_of_them():
    points = scattered(5, 8, 1)
    most, more = spanning_tree(points, 4), spanning_tree(points, 40)
    assert (most.weight == more.weight).all()


@pytest.mark.parametrize(("groups", "dimension"), [(1, 32), (12, 256), (12, 3)])
@pytest.mark.parametrize("come", [0, 1, 60])
@pytest.mark.parametrize("go", [0, 1, 3])
def test_a_tree_grows_to_what_it_would_be_if_made_anew(groups, dimension, come, go):
    points = scattered(1000, dimension, groups)
    # Coordinates of two places bring equal distances, whose order must be the same too.
    points = np.unique(np.round(points, 2), axis=0)
    points = (points / np.linalg.norm(points, axis=1, keepdims=True)).astype(np.float32)
    points = points[np.unique(points, axis=0, return_index=True)[1]]
    dice = np.random.default_rng(come + 7 * go + groups)
    changed = dice.permutation(len(points))[: come + go]
    fresh, gone = np.sort(changed[:come]), changed[come:]
    before, after = (np.setdiff1d(np.arange(len(points)), rows) for rows in (fresh, gone))
    old = spanning_tree(points[before], 1)
    ends = np.searchsorted(after, (before[old.left], before[old.right])).clip(max=len(after) - 1)
    here = (after[ends] == (before[old.left], before[old.right])).all(axis=0)
    grown = grown_tree(points[after], Tree(*ends[:, here], old.weight[here]))
    # Where a point that went held much together, the tree is made anew.
    assert grown is not None or go
    for found, expected in zip(
        grown or (), spanning_tree(points[after], 1), strict=grown is not None
    ):
        assert np.array_equal(found, expected)


def test_where_most_is_new_no_tree_grows():
    points = scattered(400, 8, 2)
    nothing = Tree(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
    assert grown_tree(points, nothing) is None
