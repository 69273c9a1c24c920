"""Housekeeping of the night: nothing that readers see changes."""

from typing import Any

import dagster as dg

from cairn.knowledge.schema.tables import TABLES
from cairn.resources.context import State
from cairn.resources.home.write_lock import write_lock
from cairn.resources.warehouse.publication import generations_in_use, namespaces, versions_in_use


@dg.asset(
    deps=["publication"],
    description=(
        "No table: once a night small files are compacted, checkpoints are written, and what no"
        " manifest names any more is removed."
    ),
    group_name="serving",
    kinds={"deltalake"},
)
def maintenance(state: dg.ResourceParam[State]) -> dg.MaterializeResult[Any]:
    """Tidies each table and each namespace's index; gives the lock up between them."""
    removed = {}
    in_use = versions_in_use(state.home)
    for name, table in TABLES.items():
        with write_lock(state.home, f"maintenance of {name}"):
            removed[name] = state.warehouse.maintain(table, keep=in_use.get(name, ()))
    generations = 0
    for namespace in namespaces(state.home):
        with write_lock(state.home, f"maintenance of the index of {namespace}"):
            kept = generations_in_use(state.home, namespace)
            generations += len(state.index.prune(namespace, kept))
    return dg.MaterializeResult(
        metadata={
            "files_removed": sum(removed.values()),
            "generations_removed": generations,
            **{f"files_removed/{name}": count for name, count in removed.items() if count},
        }
    )
