"""What speaks for and against facts."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.engine.run_stage import materialize, multi_asset, specs
from knowledge.consolidation.stages import EVIDENCE_STAGE as STAGE
from resources.context import State


@multi_asset(specs=specs(STAGE.writes, STAGE.reads, "consolidation"), name="evidence")
def evidence(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """What speaks for and against facts."""
    yield from materialize(state, STAGE)
