"""Candidates: what decides them, and the days that owe some."""

import polars as pl

from cairn.assets.pending import by_conversation
from cairn.knowledge.assembly.run import STEPS
from cairn.knowledge.engine.extractors import Extractor
from cairn.knowledge.extraction import documents, llm_extraction
from cairn.knowledge.extraction.rules import RULES
from cairn.resources.context import State
from cairn.resources.home.settings import Settings


def extractors(settings: Settings) -> list[Extractor]:
    """The rules, what takes apart that people ingest, and full mode if a model is set."""
    model = settings.model_in_force
    always = [*(rule.extractor for rule in RULES), documents.in_force(model)]
    return always if model is None else [*always, llm_extraction.in_force(settings.policy, model)]


def retired(settings: Settings) -> list[str]:
    """Stages that are not in force, and whose rows go: full mode if no model is set."""
    return [llm_extraction.FULL_MODE.name] if settings.model is None else []


def pending(state: State) -> pl.DataFrame:
    """Units that are pending."""
    return by_conversation.pending(state, extractors(state.settings))


def pending_days(state: State) -> list[str]:
    """Days with candidates to make."""
    return by_conversation.pending_days(
        state, STEPS["candidates"].writes, extractors(state.settings), retired(state.settings)
    )
