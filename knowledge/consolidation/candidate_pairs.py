"""Facts that are alike enough, or have the same words, to be one or to contradict each other."""

from collections.abc import Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cairn.knowledge.consolidation.same_words import same_words
from cairn.knowledge.consolidation.templates import GROUP, numbered, template_pairs
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.vectors.model import Embedder, Vectors
from cairn.knowledge.vectors.similarity import Indices, candidate_pairs, pair_similarity, raw_floor

PAIRS = pl.Schema(
    {
        "namespace": pl.String(),
        "left": pl.String(),
        "right": pl.String(),
        "similarity": pl.Float64(),
    }
)

PACKED = 128
"""Rows of small groups that are multiplied at once: whole groups, as many as there is room for."""

AT_ONCE = 128 * PACKED
"""Rows of small groups whose vectors are held at once."""


def comparable_pairs(
    facts: pl.DataFrame,
    kind: pl.Expr,
    threshold: float,
    embedder: Embedder,
    policy: Policy,
    among: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Pairs of facts about one entity that say one kind of thing, and may say the same or deny it.

    They are more alike than `threshold`, or of the same words
    (cairn.knowledge.consolidation.same_words). Of facts of one template only some pairs are looked
    at (cairn.knowledge.consolidation.templates).

    Args:
        facts: FACTS rows.
        kind: What must be equal beside the entity; null for facts that are not compared.
        threshold: Calibrated similarity that a pair of other words must exceed.
        embedder: Gives vectors of `content` and their calibration.
        policy: candidate_margin, template_size.
        among: namespace and fact_id of those that are compared with all of their group; without
            it, all are.

    Returns:
        namespace, left, right (fact ids, left < right), similarity; sorted.
    """
    looked_for = (facts if among is None else among).select("namespace", "fact_id").unique()
    known = (
        facts.with_columns(comparable=kind)
        .drop_nulls("comparable")
        .join(
            looked_for.with_columns(fresh=pl.lit(value=True)),
            on=["namespace", "fact_id"],
            how="left",
        )
        .with_columns(pl.col("fresh").fill_null(value=False))
        .filter(pl.len().over(GROUP) > 1, pl.col("fresh").any().over(GROUP))
    )
    templates = template_pairs(known, policy.template_size)
    templated = known.join(templates.members, on=["namespace", "fact_id"], how="semi")
    others = known.join(templates.members, on=["namespace", "fact_id"], how="anti")
    general = others.join(templated, on=GROUP, how="semi").filter(~numbered())
    floor = raw_floor(embedder, threshold) - policy.candidate_margin
    found = [
        _alike_among(others, threshold, floor, embedder),
        _alike_across(general, templated, threshold, floor, embedder),
        _alike_of(known, templates.pairs, threshold, embedder),
    ]
    alike = pl.concat(found)
    pairs = ["namespace", "left", "right"]
    worded = same_words(others).join(alike, on=pairs, how="anti")
    unlike = _alike_of(known, worded, -1.0, embedder)
    return pl.concat([alike, unlike]).sort(pairs)


def _alike_among(
    known: pl.DataFrame, threshold: float, floor: float, embedder: Embedder
) -> pl.DataFrame:
    """PAIRS of each group of some facts, one of them `fresh`."""
    known = (
        known.with_columns(members=pl.len().over(GROUP))
        .filter(pl.col("members") > 1, pl.col("fresh").any().over(GROUP))
        # Groups lie one after the other, small ones first; a pair's left is its lesser id.
        .sort("members", *GROUP, "fact_id")
    )
    texts, fresh = known.get_column("content"), known.get_column("fresh").to_numpy()
    lefts: list[Indices] = [np.empty(0, dtype=np.int64)]
    rights: list[Indices] = [np.empty(0, dtype=np.int64)]
    similarities: list[NDArray[np.float64]] = [np.empty(0)]
    for start, ends in _stretches(known.get_column("members").to_numpy().astype(np.int64)):
        vectors = embedder.embed(texts[start : int(ends[-1])].to_list())
        groups = np.searchsorted(ends - start, np.arange(len(vectors)), side="right")
        left, right = _candidates(vectors, groups, fresh[start : int(ends[-1])], floor)
        similarity = pair_similarity(vectors, vectors, left, right, embedder)
        above = similarity > threshold
        lefts.append(left[above] + start)
        rights.append(right[above] + start)
        similarities.append(similarity[above])
    ids, left = known.get_column("fact_id"), np.concatenate(lefts)
    return pl.DataFrame(
        {
            "namespace": known.get_column("namespace").gather(left),
            "left": ids.gather(left),
            "right": ids.gather(np.concatenate(rights)),
            "similarity": np.concatenate(similarities),
        },
        schema=PAIRS,
    )


def _alike_across(
    ones: pl.DataFrame, others: pl.DataFrame, threshold: float, floor: float, embedder: Embedder
) -> pl.DataFrame:
    """PAIRS of one of some facts and one of others of its group, one of them `fresh`."""
    found = [PAIRS.to_frame()]
    there = ones.partition_by(GROUP, as_dict=True)
    for group, right in others.group_by(GROUP, maintain_order=True):
        left = there.get(group)
        if left is None:
            continue
        # Fresh ones with all, and the rest with fresh ones.
        for fresh, met in ((True, right), (False, right.filter("fresh"))):
            asked = left.filter(fresh=fresh)
            if asked.height and met.height:
                one = embedder.embed(asked["content"].to_list())
                two = embedder.embed(met["content"].to_list())
                at, to = candidate_pairs(one, two, floor, margin=0.0)
                pairs = pl.DataFrame(
                    {
                        "namespace": asked["namespace"].gather(at),
                        "one": asked["fact_id"].gather(at),
                        "two": met["fact_id"].gather(to),
                        "similarity": pair_similarity(one, two, at, to, embedder),
                    }
                )
                found.append(
                    pairs.filter(pl.col("similarity") > threshold)
                    .select(
                        "namespace",
                        "similarity",
                        left=pl.min_horizontal("one", "two"),
                        right=pl.max_horizontal("one", "two"),
                    )
                    .select(PAIRS.names())
                )
    return pl.concat(found)


def _alike_of(
    known: pl.DataFrame, pairs: pl.DataFrame, threshold: float, embedder: Embedder
) -> pl.DataFrame:
    """PAIRS of these pairs (namespace, left, right) of facts, one of them `fresh`."""
    found = [PAIRS.to_frame()]
    for side in ("left", "right"):
        own = known.select(
            "namespace",
            pl.col("fact_id").alias(side),
            pl.col("content").alias(f"{side}_content"),
            pl.col("fresh").alias(f"{side}_fresh"),
        )
        pairs = pairs.join(own, on=["namespace", side])
    pairs = pairs.filter(pl.col("left_fresh") | pl.col("right_fresh"))
    for some in pairs.sort("namespace", "left", "right").iter_slices(AT_ONCE):
        one, two = (embedder.embed(some[f"{side}_content"].to_list()) for side in ("left", "right"))
        rows = np.arange(some.height)
        similarity = pair_similarity(one, two, rows, rows, embedder)
        found.append(
            some.select("namespace", "left", "right", similarity=pl.Series(similarity)).filter(
                pl.col("similarity") > threshold
            )
        )
    return pl.concat(found)


def _stretches(members: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Rows whose vectors are held at once: many small groups, or one large one.

    Args:
        members: Size of each row's group; groups lie one after the other, small ones first.

    Yields:
        First row of the stretch, and where each of its groups ends.
    """
    sizes, counts = np.unique(members, return_counts=True)
    ends = np.cumsum(np.repeat(sizes, counts // sizes))
    start = done = 0
    while done < len(ends):
        many = int(np.searchsorted(ends, start + AT_ONCE, side="right"))
        small = int(np.searchsorted(np.diff(ends, prepend=0), PACKED, side="right"))
        to = max(min(many, small), done + 1)
        yield start, ends[done:to]
        start, done = int(ends[to - 1]), to


def _candidates(
    vectors: Vectors, groups: Indices, fresh: NDArray[np.bool_], floor: float
) -> tuple[Indices, Indices]:
    """Rows of one group, left before right, whose product reaches `floor`; one of them is fresh."""
    if groups[-1] == 0 and len(vectors) > PACKED:
        if fresh.all():
            return candidate_pairs(vectors, None, floor, margin=0.0)
        rows = np.flatnonzero(fresh)
        left, right = candidate_pairs(vectors[rows], vectors, floor, margin=0.0)
        left = rows[left]
        once = (left < right) | ((left > right) & ~fresh[right])
        left, right = left[once], right[once]
        return np.minimum(left, right), np.maximum(left, right)
    lefts: list[Indices] = []
    rights: list[Indices] = []
    start = 0
    while start < len(vectors):
        # Up to the end of the last group that is whole within the next rows.
        last = groups[min(start + PACKED, len(vectors) - 1)]
        end = int(np.searchsorted(groups, last, side="left"))
        end = len(vectors) if start + PACKED >= len(vectors) else end
        products = vectors[start:end] @ vectors[start:end].T
        left, right = np.divmod(np.flatnonzero(products >= floor), end - start)
        left, right = left + start, right + start
        kept = (left < right) & (groups[left] == groups[right]) & (fresh[left] | fresh[right])
        lefts.append(left[kept])
        rights.append(right[kept])
        start = end
    return np.concatenate(lefts), np.concatenate(rights)
