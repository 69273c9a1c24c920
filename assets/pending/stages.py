"""Stages over whole tables: whose tables they make."""

from cairn.knowledge.engine.stage import Stage
from cairn.resources.context import State


def namespaces_of(state: State, stage: Stage) -> list[str]:
    """Namespaces with rows in a table that a stage reads, sorted."""
    return sorted(set[str]().union(*map(state.warehouse.namespaces, stage.reads)))
