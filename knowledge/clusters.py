"""Topics: facts that lie close together, and a map of them."""

import numpy as np
import polars as pl

from knowledge.clustering import NOISE, by_nearness, clustering, label, plane, strongest_terms
from knowledge.embedding import Embedder
from knowledge.identity import digest
from knowledge.kinds import structural
from knowledge.policy import Policy
from knowledge.tables import CLUSTERS


def clusters(facts: pl.DataFrame, embedder: Embedder, policy: Policy) -> pl.DataFrame:
    """CLUSTERS: every fact that is not structural, its topic (none for noise), its place.

    Args:
        facts: FACTS rows.
        embedder: Gives vectors of `content`.
        policy: Smallest topic.
    """
    free = facts.filter(~structural())
    parts = [
        _clusters(own.sort("fact_id"), embedder, policy) for own in free.partition_by("namespace")
    ]
    return CLUSTERS.frame(pl.concat(parts) if parts else CLUSTERS.empty())


def _clusters(facts: pl.DataFrame, embedder: Embedder, policy: Policy) -> pl.DataFrame:
    texts = facts.get_column("content").to_list()
    vectors = embedder.embed(texts)
    found = clustering(vectors, policy.cluster_min_size, policy.cluster_neighbours)
    ids = facts.get_column("fact_id").to_list()
    medoids = [int(by_nearness(vectors, members)[0]) for members in found.members]
    names = [digest(ids[medoid]) for medoid in medoids]
    labels = [label(terms) for terms in strongest_terms(texts, found)]
    places = plane(vectors)
    numbers = found.labels.tolist()
    return facts.select("namespace", "fact_id").with_columns(
        cluster_id=pl.Series(
            [None if number == NOISE else f"k_{names[number]}" for number in numbers],
            dtype=pl.String,
        ),
        label=pl.Series(
            [None if number == NOISE else labels[number] for number in numbers], dtype=pl.String
        ),
        probability=pl.Series(found.probabilities),
        medoid=pl.Series(np.isin(np.arange(len(ids)), medoids)),
        x=pl.Series(places[:, 0]),
        y=pl.Series(places[:, 1]),
    )
