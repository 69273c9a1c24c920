"""What people decided, by the ids of today."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.stage import materialize, multi_asset, specs
from knowledge.stages import DECISIONS_STAGE as STAGE
from resources.state import State


@multi_asset(specs=specs(STAGE.writes, STAGE.reads, "knowledge"), name="decisions")
def decisions(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """What people decided, by the ids of today."""
    yield from materialize(state, STAGE)
