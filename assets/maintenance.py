"""Housekeeping of the night: nothing that readers see changes."""

from datetime import UTC, datetime
from typing import Any

import dagster as dg

from cairn.assets.engine.namespaces import NAMESPACES
from cairn.assets.engine.old_runs import remove_old_runs
from cairn.knowledge.schema.tables import TABLES
from cairn.resources.context import State
from cairn.resources.deletion.tombstones import tombstones
from cairn.resources.home.marks import note_night
from cairn.resources.warehouse.publication import generations_in_use, versions_in_use


@dg.asset(
    deps=["publication"],
    description=(
        "No table: once a night small files are compacted, checkpoints are written, and what no"
        " manifest names any more is removed; so are runs that Dagster kept for long."
    ),
    group_name="serving",
    partitions_def=NAMESPACES,
    kinds={"deltalake"},
)
def maintenance(
    context: dg.AssetExecutionContext, state: dg.ResourceParam[State]
) -> dg.MaterializeResult[Any]:
    """Tidies the tables and the index of a namespace; gives the lock up between them."""
    own = state.of(context.partition_key)
    removed: dict[str, int] = {}
    in_use = versions_in_use(state.home, own.own)
    for name, table in TABLES.items():
        with own.writing(f"maintenance of {name} of {own.own}"):
            removed[name] = own.warehouse.maintain(table, keep=in_use.get(name, ()))
    with own.writing(f"maintenance of the index of {own.own}"):
        generations = len(state.index.prune(own.own, generations_in_use(state.home, own.own)))
        own.prune_vectors()
        if state.sharing:
            state.sharing.tidy(own.own, thorough=bool(tombstones(state.home, own.own)))
    runs = remove_old_runs(context.instance, own.own, datetime.now(UTC))
    note_night(state.home, own.own)
    return dg.MaterializeResult(
        metadata={
            "files_removed": sum(removed.values()),
            "generations_removed": generations,
            "runs_removed": runs,
            **{f"files_removed/{name}": count for name, count in removed.items() if count},
        }
    )
