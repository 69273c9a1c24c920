"""Groups of texts that lie close together: HDBSCAN, medoids, labels, a map.

Everything here is the same for the same rows in the same order, so callers sort by id. Texts with
the same vector are folded into one point, whose weight is ignored: repeating a text a hundred times
makes it no topic, and HDBSCAN has no use for distances of zero.
"""

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from knowledge.embedding import Vectors
from knowledge.spanning import Tree, spanning_tree
from knowledge.text import STOP_WORDS, words
from knowledge.vocabulary import stem

NOISE = -1
TERMS = 6
TERMS_IN_LABEL = 3
NEAREST = 8

_DECIMALS = 6
_SHORTEST_WORD = 3
_LARGEST_SHARE = 0.25
_LARGEST_FREE = 40


class Clustering(NamedTuple):
    """Clusters of points, numbered from 0 in the order of their first rows.

    `labels` and `probabilities` have shape (rows,), `labels` is -1 for noise; `persistence` has
    shape (clusters,): how stable each is, 0 to 1.
    """

    labels: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    persistence: NDArray[np.float64]

    @property
    def members(self) -> list[NDArray[np.int64]]:
        """Rows of each cluster."""
        return [np.flatnonzero(self.labels == label) for label in range(len(self.persistence))]


def clustering(vectors: Vectors, min_size: int, neighbours: int = 1) -> Clustering:
    """HDBSCAN (Campello, Moulavi and Sander, 2013) by excess of mass, with exact neighbours.

    Distance is Euclidean between unit vectors. No cluster may hold more than a quarter of the
    points (40 at least are allowed): in a small history the root would otherwise win, and say
    nothing. Rows of zeros (texts without a known word) are noise.

    Args:
        vectors: Unit vectors, shape (rows, dimension), in the order of their ids.
        min_size: Fewest distinct vectors of a cluster.
        neighbours: How many neighbours make a core. With one the tree follows the nearest alone:
            short texts then part into more and clearer themes than with `min_size`.
    """
    rows = len(vectors)
    nothing = Clustering(
        np.full(rows, NOISE, dtype=np.int64), np.zeros(rows), np.zeros(0, dtype=np.float64)
    )
    if not rows:
        return nothing
    points, first, fold = np.unique(vectors, axis=0, return_index=True, return_inverse=True)
    # Points in the order of their first rows, not of their coordinates.
    order = np.argsort(first, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    points, fold = points[order], place[fold.reshape(-1)]
    known = np.flatnonzero(points.any(axis=1))
    if len(known) <= min_size:
        return nothing
    model = _cut(spanning_tree(points[known], neighbours), min_size)
    labels = np.full(len(points), NOISE, dtype=np.int64)
    probabilities = np.zeros(len(points))
    labels[known] = model.labels_
    probabilities[known] = np.round(model.probabilities_, _DECIMALS)
    return _numbered(labels[fold], probabilities[fold], model.cluster_persistence_)


def _cut(tree: Tree, min_size: int) -> Any:
    """HDBSCAN's hierarchy over a spanning tree, and the clusters that it selects."""
    from hdbscan import HDBSCAN
    from scipy.sparse import csr_matrix

    points = len(tree.left) + 1
    both = (np.r_[tree.left, tree.right], np.r_[tree.right, tree.left])
    model = HDBSCAN(
        metric="precomputed",
        min_cluster_size=min_size,
        # The tree's weights are mutual reachability already: with one neighbour they stay as
        # they are, since no weight is below the least of its points' weights.
        min_samples=1,
        max_cluster_size=max(int(points * _LARGEST_SHARE), _LARGEST_FREE),
    )
    with warnings.catch_warnings():
        # hdbscan calls scikit-learn by names that are on their way out.
        warnings.simplefilter("ignore", FutureWarning)
        return model.fit(csr_matrix((np.r_[tree.weight, tree.weight], both), (points, points)))


def _numbered(
    labels: NDArray[np.int64],
    probabilities: NDArray[np.float64],
    persistence: NDArray[np.float64],
) -> Clustering:
    """Clusters numbered by their first rows."""
    found, first = np.unique(labels, return_index=True)
    found, first = found[found != NOISE], first[found != NOISE]
    order = found[np.argsort(first, kind="stable")]
    number = np.full(len(found) + 1, NOISE, dtype=np.int64)  # the last entry is for noise
    number[order] = np.arange(len(order))
    return Clustering(
        number[labels],
        probabilities,
        np.round(np.asarray(persistence, dtype=np.float64)[order], _DECIMALS),
    )


def by_nearness(vectors: Vectors, members: NDArray[np.int64]) -> NDArray[np.int64]:
    """Members of a cluster, its medoid first, then from the nearest to it to the farthest.

    The medoid is the member with the highest mean cosine to all others; ties by row.
    """
    own = vectors[members].astype(np.float64)
    mean = own.sum(axis=0) / len(own)
    medoid = int(np.argmax(np.round((own * mean).sum(axis=1), _DECIMALS)))
    nearness = np.round((own * own[medoid]).sum(axis=1), _DECIMALS)
    nearness[medoid] = np.inf
    return members[np.argsort(-nearness, kind="stable")]


def strongest_terms(texts: Sequence[str], found: Clustering) -> list[list[str]]:
    """Words and pairs of words that set each cluster apart, strongest first (c-TF-IDF).

    Each cluster is one document; a term's weight is its share there, times
    `ln(1 + A / f)`, A being the mean number of terms in a cluster and f the term's count in all
    (Grootendorst, "BERTopic", 2022). Equal texts count once; ties by alphabet.
    """
    counts = (
        pl.DataFrame(
            {
                "cluster": range(len(found.members)),
                "term": [
                    [
                        term
                        for text in sorted({texts[int(row)] for row in rows})
                        for term in _terms(text)
                    ]
                    for rows in found.members
                ],
            },
            schema={"cluster": pl.Int64, "term": pl.List(pl.String)},
        )
        .explode("term")
        .drop_nulls("term")
        .group_by("cluster", "term")
        .len("count")
        .with_columns(
            in_cluster=pl.col("count").sum().over("cluster"),
            in_all=pl.col("count").sum().over("term"),
        )
    )
    clusters = counts.get_column("cluster").n_unique()
    mean = int(counts.get_column("count").sum()) / max(clusters, 1)
    ranked = counts.with_columns(
        weight=(pl.col("count") / pl.col("in_cluster") * (mean / pl.col("in_all")).log1p()).round(
            12
        )
    ).sort("cluster", "weight", "term", descending=[False, True, False])
    chosen: list[list[str]] = [[] for _ in found.members]
    for cluster, term in ranked.select("cluster", "term").iter_rows():
        best = chosen[cluster]
        # A word and its plural, or the pair that it stands in, would say the same twice.
        seen = {stem(word) for taken in best for word in taken.split()}
        if len(best) < TERMS and not seen & {stem(word) for word in term.split()}:
            best.append(term)
    return chosen


def label(terms: Sequence[str]) -> str:
    """A short name of a cluster."""
    return ", ".join(terms[:TERMS_IN_LABEL])


def _terms(text: str) -> list[str]:
    """Words that are no stop words, and pairs of them that stand side by side on a line."""
    terms: list[str] = []
    for line in text.split("\n"):
        before: str | None = None
        for word in words(line):
            if word in STOP_WORDS:
                before = None
                continue
            if len(word) < _SHORTEST_WORD or word.isdigit():
                continue
            terms.append(word)
            if before and before != word:
                terms.append(f"{before} {word}")
            before = word
    return terms


def plane(vectors: Vectors) -> NDArray[np.float64]:
    """Two coordinates for each vector, by principal components; shape (rows, 2).

    The sign of a component is free; here its largest loading is positive.
    """
    rows = len(vectors)
    if rows < 2:
        return np.zeros((rows, 2))
    centred = vectors.astype(np.float64) - vectors.astype(np.float64).sum(axis=0) / rows
    _, axes = np.linalg.eigh(centred.T @ centred)
    leading = axes[:, :-3:-1]
    largest = np.argmax(np.round(np.abs(leading), _DECIMALS), axis=0)
    signs = np.where(leading[largest, range(leading.shape[1])] < 0, -1.0, 1.0)
    return np.round(centred @ (leading * signs), _DECIMALS) + 0.0  # no negative zeros
