"""What people want to learn, and how far the searches are."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.engine.run_stage import materialize, multi_asset, specs
from knowledge.research.stages import LEARN_PROMPTS_STAGE as STAGE
from resources.context import State


@multi_asset(specs=specs(STAGE.writes, STAGE.reads, "research"), name="learn_prompts")
def learn_prompts(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """What people want to learn, and how far the searches are."""
    yield from materialize(state, STAGE)
