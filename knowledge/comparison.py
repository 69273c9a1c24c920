"""Facts that are similar enough to be the same or to contradict each other."""

import numpy as np
import polars as pl

from knowledge.embedding import Embedder
from knowledge.similarity import similar_pairs

PAIRS = pl.Schema(
    {
        "namespace": pl.String(),
        "left": pl.String(),
        "right": pl.String(),
        "similarity": pl.Float64(),
    }
)


def comparable_pairs(
    facts: pl.DataFrame, kind: pl.Expr, threshold: float, embedder: Embedder, margin: float
) -> pl.DataFrame:
    """Pairs of facts about one entity that say one kind of thing, more alike than `threshold`.

    Args:
        facts: FACTS rows.
        kind: What must be equal beside the entity; null for facts that are not compared.
        threshold: Calibrated similarity that a pair must exceed.
        embedder: Gives vectors of `content` and their calibration.
        margin: `Policy.candidate_margin`.

    Returns:
        namespace, left, right (fact ids, left < right), similarity; sorted.
    """
    known = (
        facts.with_columns(comparable=kind)
        .drop_nulls("comparable")
        .sort("namespace", "fact_id")
        .with_columns(
            members=pl.len().over("namespace", "entity_id", "comparable"),
        )
        .filter(pl.col("members") > 1)
    )
    if known.is_empty():
        return pl.DataFrame(schema=PAIRS)
    vectors = embedder.embed(known.get_column("content").to_list())
    groups = (
        known.with_row_index("row")
        .group_by("namespace", "entity_id", "comparable")
        .agg("row")
        .get_column("row")
    )
    lefts: list[np.ndarray] = []
    rights: list[np.ndarray] = []
    similarities: list[np.ndarray] = []
    for group in groups:
        rows = group.to_numpy()
        pairs = similar_pairs(vectors[rows], None, threshold, embedder, margin=margin)
        above = pairs.similarity > threshold
        lefts.append(rows[pairs.left[above]])
        rights.append(rows[pairs.right[above]])
        similarities.append(pairs.similarity[above])
    ids = known.get_column("fact_id")
    left = np.concatenate(lefts)
    return pl.DataFrame(
        {
            "namespace": known.get_column("namespace").gather(left),
            "left": ids.gather(left),
            "right": ids.gather(np.concatenate(rights)),
            "similarity": np.concatenate(similarities),
        },
        schema=PAIRS,
    ).sort("namespace", "left", "right")
