"""What learnings should be like: goals whose miss is shown, and stops nothing."""

from collections.abc import Mapping
from typing import NamedTuple

import polars as pl

from cairn.knowledge.learnings.llm.extraction import LEARNING_MODEL
from cairn.knowledge.learnings.stages import outcomes
from cairn.knowledge.llm.client import UNANSWERED
from cairn.knowledge.schema.tables import LEARNING_CANDIDATES


class Goal(NamedTuple):
    """A measure of the learnings of one namespace, and between what it should lie."""

    name: str
    about: str
    least: float
    most: float


YIELD = Goal("yield", "20 to 30 % of conversations yield a learning.", 0.2, 0.3)
CONFIDENCE = Goal("mean_confidence", "The mean confidence is at least 0.75.", 0.75, 1.0)
SOURCED = Goal("sourced", "Every learning has a source message that is there.", 1.0, 1.0)
TOKENS_IN = Goal(
    "tokens_in", "About 3,000 tokens are read for a conversation that a model is asked about.",
    0, 3000 * 1.25,
)  # fmt: skip
TOKENS_OUT = Goal(
    "tokens_out", "About 500 tokens are written for a conversation that a model is asked about.",
    0, 500 * 1.25,
)  # fmt: skip
ALL = (YIELD, CONFIDENCE, SOURCED, TOKENS_IN, TOKENS_OUT)


def measures(
    candidates: pl.DataFrame, learnings: pl.DataFrame, records: pl.DataFrame, calls: pl.DataFrame
) -> dict[str, float]:
    """The goals' measures over the learnings of one namespace; those without a value left out.

    `calls` are all that were ever made, for whatever prompt or length then.
    """
    found: dict[str, float] = {}
    if candidates.height:
        final = outcomes(candidates, learnings)["outcome"]
        found[YIELD.name] = int((final == "stored").sum()) / final.len()
    if learnings.height:
        found[CONFIDENCE.name] = sum(learnings["confidence"]) / learnings.height
        sources = learnings.select("learning_id", "source_record_ids").explode("source_record_ids")
        there = sources.join(records, left_on="source_record_ids", right_on="record_id", how="semi")
        found[SOURCED.name] = there["learning_id"].n_unique() / learnings.height
    asked = int(candidates["extractor"].str.starts_with(LEARNING_MODEL.name).sum())
    paid = calls.filter(
        pl.col("asset") == LEARNING_CANDIDATES.name, pl.col("outcome") != UNANSWERED
    )
    for goal in (TOKENS_IN, TOKENS_OUT):
        # Where a provider did not say how many, it is not known.
        if asked and paid.height and not paid[goal.name].has_nulls():
            found[goal.name] = int(paid[goal.name].sum()) / asked
    return found


def missed(goal: Goal, values: Mapping[str, float]) -> list[str]:
    """Namespaces whose value lies outside of the goal."""
    return [name for name, value in values.items() if not goal.least <= value <= goal.most]
