"""Reusable lessons without duplicates."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.stage import materialize, specs
from knowledge.stages import LEARNINGS_STAGE as STAGE
from resources.state import State


@dg.multi_asset(specs=specs(STAGE.writes, STAGE.reads, "knowledge"), name="learnings")
def learnings(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """Reusable lessons without duplicates."""
    yield from materialize(state, STAGE)
