"""Stages by rules alone, each over the conversations of some days."""

from collections.abc import Sequence

import polars as pl

from cairn.assets.engine import run_by_conversation
from cairn.assets.engine.progress import StageReport, timed
from cairn.assets.engine.run_by_conversation import MadeRows
from cairn.knowledge.engine.stage import ConversationStage
from cairn.knowledge.llm.client import LanguageModel
from cairn.resources.context import State


def run_by_rules(stage: ConversationStage, state: State, days: Sequence[str]) -> StageReport:
    """Reads each conversation of `days` that is new or grew."""

    def make(logs: pl.DataFrame, names: Sequence[str], model: LanguageModel | None) -> MadeRows:
        del names, model
        made = stage.run(logs)
        return MadeRows(made, _outcomes(stage, made[stage.name]))

    with state.writing(stage.name), timed(stage.name, state.namespace) as ended:
        return ended(run_by_conversation.run(state, stage.writes, [stage.extractor], days, make))


def _outcomes(stage: ConversationStage, rows: pl.DataFrame) -> pl.DataFrame:
    """What became of the conversations that gave rows of the first table; the others gave none."""
    return (
        rows.group_by("namespace", unit="conversation_id")
        .agg(rows=pl.len().cast(pl.Int64))
        .select(
            "namespace",
            pl.lit(stage.extractor.name).alias("stage"),
            "unit",
            pl.lit("done").alias("outcome"),
            "rows",
        )
        .sort("namespace", "unit")
    )
