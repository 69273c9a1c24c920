"""Proposed operation types: commands that come again and that no rule names a kind of."""

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from cairn.resources.context import State


def operations(state: "State", namespace: str | None) -> pl.DataFrame:
    """Patterns of commands that no rule names, those of most conversations first."""
    from cairn.knowledge.schema.tables import PROPOSED_OPERATIONS

    found = state.warehouse.read(PROPOSED_OPERATIONS, namespace=namespace)
    return found.sort(
        "conversations", "commands", "namespace", "pattern", descending=[True, True, False, False]
    ).collect()
