"""What speaks for and against facts."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.stage import materialize, multi_asset, specs
from knowledge.consolidation import EVIDENCE_STAGE as STAGE
from resources.state import State


@multi_asset(specs=specs(STAGE.writes, STAGE.reads, "consolidation"), name="evidence")
def evidence(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """What speaks for and against facts."""
    yield from materialize(state, STAGE)
