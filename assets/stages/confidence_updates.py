"""Confidence of facts after each event."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.engine.run_stage import materialize, multi_asset, specs
from knowledge.consolidation.stages import CONFIDENCE_STAGE as STAGE
from resources.context import State


@multi_asset(specs=specs(STAGE.writes, STAGE.reads, "consolidation"), name="confidence_updates")
def confidence_updates(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """Confidence of facts after each event."""
    yield from materialize(state, STAGE)
