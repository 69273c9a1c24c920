"""What is to be searched for; nothing is searched for here."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.engine.run_stage import materialize, multi_asset, specs
from knowledge.research.stages import ENRICHMENT_QUEUE_STAGE as STAGE
from resources.context import State


@multi_asset(specs=specs(STAGE.writes, STAGE.reads, "research"), name="enrichment_queue")
def enrichment_queue(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """What is to be searched for; nothing is searched for here."""
    yield from materialize(state, STAGE)
