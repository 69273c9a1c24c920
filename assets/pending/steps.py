"""The steps that go conversation by conversation: what decides each, and which days owe it."""

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from cairn.assets.pending import by_conversation, candidates, learning_candidates
from cairn.knowledge.assembly.stages import BY_RULES
from cairn.knowledge.engine.extractors import Extractor
from cairn.knowledge.engine.stage import ConversationStage
from cairn.resources.context import State
from cairn.resources.home.settings import Settings


@dataclass(frozen=True)
class ConversationStep:
    """A step of a run over the conversations of some days, by its name in RUN."""

    name: str
    extractors: Callable[[Settings], list[Extractor]]
    """In force."""
    pending: Callable[[State], pl.DataFrame]
    """Units (namespace, stage, unit, input_hash, fingerprint, day) that can be done now."""
    pending_days: Callable[[State], list[str]]
    """Days with such units, or with rows of what is gone, elsewhere or retired."""


def _of(stage: ConversationStage) -> ConversationStep:
    own = [stage.extractor]
    return ConversationStep(
        stage.name,
        lambda _: own,
        lambda state: by_conversation.pending(state, own),
        lambda state: by_conversation.pending_days(state, stage.writes, own),
    )


BY_CONVERSATION = (
    *(
        ConversationStep(name, part.extractors, part.pending, part.pending_days)
        for name, part in (
            ("candidates", candidates),
            ("learning_candidates", learning_candidates),
        )
    ),
    *(_of(stage) for stage in BY_RULES),
)
