"""Pairs of facts that may say the same, or deny each other."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.engine.run_stage import materialize, multi_asset, specs
from knowledge.consolidation.stages import SIMILAR_FACTS_STAGE as STAGE
from resources.context import State


@multi_asset(specs=specs(STAGE.writes, STAGE.reads, "consolidation"), name="similar_facts")
def similar_facts(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """Pairs of facts that may say the same, or deny each other."""
    yield from materialize(state, STAGE)
