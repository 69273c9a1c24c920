"""Learning candidates: what conversations of some days are worth, and what they teach."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import dagster as dg
import polars as pl

from cairn.assets.engine import run_by_conversation
from cairn.assets.engine.partitions import DAYS, days_asked_for
from cairn.assets.engine.progress import StageReport, timed
from cairn.assets.engine.run_by_conversation import MadeRows
from cairn.assets.engine.run_stage import multi_asset, result, specs
from cairn.assets.raw_logs import all_days
from cairn.knowledge.assembly.run import STEPS
from cairn.knowledge.dialogue.turns import CONVERSATION
from cairn.knowledge.engine.extractors import Extractor
from cairn.knowledge.engine.work import OUTCOME_SCHEMA
from cairn.knowledge.learnings.llm import extraction
from cairn.knowledge.learnings.llm.extraction import LEARNING_MODEL, asked_learnings
from cairn.knowledge.learnings.llm.readiness import finished
from cairn.knowledge.learnings.stages import EXTRACTOR, learning_candidates
from cairn.knowledge.llm.client import LanguageModel
from cairn.knowledge.schema.tables import CONVERSATIONS, LEARNING_CANDIDATES, RAW_LOGS, SOURCE_FILES
from cairn.resources.context import State
from cairn.resources.home.settings import Settings
from cairn.resources.home.write_lock import write_lock

if TYPE_CHECKING:
    from cairn.resources.llm.dry_run import DryRunModel

STEP = STEPS["learning_candidates"]


def extractors(settings: Settings) -> list[Extractor]:
    """The rules, and a model if one is set."""
    model = settings.model
    return [EXTRACTOR] if model is None else [EXTRACTOR, extraction.in_force(model)]


def retired(settings: Settings) -> list[str]:
    """Stages that are not in force, and whose rows go: the model if none is set."""
    return [LEARNING_MODEL.name] if settings.model is None else []


def pending(state: State) -> pl.DataFrame:
    """Units that are pending and can be done; a model does those of finished conversations only."""
    pending_units = run_by_conversation.pending(state, extractors(state.settings))
    rested = _finished(state).rename({"conversation_id": "unit"})
    by_model = pl.col("stage") == LEARNING_MODEL.name
    ready = pending_units.filter(by_model).join(rested, on=rested.columns, how="semi")
    return pl.concat([pending_units.filter(~by_model), ready])


def pending_days(state: State) -> list[str]:
    """Days with conversations to judge, or with rows of what is gone, elsewhere or retired."""
    stray = run_by_conversation.stray_days(state, LEARNING_CANDIDATES, retired(state.settings))
    return sorted({*pending(state)["day"], *stray})


def _finished(state: State) -> pl.DataFrame:
    """Conversations that have rested by now; an event's own time tells more than its file's."""
    columns = [*CONVERSATION, "ended_at", "day"]
    ended = state.warehouse.read(CONVERSATIONS, columns=columns).collect()
    touched = _touched(state, ended.filter(pl.col("ended_at").is_null()))
    return finished(ended, touched, ended.clear(), datetime.now(UTC))


def _touched(state: State, undated: pl.DataFrame) -> pl.DataFrame:
    """When the files of conversations without a time were last written."""
    changed = pl.from_epoch(pl.col("modified_ns") // 1000, "us").dt.replace_time_zone("UTC")
    if undated.is_empty():
        return undated.select(*CONVERSATION, touched_at="ended_at")
    columns = [*CONVERSATION, "source_file"]
    files = state.warehouse.read(SOURCE_FILES, columns=["namespace", "path", "modified_ns"])
    return (
        state.warehouse.read(RAW_LOGS, days=sorted(set(undated["day"])), columns=columns)
        .join(undated.lazy(), on=CONVERSATION, how="semi")
        .unique()
        .join(files, left_on=["namespace", "source_file"], right_on=["namespace", "path"])
        .select(*CONVERSATION, touched_at=changed)
        .collect()
    )


def run_learning_candidates(state: State, days: Sequence[str]) -> StageReport:
    """Judges each conversation of `days` that is new or grew, and asks about those that rest."""

    def make(logs: pl.DataFrame, names: Sequence[str], model: LanguageModel | None) -> MadeRows:
        rows, outcomes = LEARNING_CANDIDATES.empty(), pl.DataFrame(schema=OUTCOME_SCHEMA)
        lost: dict[str, pl.DataFrame] = {}
        if EXTRACTOR.name in names:
            rows = learning_candidates(logs, state.policy)
            outcomes = _outcomes(rows)
        if LEARNING_MODEL.name in names and model is not None:
            rested = _finished(state)
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
    with write_lock(state.home, "learning_candidates"), timed("learning_candidates") as ended:
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
        asked_learnings(logs, _finished(state), model, state.policy)

    return run_by_conversation.estimate(state, units, ask)


@multi_asset(
    specs=specs(STEP.writes, STEP.reads, "knowledge"),
    partitions_def=DAYS,
    backfill_policy=dg.BackfillPolicy.single_run(),
    name=STEP.name,
)
def learning_candidates_asset(
    context: dg.AssetExecutionContext, state: dg.ResourceParam[State]
) -> Iterator[dg.MaterializeResult[Any]]:
    """What the conversations of the days in question teach."""
    days = days_asked_for(context, lambda: all_days(state))
    yield result(state, LEARNING_CANDIDATES, run_learning_candidates(state, days))
