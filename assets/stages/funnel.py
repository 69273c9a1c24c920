"""Pass rate of each gate."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.engine.run_stage import materialize, multi_asset, specs
from knowledge.build.stages import FUNNEL_STAGE as STAGE
from resources.context import State


@multi_asset(specs=specs(STAGE.writes, STAGE.reads, "serving"), name="funnel")
def funnel(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """Pass rate of each gate."""
    yield from materialize(state, STAGE)
