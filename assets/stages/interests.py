"""What people care about, by the latest event."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.engine.run_stage import materialize, multi_asset, specs
from knowledge.build.stages import INTERESTS_STAGE as STAGE
from resources.context import State


@multi_asset(specs=specs(STAGE.writes, STAGE.reads, "interests"), name="interests")
def interests(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """What people care about, by the latest event."""
    yield from materialize(state, STAGE)
