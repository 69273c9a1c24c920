"""Names through the gates: entities and rejections."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.engine.run_stage import materialize, multi_asset, specs
from knowledge.build.stages import ENTITIES_STAGE as STAGE
from resources.context import State


@multi_asset(specs=specs(STAGE.writes, STAGE.reads, "knowledge"), name="entities")
def entities(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """Names through the gates: entities and rejections."""
    yield from materialize(state, STAGE)
