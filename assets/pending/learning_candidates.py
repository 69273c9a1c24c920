"""Learning candidates: what decides them, and the days that owe some."""

from datetime import UTC, datetime

import polars as pl

from cairn.assets.pending import by_conversation
from cairn.knowledge.dialogue.turns import CONVERSATION
from cairn.knowledge.engine.extractors import Extractor
from cairn.knowledge.learnings.llm import extraction
from cairn.knowledge.learnings.llm.extraction import LEARNING_MODEL
from cairn.knowledge.learnings.llm.readiness import finished
from cairn.knowledge.learnings.stages import EXTRACTOR
from cairn.knowledge.schema.tables import CONVERSATIONS, LEARNING_CANDIDATES, RAW_LOGS, SOURCE_FILES
from cairn.resources.context import State
from cairn.resources.home.settings import Settings


def extractors(settings: Settings) -> list[Extractor]:
    """The rules, and a model if one is set."""
    model = settings.model_in_force
    return [EXTRACTOR] if model is None else [EXTRACTOR, extraction.in_force(model)]


def retired(settings: Settings) -> list[str]:
    """Stages that are not in force, and whose rows go: the model if none is set."""
    return [LEARNING_MODEL.name] if settings.model is None else []


def pending(state: State) -> pl.DataFrame:
    """Units that are pending and can be done; a model does those of finished conversations only."""
    units = by_conversation.pending(state, extractors(state.settings))
    rested = finished_conversations(state).rename({"conversation_id": "unit"})
    by_model = pl.col("stage") == LEARNING_MODEL.name
    ready = units.filter(by_model).join(rested, on=rested.columns, how="semi")
    return pl.concat([units.filter(~by_model), ready])


def pending_days(state: State) -> list[str]:
    """Days with conversations to judge, or with rows of what is gone, elsewhere or retired."""
    stray = by_conversation.stray_days(
        state, [LEARNING_CANDIDATES], extractors(state.settings), retired(state.settings)
    )
    return sorted({*pending(state)["day"], *stray})


def finished_conversations(state: State) -> pl.DataFrame:
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
