"""Facts that say the same."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.engine.run_stage import materialize, multi_asset, specs
from knowledge.consolidation.stages import MERGES_STAGE as STAGE
from resources.context import State


@multi_asset(specs=specs(STAGE.writes, STAGE.reads, "consolidation"), name="merges")
def merges(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """Facts that say the same."""
    yield from materialize(state, STAGE)
