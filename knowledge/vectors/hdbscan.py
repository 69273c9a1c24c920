"""Groups of texts that lie close together: HDBSCAN, medoids, labels, a map.

Everything here is the same for the same rows in the same order, so callers sort by id. Texts with
the same vector are folded into one point, whose weight is ignored: repeating a text a hundred times
makes it no topic, and HDBSCAN has no use for distances of zero.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl

from cairn.knowledge.nlp.text import STOP_WORDS, WORD
from cairn.knowledge.nlp.vocabulary import stem
from cairn.knowledge.vectors.condensed_tree import NOISE, cut
from cairn.knowledge.vectors.model import Vectors
from cairn.knowledge.vectors.mst import Indices, Reals, Tree, grown_tree, spanning_tree

TERMS = 6
TERMS_IN_LABEL = 3
NEAREST = 8

_DECIMALS = 6
_SHORTEST_WORD = 3
_LARGEST_SHARE = 0.25
_LARGEST_FREE = 40
_TERMS_LOOKED_AT = 20
_SEED = 0
_ROWS_AT_ONCE = 1024
_UNSPACED = "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]"
"""Thai, Lao, Burmese, Khmer, Kana, Han."""

_UNSPACED_PAIR = f"{_UNSPACED}{{2}}"


class Links(NamedTuple):
    """A spanning tree by the keys of vectors (`keys`): it holds whatever rows they stand in."""

    left: Indices
    right: Indices
    distance: Reals

    @classmethod
    def read(cls, table: pl.DataFrame, namespace: str) -> "Links":
        """The links of a namespace, of FACT_MST_EDGES or EPISODE_MST_EDGES."""
        own = table.filter(pl.col("namespace") == namespace)
        return cls(*(own[name].to_numpy() for name in cls._fields))

    def table(self, namespace: str) -> pl.DataFrame:
        """Rows of FACT_MST_EDGES or EPISODE_MST_EDGES."""
        return pl.DataFrame(self._asdict()).with_columns(namespace=pl.lit(namespace))


NO_LINKS = Links(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))


class Folded(NamedTuple):
    """The distinct vectors of rows; rows of zeros (texts without a known word) have none.

    They stand in the order of their keys, so that ties are the same whatever rows come and go.
    """

    key: Indices
    points: Vectors
    of: Indices
    """Of each row: which point it is; -1 for none."""

    def vectors(self, rows: Indices | slice) -> Vectors:
        """Vectors of some rows, zeros where a row has none."""
        of = self.of[rows]
        found = self.points[of] if len(self.points) else np.zeros((len(of), 0), np.float32)
        found[of < 0] = 0
        return found


def folded(texts: Sequence[str], embed: Callable[[Sequence[str]], Vectors]) -> Folded:
    """The distinct vectors of texts: never is there a vector for each text at once."""
    starts = range(0, len(texts), _ROWS_AT_ONCE)
    parts = [keys(embed(texts[start : start + _ROWS_AT_ONCE])) for start in starts]
    key, first, of = np.unique(
        np.concatenate(parts or [np.empty(0, np.int64)]), return_index=True, return_inverse=True
    )
    points = embed([texts[int(row)] for row in first])
    known = np.asarray(points.any(axis=1))
    if not known.all():
        key, points = key[known], points[known]
        of = np.where(known, np.cumsum(known) - 1, NOISE)[of]
    return Folded(key, points, of)


class Clustering(NamedTuple):
    """Clusters of points, numbered from 0 in the order of their first rows.

    `labels` and `probabilities` have shape (rows,), `labels` is -1 for noise; `persistence` has
    shape (clusters,): how stable each is, 0 to 1. `links` are what they were cut from.
    """

    labels: Indices
    probabilities: Reals
    persistence: Reals
    links: Links

    @property
    def members(self) -> list[Indices]:
        """Rows of each cluster."""
        order = np.argsort(self.labels, kind="stable")
        ends = np.searchsorted(self.labels[order], np.arange(len(self.persistence) + 1))
        return np.split(order, ends)[1:-1]


def clustering(
    folded: Folded, min_size: int, neighbours: int = 1, before: Links | None = None
) -> Clustering:
    """HDBSCAN (Campello, Moulavi and Sander, 2013) by excess of mass, with exact neighbours.

    Distance is Euclidean between unit vectors. No cluster may hold more than a quarter of the
    points (40 at least are allowed): in a small history the root would otherwise win, and say
    nothing. Rows without a point are noise.

    Args:
        folded: Distinct vectors of rows, which stand in the order of their ids.
        min_size: Fewest distinct vectors of a cluster.
        neighbours: How many neighbours make a core. With one the tree follows the nearest alone:
            short texts then part into more and clearer themes than with `min_size`.
        before: The links of other rows by the same `neighbours`: those of which most are here make
            the same links at a small part of the cost.
    """
    rows, key = len(folded.of), folded.key
    if len(key) <= min_size:
        return Clustering(np.full(rows, NOISE), np.zeros(rows), np.zeros(0), NO_LINKS)
    tree = _grown(folded.points, key, before) if before and neighbours == 1 else None
    tree = tree or spanning_tree(folded.points, neighbours)
    found = cut(tree, min_size, largest(len(key)))
    # The last entry is for rows without a point.
    labels = np.append(found.labels, NOISE)[folded.of]
    probabilities = np.append(np.round(found.probabilities, _DECIMALS), 0.0)[folded.of]
    links = Links(key[tree.left], key[tree.right], tree.weight) if neighbours == 1 else NO_LINKS
    return _numbered(labels, probabilities, found.persistence, links)


def largest(points: int) -> int:
    """Most points of a cluster."""
    return max(int(points * _LARGEST_SHARE), _LARGEST_FREE)


def keys(vectors: Vectors) -> Indices:
    """64-bit digests of vectors: equal for equal ones, and else (in all likelihood) not."""
    found = np.empty(len(vectors), dtype=np.uint64)
    pairs = -(-vectors.shape[1] // 2)
    odd = np.random.default_rng(_SEED).integers(1 << 63, size=pairs, dtype=np.uint64)
    odd = odd * np.uint64(2) + np.uint64(1)
    for start in range(0, len(vectors), _ROWS_AT_ONCE):
        part = vectors[start : start + _ROWS_AT_ONCE]
        words = np.zeros((len(part), 2 * len(odd)), dtype=np.float32)
        words[:, : part.shape[1]] = part + np.float32(0)  # no negative zeros
        mixed = words.view(np.uint64) * odd
        mixed ^= mixed >> np.uint64(32)
        mixed *= odd[::-1]
        found[start : start + _ROWS_AT_ONCE] = (mixed ^ (mixed >> np.uint64(29))).sum(axis=1)
    return found.view(np.int64)


def _grown(points: Vectors, key: Indices, before: Links) -> Tree | None:
    """The tree of points, made of the links of those that were there before."""
    ends = np.searchsorted(key, (before.left, before.right)).clip(max=len(key) - 1)
    here = (key[ends] == (before.left, before.right)).all(axis=0)
    old = Tree(ends[0, here], ends[1, here], before.distance[here])
    return grown_tree(points, old)


def _numbered(
    labels: Indices, probabilities: Reals, persistence: Reals, links: Links
) -> Clustering:
    """Clusters numbered by their first rows."""
    found, first = np.unique(labels, return_index=True)
    found, first = found[found != NOISE], first[found != NOISE]
    order = found[np.argsort(first, kind="stable")]
    number = np.full(len(found) + 1, NOISE, dtype=np.int64)  # the last entry is for noise
    number[order] = np.arange(len(order))
    return Clustering(number[labels], probabilities, np.round(persistence[order], _DECIMALS), links)


def medoid(folded: Folded, members: Indices) -> int:
    """The member of a cluster with the highest mean cosine to all others; ties by row."""
    own = folded.vectors(members).astype(np.float64)
    mean = own.sum(axis=0) / len(own)
    return int(members[np.argmax(np.round((own * mean).sum(axis=1), _DECIMALS))])


def by_nearness(folded: Folded, members: Indices) -> Indices:
    """Members of a cluster, its medoid first, then from the nearest to it to the farthest."""
    centre = members == medoid(folded, members)
    own = folded.vectors(members).astype(np.float64)
    nearness = np.round((own * own[centre]).sum(axis=1), _DECIMALS)
    nearness[centre] = np.inf
    return members[np.argsort(-nearness, kind="stable")]


def strongest_terms(texts: Sequence[str], found: Clustering, most: int = TERMS) -> list[list[str]]:
    """Words and pairs of words that set each cluster apart, strongest first (c-TF-IDF).

    Each cluster is one document; a term's weight is its share there, times
    `ln(1 + A / f)`, A being the mean number of terms in a cluster and f the term's count in all
    (Grootendorst, "BERTopic", 2022). Equal texts count once; ties by alphabet. What stands in one
    text alone, such as an id, names a cluster only where nothing stands in two.
    """
    counts = (
        _terms(texts, found.labels)
        .group_by("cluster", "term")
        .agg(count=pl.len(), texts=pl.col("text").n_unique())
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
    ).sort("cluster", pl.col("texts") > 1, "weight", "term", descending=[False, True, True, False])
    chosen: list[list[str]] = [[] for _ in found.persistence]
    said: list[set[str]] = [set() for _ in found.persistence]
    best_of_each = ranked.group_by("cluster", maintain_order=True).head(_TERMS_LOOKED_AT)
    for cluster, term in best_of_each.select("cluster", "term").iter_rows():
        best, parts = chosen[cluster], said[cluster]
        # A word and its plural, or the pair that it stands in, would say the same twice.
        if len(best) < most and parts.isdisjoint(_parts(term)):
            best.append(term)
            parts |= _parts(term)
    return chosen


def label(terms: Sequence[str]) -> str:
    """A short name of a cluster."""
    return ", ".join(terms[:TERMS_IN_LABEL])


def _terms(texts: Sequence[str], labels: Indices) -> pl.DataFrame:
    """cluster, text, term: each occurrence of a word that is no stop word, and of pairs of them.

    A pair are two words that stand side by side on a line. Short words and numbers are passed over.
    Where a script puts no spaces between words, any two characters side by side are a word.
    """
    lines = (
        pl.DataFrame({"cluster": labels, "text": pl.Series(texts, dtype=pl.String)})
        .filter(pl.col("cluster") != NOISE)
        .unique()
        .with_row_index("number")
        .with_columns(pl.col("text").str.split("\n"))
        .explode("text")
        .with_row_index("line")
    )
    forms = lines.select(
        "cluster", "line", text="number", form=pl.col("text").str.extract_all(WORD)
    )
    spread = forms.explode("form").drop_nulls("form")
    distinct = spread["form"].unique().to_list()
    known = pl.DataFrame(
        {"form": distinct, "term": [_words_of(form) for form in distinct]},
        schema={"form": pl.String, "term": pl.List(pl.String)},
    )
    said = (
        spread.join(known, on="form", maintain_order="left")
        .explode("term")
        .drop_nulls("term")
        .with_columns(before=pl.col("term").shift(1).over("line"))
        .filter(~pl.col("term").is_in(STOP_WORDS))
    )
    pairs = said.filter(
        ~pl.col("before").is_in(STOP_WORDS)
        & (pl.col("before") != pl.col("term"))
        & ~pl.concat_str("before", "term").str.contains(_UNSPACED)
    ).select("cluster", "text", term=pl.concat_str("before", "term", separator=" "))
    return pl.concat([said.select("cluster", "text", "term"), pairs])


def _words_of(form: str) -> list[str]:
    """The words that a form is, folded: one, none if it is short or a number, or many unspaced."""
    word = form.casefold().replace("’", "'")
    if re.search(_UNSPACED, word):
        return [pair for pair in map("".join, pairwise(word)) if re.fullmatch(_UNSPACED_PAIR, pair)]
    return [word] if word in STOP_WORDS or _telling(word) else []


def _telling(word: str) -> bool:
    return len(word) >= _SHORTEST_WORD and not word.isdigit()


@lru_cache(maxsize=65_536)
def _parts(term: str) -> frozenset[str]:
    """What terms of one label may not share: stems of words, characters of unspaced scripts."""
    if not term.isascii() and re.search(_UNSPACED, term):
        return frozenset(term)
    return frozenset(stem(word) for word in term.split())


def plane(folded: Folded) -> Reals:
    """Two coordinates for each row, by principal components; shape (rows, 2).

    The sign of a component is free; here its largest loading is positive.
    """
    rows = len(folded.of)
    if rows < 2:
        return np.zeros((rows, 2))
    parts = [slice(start, start + _ROWS_AT_ONCE) for start in range(0, rows, _ROWS_AT_ONCE)]
    sums = [folded.vectors(part).sum(axis=0, dtype=np.float64) for part in parts]
    mean = np.sum(sums, axis=0) / rows
    if rows < len(mean):
        # The same components from the products of the rows, which are fewer than those of columns.
        centred = folded.vectors(slice(rows)) - mean
        leading = centred.T @ np.linalg.eigh(centred @ centred.T)[1][:, :-3:-1]
        extent = np.linalg.norm(leading, axis=0)
        # Of a component without extent no direction is known, and none is needed.
        known = extent >= 10.0**-_DECIMALS
        leading = np.divide(leading, extent, out=np.zeros_like(leading), where=known)
    else:
        spread = np.zeros((len(mean), len(mean)))
        for part in parts:
            centred = folded.vectors(part) - mean
            spread += centred.T @ centred
        leading = np.linalg.eigh(spread)[1][:, :-3:-1]
    largest = np.argmax(np.round(np.abs(leading), _DECIMALS), axis=0)
    signs = np.where(leading[largest, range(leading.shape[1])] < 0, -1.0, 1.0)
    places = np.empty((rows, 2))
    for part in parts:
        places[part] = (folded.vectors(part) - mean) @ (leading * signs)
    return np.round(places, _DECIMALS) + 0.0  # no negative zeros
