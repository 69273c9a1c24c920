"""The oracle of the night: the library hdbscan clusters a sample too, and must agree."""

import warnings
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import dagster as dg
import numpy as np
import polars as pl

from cairn.assets.engine.namespaces import NAMESPACES
from cairn.knowledge.schema.tables import CLUSTERS, EPISODES, FACTS, THEMES
from cairn.knowledge.vectors.condensed_tree import NOISE
from cairn.knowledge.vectors.hdbscan import Folded, clustering, folded, largest
from cairn.knowledge.vectors.mst import Indices
from cairn.resources.context import State

SAMPLE = 2_000
"""Facts, or episodes, of a namespace that are looked at."""

ENOUGH = 0.9
"""Adjusted Rand index that passes: where distances are equal, any order of them is as good."""

ABOUT = "Clusters of a sample are those of the library hdbscan."


class ClusterComparison(NamedTuple):
    """Rows of a sample, the clusters of each side, and the adjusted Rand index between them."""

    rows: int
    clusters: int
    clusters_of_the_library: int
    agreement: float


def compared(state: State, asset: str, namespace: str, sample: int = SAMPLE) -> ClusterComparison:
    """Compares a sample of `clusters` or `themes` with what hdbscan makes of the same vectors.

    Ids are digests, so the first of them are a sample. Where it is everything, the table itself is
    compared; else what the same code makes of the sample.
    """
    policy = state.policy
    least = policy.cluster_min_size if asset == "clusters" else policy.theme_min_size
    rows = _topics(state, namespace) if asset == "clusters" else _themes(state, namespace)
    drawn = rows.sort("id").head(sample + 1).collect()
    points = folded(drawn.head(sample)["text"].to_list(), state.embedder_of(namespace).embed)
    if drawn.height > sample:
        ours = clustering(points, least, policy.cluster_neighbours).labels
    else:
        ours = drawn["cluster"].rank("dense").cast(pl.Int64).fill_null(NOISE).to_numpy()
    library = _library(points, least, policy.cluster_neighbours)
    return ClusterComparison(len(ours), _count(ours), _count(library), adjusted_rand(ours, library))


def _count(labels: Indices) -> int:
    return len(np.unique(labels[labels != NOISE]))


def _topics(state: State, namespace: str) -> pl.LazyFrame:
    """id, text, cluster of each fact that stands in `clusters`."""
    texts = state.warehouse.read(FACTS, namespace=namespace, columns=["fact_id", "content"])
    return (
        state.warehouse.read(CLUSTERS, namespace=namespace, columns=["fact_id", "cluster_id"])
        .join(texts, on="fact_id")
        .select(id="fact_id", text="content", cluster="cluster_id")
    )


def _themes(state: State, namespace: str) -> pl.LazyFrame:
    """id, text, cluster of each episode."""
    members = (
        state.warehouse.read(THEMES, namespace=namespace, columns=["theme_id", "episode_ids"])
        .explode("episode_ids")
        .select(episode_id="episode_ids", cluster="theme_id")
    )
    return (
        state.warehouse.read(EPISODES, namespace=namespace, columns=["episode_id", "text"])
        .filter(pl.col("text") != "")
        .join(members, on="episode_id", how="left")
        .select("text", "cluster", id="episode_id")
    )


def _library(points: Folded, least: int, neighbours: int) -> Indices:
    """Labels of rows by hdbscan, which is imported here alone: that takes more than a second."""
    count = len(points.key)
    if count <= least:
        return np.full(len(points.of), NOISE)
    from hdbscan import HDBSCAN

    model = HDBSCAN(min_cluster_size=least, min_samples=neighbours, max_cluster_size=largest(count))
    with warnings.catch_warnings():
        # It calls scikit-learn by names that are on their way out.
        warnings.simplefilter("ignore", FutureWarning)
        labels = model.fit_predict(points.points)
    return np.append(labels, NOISE)[points.of]


def adjusted_rand(one: Indices, other: Indices) -> float:
    """How alike two ways to part rows are: 1 for equal ones, about 0 by chance.

    Hubert and Arabie, "Comparing partitions", 1985.
    """
    both = np.unique(np.stack([one, other]), axis=1, return_counts=True)[1]
    together = _pairs(both)
    first = _pairs(np.unique(one, return_counts=True)[1])
    second = _pairs(np.unique(other, return_counts=True)[1])
    mean = (first + second) / 2
    by_chance = first * second / max(_pairs([len(one)]), 1.0)
    return 1.0 if mean == by_chance else (together - by_chance) / (mean - by_chance)


def _pairs(counts: Sequence[int] | Indices) -> float:
    sizes = np.asarray(counts, dtype=np.float64)
    return float((sizes * (sizes - 1) / 2).sum())


def judged(state: State, asset: str) -> dg.AssetCheckResult:
    """What the oracle says of `clusters` or `themes` of a namespace; a difference only warns."""
    there = bool(state.warehouse.namespaces(EPISODES))
    found = compared(state, asset, state.own) if there else None
    apart = found is not None and found.agreement < ENOUGH
    return dg.AssetCheckResult(
        asset_key=asset,
        check_name="hdbscan_agrees",
        passed=not apart,
        severity=dg.AssetCheckSeverity.WARN,
        description=ABOUT + (" Not so here." if apart else ""),
        metadata={key: round(value, 3) for key, value in found._asdict().items()} if found else {},
    )


@dg.multi_asset_check(
    name="hdbscan_agrees",
    description=ABOUT,
    specs=[
        dg.AssetCheckSpec(
            "hdbscan_agrees", asset=asset, description=ABOUT, partitions_def=NAMESPACES
        )
        for asset in ("clusters", "themes")
    ],
    can_subset=True,
)
def hdbscan_agrees(
    context: dg.AssetCheckExecutionContext, state: dg.ResourceParam[State]
) -> Iterator[dg.AssetCheckResult]:
    """Compares topics, themes, or both, as was asked for."""
    for key in sorted(context.selected_asset_check_keys):
        yield judged(state.of(context.partition_key), key.asset_key.to_user_string())
