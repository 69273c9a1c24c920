"""The check that compares learnings with their goals."""

from collections.abc import Iterator

import dagster as dg
import polars as pl

from cairn.knowledge.learnings.goals import ALL, measures, missed
from cairn.knowledge.schema.tables import LEARNING_CANDIDATES, LEARNINGS, RAW_LOGS
from cairn.resources.context import State


@dg.multi_asset_check(
    name="goals_of_learnings",
    description="What learnings should be like; a miss only warns.",
    specs=[dg.AssetCheckSpec(goal.name, asset="learnings", description=goal.about) for goal in ALL],
    can_subset=True,
)
def goals_of_learnings(
    context: dg.AssetCheckExecutionContext, state: dg.ResourceParam[State]
) -> Iterator[dg.AssetCheckResult]:
    """Compares learnings with the goals, namespace by namespace."""
    candidates = state.warehouse.read(LEARNING_CANDIDATES).collect()
    learnings = state.warehouse.read(LEARNINGS).collect()
    records = state.warehouse.read(RAW_LOGS, columns=["namespace", "record_id"]).collect()
    calls = state.answers.ledger()
    measured: dict[str, dict[str, float]] = {}
    for namespace in candidates["namespace"].unique().sort():
        own = pl.col("namespace") == namespace
        measured[namespace] = measures(
            candidates.filter(own), learnings.filter(own), records.filter(own), calls.filter(own)
        )
    asked = {key.name for key in context.selected_asset_check_keys}
    for goal in ALL:
        if goal.name not in asked:
            continue
        values = {name: found[goal.name] for name, found in measured.items() if goal.name in found}
        wide = missed(goal, values)
        yield dg.AssetCheckResult(
            asset_key="learnings",
            check_name=goal.name,
            passed=not wide,
            severity=dg.AssetCheckSeverity.WARN,
            description=goal.about + (f" Not so in {', '.join(wide)}." if wide else ""),
            metadata={name: round(value, 3) for name, value in values.items()},
        )


GOALS = (goals_of_learnings,)
