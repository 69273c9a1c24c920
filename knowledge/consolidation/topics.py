"""Topics: facts that lie close together, and a map of them."""

from typing import NamedTuple

import numpy as np
import polars as pl

from cairn.knowledge.schema.fact_types import NAME_PREDICATES, is_event
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import CLUSTERS, FACT_MST_EDGES
from cairn.knowledge.vectors.hdbscan import (
    TERMS_IN_LABEL,
    Links,
    clustering,
    folded,
    label,
    medoid,
    plane,
    strongest_terms,
)
from cairn.knowledge.vectors.model import Embedder

_TOPICS = {
    "number": pl.Int64, "cluster_id": pl.String, "label": pl.String, "persistence": pl.Float64
}  # fmt: skip


class Topics(NamedTuple):
    """CLUSTERS, and the links that they were cut from."""

    clusters: pl.DataFrame
    fact_mst_edges: pl.DataFrame


def clusters(
    facts: pl.DataFrame, embedder: Embedder, policy: Policy, before: pl.DataFrame | None = None
) -> Topics:
    """Every fact that says more than a name or an event, its topic (none for noise), its place.

    "shop-api connects to host nas" is left out: such sentences are alike by their form alone.
    `before` has FACT_MST_EDGES of other facts, most of which are still there: the result is the
    same, for a small part of the cost.
    """
    free = facts.filter(~pl.col("predicate").is_in(NAME_PREDICATES), ~is_event())
    parts = [
        _clusters(own.sort("fact_id"), embedder, policy, before)
        for own in free.partition_by("namespace")
    ]
    return Topics(
        CLUSTERS.frame(pl.concat([CLUSTERS.empty(), *(part.clusters for part in parts)])),
        FACT_MST_EDGES.frame(
            pl.concat([FACT_MST_EDGES.empty(), *(part.fact_mst_edges for part in parts)])
        ),
    )


def _clusters(
    facts: pl.DataFrame, embedder: Embedder, policy: Policy, before: pl.DataFrame | None
) -> Topics:
    texts = facts.get_column("content").to_list()
    distinct = folded(texts, embedder.embed)
    namespace: str = facts.item(0, "namespace")
    links = None if before is None else Links.read(before, namespace)
    found = clustering(distinct, policy.cluster_min_size, policy.cluster_neighbours, links)
    ids = facts.get_column("fact_id").to_list()
    medoids = [medoid(distinct, members) for members in found.members]
    topics = pl.DataFrame(
        {
            "number": range(len(medoids)),
            "cluster_id": [f"k_{digest(ids[row])}" for row in medoids],
            "label": [label(t) for t in strongest_terms(texts, found, TERMS_IN_LABEL)],
            "persistence": found.persistence,
        },
        schema=_TOPICS,
    )
    places = plane(distinct)
    made = (
        facts.select("namespace", "fact_id")
        .with_columns(
            number=found.labels,
            probability=found.probabilities,
            medoid=np.isin(np.arange(len(ids)), medoids),
            x=places[:, 0],
            y=places[:, 1],
        )
        .join(topics, on="number", how="left", maintain_order="left")
    )
    return Topics(CLUSTERS.frame(made), FACT_MST_EDGES.frame(found.links.table(namespace)))
