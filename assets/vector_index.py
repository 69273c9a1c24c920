"""The vector index: a generation per namespace, built from what is in force."""

from collections.abc import Iterator
from typing import Any

import dagster as dg
import polars as pl

from assets.engine.progress import Report, timed
from assets.engine.run_stage import multi_asset, result, specs
from knowledge.retrieval.points import points
from knowledge.schema.tables import (
    CONVERSATIONS,
    EMBEDDINGS,
    EPISODES,
    FACT_SOURCES,
    LEARNINGS,
    MEMORY,
    MEMORY_ENTITIES,
    VECTOR_INDEX,
)
from resources.context import State
from resources.home.tombstones import forgetting
from resources.home.write_lock import write_lock

READS = (
    MEMORY, MEMORY_ENTITIES, EPISODES, LEARNINGS, EMBEDDINGS, FACT_SOURCES, CONVERSATIONS
)  # fmt: skip


def run_vector_index(state: State, *, rebuild: bool = False) -> Report:
    """Publishes a generation for each namespace whose points changed."""
    with write_lock(state.home, "vector_index"), timed("vector_index") as finished:
        frames = [state.warehouse.read(table).collect() for table in READS]
        namespaces = sorted({*(n for frame in frames for n in frame["namespace"].unique())})
        # A copy of a generation keeps the bytes of points that are deleted from it.
        forgotten = forgetting(state.home)
        rows: list[dict[str, object]] = []
        for namespace in namespaces:
            own = points(*(frame.filter(pl.col("namespace") == namespace) for frame in frames))
            dimension = own["vector"].drop_nulls().list.len().max()
            made = state.index.publish(
                namespace,
                own,
                model=state.embedder.model,
                dimension=dimension if isinstance(dimension, int) else 1,
                rebuild=rebuild or namespace in forgotten,
            )
            rows.append(
                {
                    "namespace": namespace,
                    "generation": made.name,
                    "model": made.model,
                    "dimension": made.dimension,
                    "points": made.points,
                    "dense": made.dense,
                    "digest": made.digest,
                }
            )
        written = state.warehouse.write(VECTOR_INDEX, VECTOR_INDEX.frame(rows))
        count = sum(int(str(row["points"])) for row in rows)
        return finished(
            Report("vector_index", count, done=count, rows=count, written=int(written.changed))
        )


class IndexConfig(dg.Config):
    """How to make the generations."""

    rebuild: bool = False
    """Build anew and optimize, as the night does, even where nothing changed."""


@multi_asset(specs=specs([VECTOR_INDEX], READS, "serving"), name="vector_index")
def vector_index_asset(
    state: dg.ResourceParam[State], config: IndexConfig
) -> Iterator[dg.MaterializeResult[Any]]:
    """One row per namespace: its generation."""
    yield result(state, VECTOR_INDEX, run_vector_index(state, rebuild=config.rebuild))
