"""The current view: facts and entities as they stand."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.engine.plots import histogram
from assets.engine.run_stage import materialize, multi_asset, specs
from knowledge.consolidation.stages import MEMORY_STAGE as STAGE
from knowledge.schema.tables import MEMORY
from resources.context import State


@multi_asset(specs=specs(STAGE.writes, STAGE.reads, "serving"), name="memory")
def memory(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """The current view: facts and entities as they stand."""

    def confidence() -> dict[str, dg.MarkdownMetadataValue]:
        stored = state.warehouse.read(MEMORY, columns=["confidence"]).collect()
        return {"confidence": histogram(stored["confidence"], "Facts by confidence")}

    yield from materialize(state, STAGE, {MEMORY.name: confidence})
