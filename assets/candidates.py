"""Candidates: what rules find in the raw logs of some days."""

from collections.abc import Iterator, Sequence
from typing import Any

import dagster as dg
import polars as pl

from assets import by_conversation
from assets.by_conversation import Made
from assets.days import DAYS
from assets.progress import Report, timed
from assets.stage import result, specs
from knowledge.candidates import candidates, outcomes
from knowledge.rules import RULES
from knowledge.tables import CANDIDATES, RAW_LOGS
from resources.lock import write_lock
from resources.state import State

EXTRACTORS = [rule.extractor for rule in RULES]


def run_candidates(state: State, days: Sequence[str]) -> Report:
    """Runs each rule on the conversations of `days` that it owes."""

    def make(logs: pl.DataFrame, names: Sequence[str]) -> Made:
        rules = [rule for rule in RULES if rule.name in names]
        found = candidates(logs, state.policy, rules)
        return Made(found.candidates, outcomes(logs, found, rules))

    with write_lock(state.home, "candidates"), timed("candidates") as finished:
        return finished(by_conversation.run(state, CANDIDATES, EXTRACTORS, days, make))


@dg.multi_asset(
    specs=specs([CANDIDATES], [RAW_LOGS], "knowledge"),
    partitions_def=DAYS,
    backfill_policy=dg.BackfillPolicy.single_run(),
    name="candidates",
)
def candidates_asset(
    context: dg.AssetExecutionContext, state: dg.ResourceParam[State]
) -> Iterator[dg.MaterializeResult[Any]]:
    """What rules find in the days in question."""
    yield result(state, CANDIDATES, run_candidates(state, list(context.partition_keys)))
