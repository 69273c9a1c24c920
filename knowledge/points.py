"""Points of the vector index: what free search can find."""

import polars as pl

from knowledge.embeddings import entity_texts, learning_text, with_vector
from knowledge.policy import STRUCTURAL_PREDICATES


def points(
    memory: pl.DataFrame,
    memory_entities: pl.DataFrame,
    episodes: pl.DataFrame,
    learnings: pl.DataFrame,
    embeddings: pl.DataFrame,
) -> pl.DataFrame:
    """Facts, entities, episodes and learnings of one namespace, with what filters need.

    `context` is searched by words beside `text`: the entity of a fact, the tags of a learning.
    Structural facts are left out. What has no vector yet is found by its words.
    """
    names = entity_texts(memory_entities)
    contexts = names.rename({"text": "context"})
    facts = (
        memory.filter(~pl.col("predicate").is_in(list(STRUCTURAL_PREDICATES)))
        .join(contexts, on=["namespace", "entity_id"], how="left")
        .select(
            "namespace", "status", "strength", "confidence", "valid_from", "valid_to",
            "last_event_at", "entity_id", "predicate", "knowledge_type", "info_type", "tags",
            "context",
            pl.col("fact_id").alias("id"),
            pl.lit("fact").alias("kind"),
            pl.col("content").alias("text"),
            pl.col("last_event_at").dt.strftime("%Y-%m-%d").alias("day"),
        )
    )  # fmt: skip
    entities = memory_entities.join(names, on=["namespace", "entity_id"]).select(
        "namespace",
        "entity_id",
        "confidence",
        pl.col("entity_id").alias("id"),
        pl.lit("entity").alias("kind"),
        "text",
        pl.concat_str("type", pl.col("aliases").list.join(" "), separator=" ").alias("context"),
        pl.col("last_seen").alias("last_event_at"),
        pl.col("last_seen").dt.strftime("%Y-%m-%d").alias("day"),
    )
    told = episodes.filter(pl.col("text") != "").select(
        "namespace",
        "day",
        "conversation_id",
        pl.col("episode_id").alias("id"),
        pl.lit("episode").alias("kind"),
        "text",
        pl.col("project").alias("context"),
        pl.col("ended_at").alias("last_event_at"),
    )
    lessons = learnings.select(
        "namespace",
        "category",
        "confidence",
        "conversation_id",
        "tags",
        pl.col("learning_id").alias("id"),
        pl.lit("learning").alias("kind"),
        learning_text().alias("text"),
        pl.col("tags").list.join(" ").alias("context"),
        pl.col("created_at").alias("last_event_at"),
        pl.col("created_at").dt.strftime("%Y-%m-%d").alias("day"),
    )
    together = pl.concat([facts, entities, told, lessons], how="diagonal_relaxed")
    return with_vector(together, pl.col("text"), embeddings).sort("kind", "id")
