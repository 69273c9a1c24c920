"""Themes: HDBSCAN clusters of episodes."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.engine.run_stage import materialize, multi_asset, specs
from knowledge.build.stages import THEMES_STAGE as STAGE
from resources.context import State


@multi_asset(specs=specs(STAGE.writes, STAGE.reads, "consolidation"), name="themes")
def themes(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """Themes: HDBSCAN clusters of episodes."""
    yield from materialize(state, STAGE)
