"""Texts in force and their vectors."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.stage import materialize, multi_asset, specs
from knowledge.consolidation import EMBEDDINGS_STAGE as STAGE
from resources.state import State


@multi_asset(specs=specs(STAGE.writes, STAGE.reads, "consolidation"), name="embeddings")
def embeddings(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """Texts in force and their vectors."""
    yield from materialize(state, STAGE)
