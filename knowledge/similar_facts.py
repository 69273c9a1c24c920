"""Pairs of facts about one entity that may say the same or deny each other, judged by their words.

What follows is decided elsewhere: knowledge/evidence.py takes the clear contradictions,
knowledge/merges.py what says the same, and what is unsure waits for a model or a person.
"""

import polars as pl

from knowledge.comparison import comparable_pairs
from knowledge.embedding import Embedder
from knowledge.kinds import deniable
from knowledge.policy import Policy
from knowledge.tables import SIMILAR_FACTS
from knowledge.wording import difference

SAME, OPPOSITE, UNSURE = "same", "opposite", "unsure"


def similar_facts(facts: pl.DataFrame, embedder: Embedder, policy: Policy) -> pl.DataFrame:
    """SIMILAR_FACTS: all pairs about one entity above the threshold, with what words say of them.

    Args:
        facts: FACTS rows.
        embedder: Gives vectors of `content` and their calibration.
        policy: merge_similarity.
    """
    pairs = comparable_pairs(
        facts, deniable(), policy.merge_similarity, embedder, policy.candidate_margin
    )
    said = facts.select("namespace", "fact_id", "content")
    for side in ("left", "right"):
        pairs = pairs.join(
            said.rename({"fact_id": side, "content": f"{side}_content"}), on=["namespace", side]
        )
    apart = [
        difference(left, right)
        for left, right in pairs.select("left_content", "right_content").iter_rows()
    ]
    return SIMILAR_FACTS.frame(
        pairs.rename({"left": "left_id", "right": "right_id"}).with_columns(
            difference=pl.Series(apart, dtype=pl.String),
            verdict=pl.Series(map(_verdict, apart), dtype=pl.String),
        )
    )


def _verdict(difference: str | None) -> str:
    if difference is None:
        return SAME
    return OPPOSITE if difference == "polarity" else UNSURE
