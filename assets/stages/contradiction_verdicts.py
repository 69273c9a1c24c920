"""What a language model says of facts that differ in words."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.engine.run_stage import materialize, multi_asset, specs
from knowledge.consolidation.stages import CONTRADICTION_VERDICTS_STAGE as STAGE
from resources.context import State


@multi_asset(specs=specs(STAGE.writes, STAGE.reads, "consolidation"), name="contradiction_verdicts")
def contradiction_verdicts(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """What a language model says of facts that differ in words."""
    yield from materialize(state, STAGE)
