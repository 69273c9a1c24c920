"""The current view: facts and entities as they stand."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.stage import materialize, specs
from knowledge.stages import MEMORY_STAGE as STAGE
from resources.state import State


@dg.multi_asset(specs=specs(STAGE.writes, STAGE.reads, "serving"), name="memory")
def memory(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """The current view: facts and entities as they stand."""
    yield from materialize(state, STAGE)
