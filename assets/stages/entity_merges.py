"""Entities that are one thing under several names."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.engine.run_stage import materialize, multi_asset, specs
from knowledge.consolidation.stages import ENTITY_MERGES_STAGE as STAGE
from resources.context import State


@multi_asset(specs=specs(STAGE.writes, STAGE.reads, "consolidation"), name="entity_merges")
def entity_merges(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """Entities that are one thing under several names."""
    yield from materialize(state, STAGE)
