"""Learning candidates: what conversations of some days are worth, and what they teach."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from cairn.assets.engine import run_by_conversation
from cairn.assets.engine.progress import StageReport, timed
from cairn.assets.engine.run_by_conversation import MadeRows
from cairn.assets.pending.learning_candidates import (
    extractors,
    finished_conversations,
    retired,
)
from cairn.knowledge.assembly.run import STEPS
from cairn.knowledge.dialogue.turns import CONVERSATION
from cairn.knowledge.engine.work import OUTCOME_SCHEMA
from cairn.knowledge.learnings.llm.extraction import LEARNING_MODEL, asked_learnings
from cairn.knowledge.learnings.stages import EXTRACTOR, learning_candidates
from cairn.knowledge.llm.client import LanguageModel
from cairn.knowledge.schema.tables import LEARNING_CANDIDATES
from cairn.resources.context import State

if TYPE_CHECKING:
    from cairn.resources.llm.dry_run import DryRunModel

STEP = STEPS["learning_candidates"]


def run_learning_candidates(state: State, days: Sequence[str]) -> StageReport:
    """Judges each conversation of `days` that is new or grew, and asks about those that rest."""

    def make(logs: pl.DataFrame, names: Sequence[str], model: LanguageModel | None) -> MadeRows:
        rows, outcomes = LEARNING_CANDIDATES.empty(), pl.DataFrame(schema=OUTCOME_SCHEMA)
        lost: dict[str, pl.DataFrame] = {}
        if EXTRACTOR.name in names:
            rows = learning_candidates(logs, state.policy)
            outcomes = _outcomes(rows)
        if LEARNING_MODEL.name in names and model is not None:
            rested = finished_conversations(state)
            taught = asked_learnings(logs, rested, model, state.policy)
            rows = pl.concat([rows, taught.candidates])
            outcomes = pl.concat([outcomes, taught.outcomes])
            lost[LEARNING_MODEL.name] = taught.failures
            waiting = taught.outcomes.filter(pl.col("outcome") == "pending")
            if (
                model is state.language_model
                and waiting.join(rested, left_on=_UNIT, right_on=CONVERSATION, how="semi").height
            ):
                state.wait_for_model("learning_candidates", waits=True)
        return MadeRows({LEARNING_CANDIDATES.name: rows}, outcomes, lost)

    state.wait_for_model("learning_candidates", waits=False)
    name = "learning_candidates"
    with state.writing(name), timed(name, state.namespace) as ended:
        settings = state.settings
        return ended(
            run_by_conversation.run(
                state, [LEARNING_CANDIDATES], extractors(settings), days, make, retired(settings)
            )
        )


_UNIT = ["namespace", "unit"]


def _outcomes(rows: pl.DataFrame) -> pl.DataFrame:
    """What became of the units of conversations that rules judged."""
    return rows.select(
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


def estimate(state: State, units: pl.DataFrame) -> "DryRunModel":
    """What a language model would be asked for some units of its stage, and nothing is asked.

    `units` has namespace, unit (a conversation) and day.
    """

    def ask(logs: pl.DataFrame, model: LanguageModel) -> None:
        asked_learnings(logs, finished_conversations(state), model, state.policy)

    return run_by_conversation.estimate(state, units, ask)
