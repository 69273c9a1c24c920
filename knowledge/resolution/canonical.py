"""Who stands for whom: rows read as of the entities that stand for theirs."""

import polars as pl

from cairn.knowledge.nlp.names import canonical_object


def with_canonical(rows: pl.DataFrame, entity_merges: pl.DataFrame) -> pl.DataFrame:
    """Rows with `canonical_id`: who stands for their `entity_id`, or that itself."""
    if entity_merges.is_empty():
        return rows.with_columns(canonical_id="entity_id")
    merged = entity_merges.select("namespace", "entity_id", "canonical_id")
    return rows.join(
        merged, on=["namespace", "entity_id"], how="left", maintain_order="left"
    ).with_columns(pl.coalesce("canonical_id", "entity_id").alias("canonical_id"))


def about_canonical(facts: pl.DataFrame, entity_merges: pl.DataFrame) -> pl.DataFrame:
    """Facts about the entities that stand for theirs; the ids of facts stay."""
    placed = with_canonical(facts, entity_merges)
    return placed.with_columns(entity_id="canonical_id").drop("canonical_id")


def equal_statements(facts: pl.DataFrame, entity_merges: pl.DataFrame) -> pl.DataFrame:
    """Facts that say word for word what another does of an entity that stands for several.

    `facts` are about canonical entities.

    Returns:
        namespace, entity_id, fact_id and `statement`, equal for equal facts of an entity.
    """
    standing = entity_merges.select("namespace", entity_id="canonical_id").unique()
    said = facts.join(standing, on=["namespace", "entity_id"], how="semi").select(
        "namespace",
        "entity_id",
        "fact_id",
        statement=pl.concat_str("predicate", canonical_object(), separator="\n"),
    )
    return said.filter(pl.len().over("namespace", "entity_id", "statement") > 1)
