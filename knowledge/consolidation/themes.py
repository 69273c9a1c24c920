"""Themes: what episodes are about, as HDBSCAN clusters, each known by its medoid."""

from typing import NamedTuple

import polars as pl

from cairn.knowledge.schema.calendar import UNDATED
from cairn.knowledge.schema.identity import digest_column
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import EPISODE_MST_EDGES, THEMES
from cairn.knowledge.vectors import hdbscan
from cairn.knowledge.vectors.model import Embedder


class Themes(NamedTuple):
    """THEMES, and the links that they were cut from."""

    themes: pl.DataFrame
    episode_mst_edges: pl.DataFrame


def themes(
    episodes: pl.DataFrame, embedder: Embedder, policy: Policy, before: pl.DataFrame | None = None
) -> Themes:
    """Themes of each namespace. An episode that is near to no theme is in none.

    `before` has EPISODE_MST_EDGES of other episodes, most of which are still there: the result is
    the same, for a small part of the cost.
    """
    parts = [
        _themes(own.sort("episode_id"), embedder, policy, before)
        for own in episodes.filter(pl.col("text") != "").partition_by("namespace")
    ]
    return Themes(
        THEMES.frame(pl.concat([THEMES.empty(), *(part.themes for part in parts)])),
        EPISODE_MST_EDGES.frame(
            pl.concat([EPISODE_MST_EDGES.empty(), *(part.episode_mst_edges for part in parts)])
        ),
    )


def _themes(
    episodes: pl.DataFrame, embedder: Embedder, policy: Policy, before: pl.DataFrame | None
) -> Themes:
    texts = episodes.get_column("text").to_list()
    distinct = hdbscan.folded(texts, embedder.embed)
    namespace: str = episodes.item(0, "namespace")
    links = None if before is None else hdbscan.Links.read(before, namespace)
    found = hdbscan.clustering(distinct, policy.theme_min_size, policy.cluster_neighbours, links)
    terms = hdbscan.strongest_terms(texts, found)
    ids = episodes.get_column("episode_id")
    rows: list[dict[str, object]] = []
    for members, own_terms, persistence in zip(
        found.members, terms, found.persistence, strict=True
    ):
        nearest = ids.gather(hdbscan.by_nearness(distinct, members)).to_list()
        own = episodes[members]
        rows.append(
            {
                "namespace": namespace,
                "label": hdbscan.label(own_terms),
                "terms": own_terms,
                "medoid_id": nearest[0],
                "episode_ids": own.get_column("episode_id").to_list(),
                "nearest_ids": nearest[1 : hdbscan.NEAREST + 1],
                "size": len(members),
                "conversation_count": own.get_column("conversation_id").n_unique(),
                "persistence": float(persistence),
                "last_seen": own.get_column("ended_at").fill_null(UNDATED).max(),
                "theme_id": "",
            }
        )
    made = THEMES.frame(rows).with_columns(theme_id=digest_column("medoid_id", prefix="t_"))
    return Themes(made, EPISODE_MST_EDGES.frame(found.links.table(namespace)))
