"""Known-only candidates: what searches brought about names known before."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.engine.run_stage import materialize, multi_asset, specs
from knowledge.build.stages import KNOWN_ONLY_STAGE as STAGE
from resources.context import State


@multi_asset(specs=specs(STAGE.writes, STAGE.reads, "knowledge"), name="known_only_candidates")
def known_only_candidates(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """Known-only candidates: facts about names that a person introduced before."""
    yield from materialize(state, STAGE)
