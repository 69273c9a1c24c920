"""Learning candidates: what conversations of some days are worth, and what they teach."""

from collections.abc import Iterator, Sequence
from typing import Any

import dagster as dg
import polars as pl

from assets import by_conversation
from assets.by_conversation import Made
from assets.days import DAYS
from assets.progress import Report, timed
from assets.stage import result, specs
from knowledge.learnings.stage import EXTRACTOR, learning_candidates
from knowledge.tables import LEARNING_CANDIDATES, RAW_LOGS
from resources.lock import write_lock
from resources.state import State

EXTRACTORS = [EXTRACTOR]


def run_learning_candidates(state: State, days: Sequence[str]) -> Report:
    """Judges each conversation of `days` that is new or grew."""

    def make(logs: pl.DataFrame, names: Sequence[str]) -> Made:
        del names
        rows = learning_candidates(logs, state.policy)
        outcomes = rows.select(
            "namespace",
            pl.lit(EXTRACTOR.name).alias("stage"),
            pl.col("conversation_id").alias("unit"),
            pl.when(pl.col("outcome") == "stored")
            .then(pl.lit("done"))
            .when(pl.col("outcome") == "low_quality")
            .then(pl.lit("rejected"))
            .when(pl.col("outcome") == "failed")
            .then(pl.lit("failed"))
            .otherwise(pl.lit("empty"))
            .alias("outcome"),
            pl.lit(1, pl.Int64).alias("rows"),
        )
        return Made({LEARNING_CANDIDATES.name: rows}, outcomes)

    with write_lock(state.home, "learning_candidates"), timed("learning_candidates") as finished:
        return finished(by_conversation.run(state, [LEARNING_CANDIDATES], EXTRACTORS, days, make))


@dg.multi_asset(
    specs=specs([LEARNING_CANDIDATES], [RAW_LOGS], "knowledge"),
    partitions_def=DAYS,
    backfill_policy=dg.BackfillPolicy.single_run(),
    name="learning_candidates",
)
def learning_candidates_asset(
    context: dg.AssetExecutionContext, state: dg.ResourceParam[State]
) -> Iterator[dg.MaterializeResult[Any]]:
    """What the conversations of the days in question teach."""
    days = list(context.partition_keys)
    yield result(state, LEARNING_CANDIDATES, run_learning_candidates(state, days))
