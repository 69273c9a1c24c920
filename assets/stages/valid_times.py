"""When facts hold: values that took each other's place, and times that statements give."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.engine.run_stage import materialize, multi_asset, specs
from knowledge.consolidation.stages import VALID_TIMES_STAGE as STAGE
from resources.context import State


@multi_asset(specs=specs(STAGE.writes, STAGE.reads, "consolidation"), name="valid_times")
def valid_times(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """When facts hold: values that took each other's place, and times that statements give."""
    yield from materialize(state, STAGE)
