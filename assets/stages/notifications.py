"""What is to be told unasked; nothing is told here."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.engine.run_stage import materialize, multi_asset, specs
from knowledge.research.stages import NOTIFICATIONS_STAGE as STAGE
from resources.context import State


@multi_asset(specs=specs(STAGE.writes, STAGE.reads, "research"), name="notifications")
def notifications(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """What is to be told unasked; nothing is told here."""
    yield from materialize(state, STAGE)
