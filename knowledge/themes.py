"""Themes: what episodes are about, as HDBSCAN clusters, each known by its medoid."""

import polars as pl

from knowledge.clustering import NEAREST, by_nearness, clustering, label, strongest_terms
from knowledge.days import UNDATED
from knowledge.embedding import Embedder
from knowledge.identity import digest_column
from knowledge.policy import Policy
from knowledge.tables import THEMES


def themes(episodes: pl.DataFrame, embedder: Embedder, policy: Policy) -> pl.DataFrame:
    """THEMES of each namespace. An episode that is near to no theme is in none.

    Args:
        episodes: EPISODES rows.
        embedder: Gives vectors of `text`.
        policy: Smallest theme.
    """
    parts = [
        _themes(own.sort("episode_id"), embedder, policy)
        for own in episodes.filter(pl.col("text") != "").partition_by("namespace")
    ]
    return THEMES.frame(pl.concat(parts) if parts else THEMES.empty())


def _themes(episodes: pl.DataFrame, embedder: Embedder, policy: Policy) -> pl.DataFrame:
    texts = episodes.get_column("text").to_list()
    vectors = embedder.embed(texts)
    found = clustering(vectors, policy.theme_min_size, policy.cluster_neighbours)
    terms = strongest_terms(texts, found)
    ids = episodes.get_column("episode_id")
    rows: list[dict[str, object]] = []
    for members, own_terms, persistence in zip(
        found.members, terms, found.persistence, strict=True
    ):
        nearest = ids.gather(by_nearness(vectors, members)).to_list()
        own = episodes[members]
        rows.append(
            {
                "namespace": own.item(0, "namespace"),
                "label": label(own_terms),
                "terms": own_terms,
                "medoid_id": nearest[0],
                "episode_ids": own.get_column("episode_id").to_list(),
                "nearest_ids": nearest[1 : NEAREST + 1],
                "size": len(members),
                "conversation_count": own.get_column("conversation_id").n_unique(),
                "persistence": float(persistence),
                "last_seen": own.get_column("ended_at").fill_null(UNDATED).max(),
                "theme_id": "",
            }
        )
    return THEMES.frame(rows).with_columns(theme_id=digest_column("medoid_id", prefix="t_"))
