"""The steps of a run as the Dagster UI shows them: group of each, and what is told of a table."""

from collections.abc import Callable, Mapping
from typing import Any

from cairn.assets.engine.plots import bars, histogram, scatter
from cairn.assets.model_calls import costs_shown
from cairn.assets.work import work_shown
from cairn.knowledge.schema.tables import CLUSTERS, LEARNINGS, MEMORY, MODEL_CALLS, WORK
from cairn.resources.context import State

GROUPS = {
    "logs": ("extractors", "records", "raw_logs"),
    "findings": (
        "candidates", "learning_candidates", "command_runs", "checkouts", "failures",
        "observations",
    ),
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
    "serving": ("memory", "utility", "briefs", "funnel", "vector_index", "publication"),
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


SHOWN: Mapping[str, Callable[[State], Shown]] = {
    CLUSTERS.name: _maps, LEARNINGS.name: _categories, MEMORY.name: _confidence,
    WORK.name: work_shown, MODEL_CALLS.name: costs_shown,
}  # fmt: skip
"""What is shown of a table, by its name."""
