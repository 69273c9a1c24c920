"""Topics: HDBSCAN clusters of facts."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.engine.plots import scatter
from assets.engine.run_stage import materialize, multi_asset, specs
from knowledge.consolidation.stages import CLUSTERS_STAGE as STAGE
from knowledge.schema.tables import CLUSTERS
from resources.context import State


@multi_asset(specs=specs(STAGE.writes, STAGE.reads, "consolidation"), name="clusters")
def clusters(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """Topics: HDBSCAN clusters of facts."""

    def maps() -> dict[str, dg.MarkdownMetadataValue]:
        columns = ["namespace", "fact_id", "x", "y", "cluster_id"]
        stored = state.warehouse.read(CLUSTERS, columns=columns).collect().sort("fact_id")
        return {
            f"map/{namespace}": scatter(own.rename({"cluster_id": "group"}), "Facts by topic")
            for (namespace,), own in sorted(stored.group_by("namespace", maintain_order=True))
        }

    yield from materialize(state, STAGE, {CLUSTERS.name: maps})
