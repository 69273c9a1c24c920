"""What people engaged with, like and dislike."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.engine.run_stage import materialize, multi_asset, specs
from knowledge.build.stages import ENGAGEMENTS_STAGE as STAGE
from resources.context import State


@multi_asset(specs=specs(STAGE.writes, STAGE.reads, "interests"), name="engagements")
def engagements(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """What people engaged with, like and dislike."""
    yield from materialize(state, STAGE)
