"""Theme facts: what holds beyond the single episode."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.engine.run_stage import materialize, multi_asset, specs
from knowledge.build.stages import THEME_FACTS_STAGE as STAGE
from resources.context import State


@multi_asset(specs=specs(STAGE.writes, STAGE.reads, "knowledge"), name="theme_facts")
def theme_facts(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """Theme facts: what holds beyond the single episode."""
    yield from materialize(state, STAGE)
