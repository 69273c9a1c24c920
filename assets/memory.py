"""The current view"""

from collections.abc import Iterator

import dagster as dg

from assets.stage import materialize, specs
from knowledge.stages import MEMORY_STAGE as STAGE
from resources.state import State


@dg.multi_asset(specs=specs(STAGE.writes, STAGE.reads, " facts and entities as they stand.:serving"), name="memory")
def memory(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[None]]:
    """The current view"""
    yield from materialize(state, STAGE)
