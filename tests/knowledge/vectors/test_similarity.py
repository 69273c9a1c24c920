import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from cairn.knowledge.vectors.bounds import (
    LEADING,
    bounding,
    bounding_parts,
    parted_axes,
    reaching,
    taken_back,
)
from cairn.knowledge.vectors.model import Vectors
from cairn.knowledge.vectors.similarity import (
    FEW,
    Curve,
    candidate_pairs,
    pair_similarity,
    raw_floor,
    similar_pairs,
)


class Steep:
    """No texts, only a curve: what these functions ask of an embedder."""

    model = "steep"
    calibrated = staticmethod(Curve([-1, 0, 0.6, 1], [0, 0.1, 0.4, 1]))

    def embed(self, texts: object) -> Vectors:
        raise AssertionError("similarity of vectors embeds nothing")


def unit_rows(rows: int, seed: int, dimension: int = 256) -> Vectors:
    """Random rows around few directions, so that many are alike, and some equal."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(max(rows // 4, 1), dimension))
    vectors = centres[random.integers(len(centres), size=rows)]
    vectors = vectors + random.choice([0.0, 0.3, 0.6], size=(rows, 1)) * random.normal(
        size=(rows, dimension)
    )
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@given(
    st.integers(0, 40), st.integers(0, 99), st.integers(1, 17), st.randoms(use_true_random=False)
)
@settings(max_examples=40, deadline=None)
def test_similar_pairs_do_not_depend_on_row_order_or_blocks(rows, seed, block, random) -> None:
    vectors = unit_rows(rows, seed)
    order = list(range(rows))
    random.shuffle(order)

    def found(of: Vectors, names: list[int], block: int) -> dict[frozenset[int], float]:
        pairs = similar_pairs(of, None, 0.5, Steep(), block=block)
        return {
            frozenset((names[a], names[b])): s
            for a, b, s in zip(pairs.left, pairs.right, pairs.similarity, strict=True)
        }

    straight = found(vectors, list(range(rows)), 4096)
    assert found(vectors[order], order, block) == straight
    every = [(a, b) for a in range(rows) for b in range(a + 1, rows)]
    left, right = np.array(every, dtype=np.int64).reshape(-1, 2).T
    exact = pair_similarity(vectors, vectors, left, right, Steep())
    assert straight == {
        frozenset(pair): s for pair, s in zip(every, exact, strict=True) if s >= 0.5
    }


@given(st.integers(1, 60), st.integers(1, 60), st.sampled_from([65, 96, 256]), st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_short_vectors_bound_the_products_of_long_ones(
    rows: int, others: int, dimension: int, seed: int
) -> None:
    a, b = unit_rows(rows, seed, dimension), unit_rows(others, seed + 1, dimension)
    a[0] = 0  # a text without a known word
    for left, right in ((a, a), (a, b)):
        short, other = bounding(left, right)
        assert short.shape[1] == LEADING + 1
        bound = short.astype(np.float64) @ other.T.astype(np.float64)
        assert (bound - left.astype(np.float64) @ right.T.astype(np.float64)).min() >= -1e-6


@pytest.mark.parametrize("lowest", [-1.0, 0.0, 0.6, 0.95])
@pytest.mark.parametrize("dimension", [3, 100, 256])
def test_parts_find_all_that_reach_a_floor_of_their_own(dimension: int, lowest: float) -> None:
    a, b = unit_rows(200, 5, dimension), unit_rows(300, 6, dimension)
    b[:100] = a[:100]
    axes = parted_axes(b)
    assert sum(part.shape[1] - 2 for part in axes) == dimension
    left, right = taken_back(bounding_parts(a, axes)), bounding_parts(b, axes)
    products = a @ b.T
    for rows in (1, len(a)):
        floor = np.random.default_rng(7).uniform(lowest, 1, (rows, len(b))).astype(np.float32)
        found = np.zeros(products.shape, dtype=np.bool_)
        found[reaching(floor, left, right)] = True
        assert found[products >= floor + 1e-5].all()
        assert not found[products < floor - 1e-5].any()


@pytest.mark.parametrize("floor", [0.5, 0.85, 0.99])
def test_of_many_rows_no_pair_is_lost(floor: float) -> None:
    a, b = unit_rows(FEW * 2, 3), unit_rows(FEW, 4)
    b[:300] = a[:300]
    for other in (None, b):
        left, right = candidate_pairs(a, other, floor, block=700, margin=0.0)
        products = a @ (a if other is None else other).T
        alike = products >= floor
        expected = np.argwhere(np.triu(alike, 1) if other is None else alike)
        close = {(i, j) for i, j in expected.tolist() if abs(products[i, j] - floor) > 1e-5}
        found = set(zip(left.tolist(), right.tolist(), strict=True))
        assert close <= found
        assert all(products[i, j] > floor - 1e-5 for i, j in found)
        assert (np.diff(left) >= 0).all()


def test_a_pair_has_one_similarity_whichever_side_and_company() -> None:
    a, b = unit_rows(9000, 1, dimension=64), unit_rows(9000, 2, dimension=64)
    i = np.arange(9000)
    forth = pair_similarity(a, b, i, i, Steep())
    back = pair_similarity(b[::-1].copy(), a[::-1].copy(), i[::-1].copy(), i[::-1].copy(), Steep())
    assert np.array_equal(forth, back)
    assert np.array_equal(forth, np.round(forth, 6))
    assert pair_similarity(a[7:8], b[7:8], i[:1], i[:1], Steep())[0] == forth[7]


def test_two_sets_are_paired_across_and_sorted() -> None:
    a = np.eye(4, dtype=np.float32)
    left, right = candidate_pairs(a, a[[2, 0, 2]], 0.9, block=2)
    assert list(zip(left.tolist(), right.tolist(), strict=True)) == [(0, 1), (2, 0), (2, 2)]


def test_a_margin_below_the_floor_is_still_a_candidate() -> None:
    a = np.array([[1, 0], [0.5, 0.75**0.5]], dtype=np.float32)
    assert candidate_pairs(a, None, 0.50005)[0].size == 1
    assert candidate_pairs(a, None, 0.5002)[0].size == 0


@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.35, 0.75, 1.0])
def test_the_raw_floor_is_where_the_threshold_is_reached(threshold: float) -> None:
    floor = raw_floor(Steep(), threshold)
    assert Steep.calibrated(np.array([floor]))[0] == pytest.approx(threshold)
    assert Steep.calibrated(np.array([floor]))[0] >= threshold
    steep = Steep.calibrated
    assert np.interp(threshold, steep.similarities, steep.cosines) == pytest.approx(floor)


def test_a_threshold_above_one_is_never_reached() -> None:
    vectors = np.eye(2, dtype=np.float32)[[0, 0]]
    assert similar_pairs(vectors, None, 1.01, Steep()).left.size == 0
    assert similar_pairs(vectors, None, 1.0, Steep()).similarity.tolist() == [1.0]


@pytest.mark.parametrize(
    ("cosines", "similarities"),
    [
        ([-1, 0.5, 0.5, 1], [0, 0.1, 0.2, 1]),
        ([-1, 0, 1], [0, 0, 1]),
        ([-1, 0.9], [0, 1]),
        ([1], [1]),
    ],
)
def test_a_curve_that_does_not_rise_strictly_is_refused(
    cosines: list[float], similarities: list[float]
) -> None:
    with pytest.raises(ValueError, match="calibration"):
        Curve(cosines, similarities)


def test_a_curve_keeps_order_and_ends() -> None:
    raw: NDArray[np.float64] = np.linspace(-1, 1, 500)
    assert np.all(np.diff(Steep.calibrated(raw)) > 0)
    assert Steep.calibrated(np.array([-2.0, -1.0, 1.0, 1.1])).tolist() == [0, 0, 1, 1]
