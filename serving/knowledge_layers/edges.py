"""Edges between entities, from the facts that are known."""

import polars as pl

from cairn.knowledge.nlp.names import canonical_object
from cairn.knowledge.schema.fact_types import NAME_PREDICATES
from cairn.knowledge.schema.predicates import FREE_STATEMENTS, OBJECT_TYPES

MENTIONS = "MENTIONS"
"""The edge from what a sentence is about to what else it names."""

OF_A_NODE = 10
"""Edges that start at one node, at most, the surest: a context is no list of all there is."""


def entity_edges(facts: pl.DataFrame, entities: pl.DataFrame) -> pl.DataFrame:
    """Facts whose object is an entity, and sentences about several, as edges.

    A fact of a predicate whose object has a type (a host, a system) leads to the entity of that
    type and name; of any other predicate with a value, to the entity of that name, the most
    mentioned if there are several. A sentence that one record says of several entities leads from
    each to the others.

    Args:
        facts: Facts that may be given unasked: fact_id, entity_id, predicate, object, effective,
            source_record_ids.
        entities: MEMORY_ENTITIES.

    Returns:
        source_id, target_id, edge_type, fact_id, effective; by source, the surest first.
    """
    said = facts.select(
        "fact_id",
        "effective",
        "predicate",
        source_id="entity_id",
        name=canonical_object(),
        record="source_record_ids",
    )
    names = entities.sort("mentions", "entity_id", descending=[True, False]).select(
        "name", "type", target_id="canonical_id"
    )
    kind = pl.col("predicate").replace_strict(OBJECT_TYPES, default=None, return_dtype=pl.String)
    typed = said.with_columns(type=kind).join(names, on=["name", "type"])
    valued = said.filter(~pl.col("predicate").is_in(list(NAME_PREDICATES | FREE_STATEMENTS)))
    any_type = names.with_columns(pl.col("name").str.to_lowercase()).unique(
        "name", keep="first", maintain_order=True
    )
    untyped = valued.join(any_type, on="name")
    sentences = said.filter(pl.col("predicate").is_in(list(FREE_STATEMENTS)))
    spoken = sentences.explode("record", empty_as_null=False)
    others = spoken.select("predicate", "name", "record", target_id="source_id")
    shared = spoken.join(others, on=["predicate", "name", "record"]).with_columns(
        predicate=pl.lit(MENTIONS)
    )
    columns = ["source_id", "target_id", "predicate", "fact_id", "effective"]
    return (
        pl.concat([frame.select(columns) for frame in (typed, untyped, shared)])
        .filter(pl.col("source_id") != pl.col("target_id"))
        .rename({"predicate": "edge_type"})
        .with_columns(pl.col("edge_type").str.to_uppercase())
        .unique()
        .sort("source_id", -pl.col("effective"), "fact_id", "target_id", "edge_type")
        .group_by("source_id", maintain_order=True)
        .head(OF_A_NODE)
    )
