"""Introductions: who brought each name in."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.engine.run_stage import materialize, multi_asset, specs
from knowledge.build.stages import INTRODUCTIONS_STAGE as STAGE
from resources.context import State


@multi_asset(specs=specs(STAGE.writes, STAGE.reads, "knowledge"), name="introductions")
def introductions(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """Introductions: who brought each name in."""
    yield from materialize(state, STAGE)
