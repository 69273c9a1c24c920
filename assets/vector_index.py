"""The vector index: a generation per namespace, built from what is in force."""

import polars as pl

from cairn.assets.engine.progress import StageReport, timed
from cairn.knowledge.assembly.run import STEPS
from cairn.knowledge.retrieval.points import points
from cairn.knowledge.schema.tables import VECTOR_INDEX
from cairn.resources.context import State
from cairn.resources.deletion.tombstones import forgetting

STEP = STEPS["vector_index"]


def run_vector_index(state: State, *, rebuild: bool = False) -> StageReport:
    """Publishes a generation for each namespace whose points changed."""
    with state.writing("vector_index"), timed("vector_index", state.namespace) as finished:
        frames = [state.warehouse.read(table).collect() for table in STEP.reads]
        namespaces = sorted({*(n for frame in frames for n in frame["namespace"].unique())})
        # A copy of a generation keeps the bytes of points that are deleted from it.
        forgotten = forgetting(state.home)
        rows: list[dict[str, object]] = []
        for namespace in namespaces:
            mine = (frame.filter(pl.col("namespace") == namespace) for frame in frames)
            own = points(*mine, policy=state.policy)
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
            StageReport("vector_index", count, done=count, rows=count, written=int(written.changed))
        )
