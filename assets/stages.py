"""The steps of a run as the Dagster UI shows them: group of each, and what is told of a table."""

from collections.abc import Callable, Mapping
from typing import Any

from cairn.assets.engine.plots import bars, histogram, scatter
from cairn.assets.model_calls import costs_shown
from cairn.assets.work import work_shown
from cairn.knowledge.consolidation.similar_facts import templates
from cairn.knowledge.resolution.canonical import about_canonical
from cairn.knowledge.schema.tables import (
    CLUSTERS,
    ENTITY_MERGES,
    FACTS,
    LEARNINGS,
    MEMORY,
    MODEL_CALLS,
    SIMILAR_FACTS,
    WORK,
)
from cairn.resources.context import State

GROUPS = {
    "logs": ("extractors", "records", "raw_logs"),
    "findings": (
        "candidates", "learning_candidates", "command_runs", "checkouts", "failures",
        "observations",
    ),
    "knowledge": (
        "introductions", "known_only_candidates", "entities", "theme_facts", "facts",
        "proposed_operations", "decisions", "learnings",
    ),
    "projects": ("projects", "practices", "project_facts", "error_signatures"),
    "clustering": ("themes", "embeddings", "clusters", "similar_facts"),
    "consolidation": (
        "entity_verdicts", "entity_merges", "valid_times", "contradiction_verdicts", "evidence",
        "confidence_updates", "merge_verdicts", "merges",
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


def _templates(state: State) -> Shown:
    """How many facts are the same but for numbers, and how many pairs of them were left out."""
    columns = ["namespace", "fact_id", "entity_id", "predicate", "event", "content"]
    facts = state.warehouse.read(FACTS, columns=columns).collect()
    merged = state.warehouse.read(ENTITY_MERGES).collect()
    found = templates(about_canonical(facts, merged), state.policy).left_out
    return {"facts_of_templates": found["facts"].sum(), "pairs_left_out": found["pairs"].sum()}


def _categories(state: State) -> Shown:
    stored = state.warehouse.read(LEARNINGS, columns=["category"]).collect()
    return {"categories": bars(stored["category"].value_counts(), "Learnings by category")}


def _confidence(state: State) -> Shown:
    stored = state.warehouse.read(MEMORY, columns=["confidence"]).collect()
    return {"confidence": histogram(stored["confidence"], "Facts by confidence")}


SHOWN: Mapping[str, Callable[[State], Shown]] = {
    CLUSTERS.name: _maps, SIMILAR_FACTS.name: _templates, LEARNINGS.name: _categories,
    MEMORY.name: _confidence, WORK.name: work_shown, MODEL_CALLS.name: costs_shown,
}  # fmt: skip
"""What is shown of a table, by its name."""
