"""The spanning tree that clusters are cut from is exact."""

import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree

from knowledge.spanning import distances, spanning_tree


def scattered(count: int, dimension: int, groups: int) -> np.ndarray:
    random = np.random.default_rng(count)
    centres = random.normal(size=(groups, dimension))
    points = centres[random.integers(groups, size=count)]
    points = points + 0.3 * random.normal(size=(count, dimension))
    return (points / np.linalg.norm(points, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize(
    ("count", "dimension", "groups", "neighbours"),
    [(4, 8, 1, 3), (40, 8, 3, 3), (700, 64, 6, 3), (700, 4, 2, 10)],
)
def test_weighs_as_much_as_the_tree_of_the_full_matrix(count, dimension, groups, neighbours):
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
