"""Entities that may be one thing, as `cairn review` shows them."""

from typing import TYPE_CHECKING, Any

import polars as pl

from cairn.serving.cli.terminal import console, say
from cairn.serving.read.display import one_line

if TYPE_CHECKING:
    from cairn.resources.context import State

MAY_BE_ONE = {
    "containment": "behind the name stands what kind of thing it is",
    "acronym": "one has the initials of the other",
    "spelling": "one letter differs",
}
"""Why two may be one, by the rule that nearly holds them for that."""


def entity_pairs(state: "State", namespace: str | None) -> pl.DataFrame:
    """Entities whose names a rule would make one if more were said of them, and what decides."""
    from cairn.knowledge.consolidation.decision_effects import decided_entities
    from cairn.knowledge.resolution.resolution import possible_merges
    from cairn.knowledge.schema.tables import DECISIONS, ENTITIES, ENTITY_MERGES, FACTS

    entities, facts, merged, decisions = (
        state.warehouse.read(table, namespace=namespace).collect()
        for table in (ENTITIES, FACTS, ENTITY_MERGES, DECISIONS)
    )
    _, apart = decided_entities(decisions)
    return possible_merges(entities, facts, merged, apart).with_columns(
        decide=pl.concat_list(
            pl.concat_str(pl.lit(f"cairn {verb}"), "left_id", "right_id", separator=" ")
            for verb in ("merge", "keep-apart")
        )
    )


def print_entities(row: dict[str, Any]) -> None:
    """Both names, why they may be one, and the commands that decide."""
    for side in ("left", "right"):
        say(f"{row[f'{side}_id']}  {one_line(row[side])}", style="yellow", indent=2)
    say(f"{MAY_BE_ONE[row['rule']]}; in {row['namespace']}", indent=4)
    for command in row["decide"]:
        say(command, style="dim", indent=4)
    console().print()
