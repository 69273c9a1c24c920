"""Proposed operations: kinds of command for a person to name."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.engine.run_stage import materialize, multi_asset, specs
from knowledge.build.stages import PROPOSED_OPERATIONS_STAGE as STAGE
from resources.context import State


@multi_asset(specs=specs(STAGE.writes, STAGE.reads, "knowledge"), name="proposed_operations")
def proposed_operations(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """Proposed operations: kinds of command for a person to name."""
    yield from materialize(state, STAGE)
