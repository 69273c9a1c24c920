"""Facts and their sources."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.engine.run_stage import materialize, multi_asset, specs
from knowledge.build.stages import FACTS_STAGE as STAGE
from resources.context import State


@multi_asset(specs=specs(STAGE.writes, STAGE.reads, "knowledge"), name="facts")
def facts(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """Facts and their sources."""
    yield from materialize(state, STAGE)
