"""Reusable lessons without duplicates."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.engine.plots import bars
from assets.engine.run_stage import materialize, multi_asset, specs
from knowledge.build.stages import LEARNINGS_STAGE as STAGE
from knowledge.schema.tables import LEARNINGS
from resources.context import State


@multi_asset(specs=specs(STAGE.writes, STAGE.reads, "knowledge"), name="learnings")
def learnings(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """Reusable lessons without duplicates."""

    def categories() -> dict[str, dg.MarkdownMetadataValue]:
        stored = state.warehouse.read(LEARNINGS, columns=["category"]).collect()
        counts = stored["category"].value_counts()
        return {"categories": bars(counts, "Learnings by category")}

    yield from materialize(state, STAGE, {LEARNINGS.name: categories})
