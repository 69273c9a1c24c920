"""What people decided, by the ids of today."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.engine.run_stage import materialize, multi_asset, specs
from knowledge.build.stages import DECISIONS_STAGE as STAGE
from resources.context import State


@multi_asset(specs=specs(STAGE.writes, STAGE.reads, "knowledge"), name="decisions")
def decisions(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """What people decided, by the ids of today."""
    yield from materialize(state, STAGE)
