"""One asset per stage over whole tables: its group, and what is shown beside ids and counts."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import dagster as dg

from cairn.assets.engine.plots import bars, histogram, scatter
from cairn.assets.engine.run_stage import materialize, multi_asset, specs
from cairn.knowledge.assembly.stages import STAGES
from cairn.knowledge.schema.tables import CLUSTERS, LEARNINGS, MEMORY
from cairn.resources.context import State

_GROUPS = {
    "knowledge": (
        "introductions", "known_only_candidates", "entities", "theme_facts", "facts",
        "proposed_operations", "decisions", "learnings", "projects", "practices", "project_facts",
        "error_signatures",
    ),
    "consolidation": (
        "themes", "entity_merges", "embeddings", "clusters", "similar_facts", "valid_times",
        "contradiction_verdicts", "evidence", "confidence_updates", "merge_verdicts", "merges",
    ),
    "interests": ("engagements", "interests"),
    "research": ("learn_prompts", "enrichment_queue", "notifications"),
    "serving": ("memory", "utility", "briefs", "funnel"),
}  # fmt: skip

Shown = Mapping[str, Any]


def _maps(state: State) -> Shown:
    columns = ["namespace", "fact_id", "x", "y", "cluster_id"]
    stored = state.warehouse.read(CLUSTERS, columns=columns).collect().sort("fact_id")
    return {
        f"map/{namespace}": scatter(own.rename({"cluster_id": "group"}), "Facts by topic")
        for (namespace,), own in sorted(stored.group_by("namespace", maintain_order=True))
    }


def _categories(state: State) -> Shown:
    stored = state.warehouse.read(LEARNINGS, columns=["category"]).collect()
    return {"categories": bars(stored["category"].value_counts(), "Learnings by category")}


def _confidence(state: State) -> Shown:
    stored = state.warehouse.read(MEMORY, columns=["confidence"]).collect()
    return {"confidence": histogram(stored["confidence"], "Facts by confidence")}


_SHOWN: Mapping[str, Callable[[State], Shown]] = {
    CLUSTERS.name: _maps, LEARNINGS.name: _categories, MEMORY.name: _confidence
}  # fmt: skip
"""What is shown of a table, by its name."""

BY_NAME = {stage.writes[0].name: stage for stage in STAGES}
"""The stage of each asset, which has the name of its first table; looked up when it runs."""


def _asset(name: str, group: str) -> dg.AssetsDefinition:
    stage = BY_NAME[name]

    def step(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
        yield from materialize(state, BY_NAME[name], _SHOWN)

    step.__doc__ = stage.extractor.about
    return multi_asset(specs=specs(stage.writes, stage.reads, group), name=name)(step)


STAGE_ASSETS = tuple(
    _asset(name, group) for name in BY_NAME for group, names in _GROUPS.items() if name in names
)
"""In the order in which a run makes them."""
