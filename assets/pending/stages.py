"""Stages over whole tables: whether there is anything that they read."""

from cairn.knowledge.engine.stage import Stage
from cairn.resources.context import State


def is_read(state: State, stage: Stage) -> bool:
    """Whether a table that a stage reads has rows."""
    return any(map(state.warehouse.namespaces, stage.reads))
