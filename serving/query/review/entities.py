"""Entities that may be one thing."""

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from cairn.resources.context import State

MAY_BE_ONE = {
    "containment": "behind the name stands what kind of thing it is",
    "acronym": "one has the initials of the other",
    "spelling": "one letter differs",
    "within": "one name is a word of the other",
    "alike": "their names are alike",
    "beside": "the same is named beside both",
}
"""Why two may be one, by what pairs them."""


def entity_pairs(state: "State", namespace: str | None) -> pl.DataFrame:
    """Entities that may be one, the likeliest first, with what a model said, and what decides."""
    return pl.concat(
        [_pairs_of(own) for own in state.each() if namespace in (None, own.own)]
        or [_pairs_of(state)]
    )


def _pairs_of(state: "State") -> pl.DataFrame:
    from cairn.knowledge.consolidation.verdicts.decision_effects import decided_entities, still_held
    from cairn.knowledge.llm.prompts.entity_pairs import DIFFERENT
    from cairn.knowledge.resolution.alike_entities import alike_entities
    from cairn.knowledge.schema.tables import (
        DECISIONS,
        ENTITIES,
        ENTITY_MERGES,
        ENTITY_VERDICTS,
        FACTS,
    )

    entities, facts, merged, decisions, verdicts = (
        state.warehouse.read(table).collect()
        for table in (ENTITIES, FACTS, ENTITY_MERGES, DECISIONS, ENTITY_VERDICTS)
    )
    _, apart = decided_entities(decisions)
    embedder = state.cached_embedder(state.policy.embedder)
    found = alike_entities(
        entities, still_held(facts, decisions), merged, apart, embedder, state.policy
    )
    pair = ["namespace", "left_id", "right_id"]
    said = verdicts.select(*pair, "reason", "rejected_by", model_verdict="verdict")
    names = entities.select("namespace", "entity_id", "display_name")
    for side in ("left", "right"):
        found = found.join(
            names.rename({"entity_id": f"{side}_id", "display_name": side}),
            on=["namespace", f"{side}_id"],
            maintain_order="left",
        )
    return (
        found.join(said, on=pair, how="left", maintain_order="left")
        .filter(pl.col("model_verdict").is_null() | (pl.col("model_verdict") != DIFFERENT))
        .select(
            *pair, "left", "right", "rule", "similarity", "beside", "model_verdict", "reason",
            "rejected_by",
            decide=pl.concat_list(
                pl.concat_str(pl.lit(f"cairn {verb}"), "left_id", "right_id", separator=" ")
                for verb in ("merge", "keep-apart")
            ),
        )
    )  # fmt: skip
