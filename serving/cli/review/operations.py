"""Proposed operation types, as `cairn review` shows them."""

from typing import TYPE_CHECKING, Any

import polars as pl

from cairn.serving.cli.terminal import console, say, say_value
from cairn.serving.read.display import one_line

if TYPE_CHECKING:
    from cairn.resources.context import State


def operations(state: "State", namespace: str | None) -> pl.DataFrame:
    """Patterns of commands that no rule names, those of most conversations first."""
    from cairn.knowledge.schema.tables import PROPOSED_OPERATIONS

    found = state.warehouse.read(PROPOSED_OPERATIONS, namespace=namespace)
    return found.sort(
        "conversations", "commands", "namespace", "pattern", descending=[True, True, False, False]
    ).collect()


def print_operation(row: dict[str, Any]) -> None:
    """The pattern, how often it was run, and the line that accepts or dismisses it."""
    say(one_line(row["pattern"]), style="yellow", indent=2)
    for label, value in (
        ("commands", f"{row['commands']:,} in {row['conversations']:,} conversations"),
        ("namespace", row["namespace"]), ("facts", " ".join(row["example_ids"])),
        ("accept", f"learned_operations = [\"{row['pattern']}={row['name']}\"]"),
        ("dismiss", f"learned_operations = [\"{row['pattern']}=\"]"),
    ):  # fmt: skip
        say_value(label, value, indent=4)
    console().print()
