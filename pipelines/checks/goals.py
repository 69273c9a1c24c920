"""The check that compares learnings with their goals."""

from collections.abc import Iterator

import dagster as dg
import polars as pl

from cairn.assets.engine.namespaces import NAMESPACES
from cairn.knowledge.learnings.goals import ALL, measures, missed
from cairn.knowledge.schema.tables import LEARNING_CANDIDATES, LEARNINGS, RAW_LOGS
from cairn.resources.context import State


@dg.multi_asset_check(
    name="goals_of_learnings",
    description="What learnings should be like; a miss only warns.",
    specs=[
        dg.AssetCheckSpec(
            goal.name, asset="learnings", description=goal.about, partitions_def=NAMESPACES
        )
        for goal in ALL
    ],
    can_subset=True,
)
def goals_of_learnings(
    context: dg.AssetCheckExecutionContext, state: dg.ResourceParam[State]
) -> Iterator[dg.AssetCheckResult]:
    """Compares the learnings of a namespace with the goals."""
    own = state.of(context.partition_key)
    candidates = own.warehouse.read(LEARNING_CANDIDATES).collect()
    learnings = own.warehouse.read(LEARNINGS).collect()
    records = own.warehouse.read(RAW_LOGS, columns=["namespace", "record_id"]).collect()
    calls = state.answers.ledger().filter(pl.col("namespace") == own.own)
    measured: dict[str, float] = {}
    if candidates.height:
        measured = measures(candidates, learnings, records, calls)
    asked = {key.name for key in context.selected_asset_check_keys}
    for goal in ALL:
        if goal.name not in asked:
            continue
        values = {own.own: measured[goal.name]} if goal.name in measured else {}
        wide = missed(goal, values)
        yield dg.AssetCheckResult(
            asset_key="learnings",
            check_name=goal.name,
            passed=not wide,
            severity=dg.AssetCheckSeverity.WARN,
            description=goal.about + (" Not so here." if wide else ""),
            metadata={"value": round(measured[goal.name], 3)} if values else {},
        )


GOALS = (goals_of_learnings,)
