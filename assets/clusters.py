"""Topics: HDBSCAN clusters of facts."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.stage import materialize, specs
from knowledge.stages import CLUSTERS_STAGE as STAGE
from resources.state import State


@dg.multi_asset(specs=specs(STAGE.writes, STAGE.reads, "consolidation"), name="clusters")
def clusters(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """Topics: HDBSCAN clusters of facts."""
    yield from materialize(state, STAGE)
