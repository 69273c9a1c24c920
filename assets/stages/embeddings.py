"""Texts in force and their vectors."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.engine.run_stage import materialize, multi_asset, specs
from knowledge.consolidation.stages import EMBEDDINGS_STAGE as STAGE
from resources.context import State


@multi_asset(specs=specs(STAGE.writes, STAGE.reads, "consolidation"), name="embeddings")
def embeddings(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """Texts in force and their vectors."""
    yield from materialize(state, STAGE)
