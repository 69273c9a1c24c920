"""Candidates: what rules, and a language model if one is set, find in the raw logs of some days."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from cairn.assets.engine import run_by_conversation
from cairn.assets.engine.progress import StageReport, timed
from cairn.assets.engine.run_by_conversation import MadeRows
from cairn.assets.pending.candidates import extractors, retired
from cairn.knowledge.assembly.run import STEPS
from cairn.knowledge.extraction import documents, llm_extraction
from cairn.knowledge.extraction.candidates import candidates, outcomes
from cairn.knowledge.extraction.llm_units import Extraction, by_parts
from cairn.knowledge.extraction.rules import RULES
from cairn.knowledge.llm.client import LanguageModel
from cairn.knowledge.schema.tables import CANDIDATES, CHECK_INS, PIECES, REJECTED_FACTS
from cairn.resources.context import State

if TYPE_CHECKING:
    from cairn.resources.llm.dry_run import DryRunModel

STEP = STEPS["candidates"]


def run_candidates(state: State, days: Sequence[str]) -> StageReport:
    """Runs each rule, and the model, on the conversations of `days` that it owes."""

    def make(logs: pl.DataFrame, names: Sequence[str], model: LanguageModel | None) -> MadeRows:
        rules = [rule for rule in RULES if rule.name in names]
        found = candidates(logs, state.policy, rules)
        asked: dict[str, Extraction] = {}
        pieces, check_ins = PIECES.empty(), CHECK_INS.empty()
        if documents.STRUCTURING.name in names:
            ingested = documents.structuring(logs, model, state.policy)
            asked[documents.STRUCTURING.name], pieces, check_ins = ingested
        if llm_extraction.FULL_MODE.name in names and model is not None:
            asked[llm_extraction.FULL_MODE.name] = by_parts(
                logs,
                lambda own: llm_extraction.full_mode(
                    own, model, state.embedder_of(state.own), state.policy
                ),
            )
        became = pl.concat([outcomes(logs, found, rules), *(a.outcomes for a in asked.values())])
        if model is state.language_model and (became["outcome"] == "pending").any():
            state.wait_for_model("candidates", waits=True)
        made = {
            CANDIDATES.name: [found.candidates, *(one.candidates for one in asked.values())],
            REJECTED_FACTS.name: [found.held, *(one.refused for one in asked.values())],
            PIECES.name: [pieces],
            CHECK_INS.name: [check_ins],
        }
        rows = {name: pl.concat(frames) for name, frames in made.items()}
        return MadeRows(rows, became, {name: one.failures for name, one in asked.items()})

    state.wait_for_model("candidates", waits=False)
    with state.writing("candidates"), timed("candidates", state.namespace) as finished:
        settings = state.settings
        return finished(
            run_by_conversation.run(
                state, STEP.writes, extractors(settings), days, make, retired(settings)
            )
        )


def estimate(state: State, units: pl.DataFrame) -> "DryRunModel":
    """What a language model would be asked for some units of full mode, and nothing is asked.

    `units` has namespace, unit (a conversation) and day.
    """

    def ask(logs: pl.DataFrame, model: LanguageModel) -> None:
        llm_extraction.full_mode(logs, model, state.embedder, state.policy)

    return run_by_conversation.estimate(state, units, ask)


def estimate_ingested(state: State, units: pl.DataFrame) -> "DryRunModel":
    """As `estimate`, for units of what people ingested."""

    def ask(logs: pl.DataFrame, model: LanguageModel) -> None:
        documents.structuring(logs, model, state.policy)

    return run_by_conversation.estimate(state, units, ask)
