"""The graph of entities: what facts say of two of them, and what lies around one."""

from typing import Any

import polars as pl

from cairn.knowledge.consolidation.verdicts.standing import STANDING
from cairn.knowledge.nlp.names import canonical_object
from cairn.knowledge.schema.fact_types import is_event
from cairn.knowledge.schema.predicates import FREE_STATEMENTS, OBJECT_TYPES
from cairn.serving.read.reader import Reader

RELATIONS = ("source_id", "target_id", "type", "fact_id", "content", "confidence")
"""What a relation tells; its type is the predicate of the fact that says so."""

_MADE = (*RELATIONS, "event")


def relations(reader: Reader) -> pl.DataFrame:
    """What holds between two entities: RELATIONS and whether it is an event, the surest first.

    A fact whose object is a name (connects_to_host, …) leads from what it is about to what has
    that name. A statement leads from its subject to each topic that it names.
    """
    known = (
        reader.memory()
        .filter(pl.col("status").is_in(STANDING))
        .with_columns(confidence="effective", event=is_event())
        .rename({"entity_id": "source_id", "predicate": "type"})
    )
    return (
        pl.concat([_to_objects(reader, known), _to_topics(known)])
        .filter(pl.col("source_id") != pl.col("target_id"))
        .sort(_SUREST_FIRST, descending=_DOWN)
        .unique(["source_id", "target_id", "type", "content"], keep="first", maintain_order=True)
        .collect()
    )


_SUREST_FIRST = ["confidence", "fact_id", "source_id", "target_id"]
_DOWN = [True, False, False, False]


def _to_objects(reader: Reader, known: pl.LazyFrame) -> pl.LazyFrame:
    names = reader.entities().select("name", target_id="canonical_id", object_type="type")
    return (
        known.filter(pl.col("type").is_in(list(OBJECT_TYPES)))
        .with_columns(
            name=canonical_object("type"), object_type=pl.col("type").replace_strict(OBJECT_TYPES)
        )
        .join(names, on=["name", "object_type"])
        .select(_MADE)
    )


def _to_topics(known: pl.LazyFrame) -> pl.LazyFrame:
    said = known.filter(pl.col("type").is_in(list(FREE_STATEMENTS)))
    is_topic = pl.col("entity_type") == "topic"
    topics = said.filter(is_topic).select("type", "content", target_id="source_id")
    return said.filter(~is_topic).join(topics, on=["type", "content"]).select(_MADE)


def around(
    reader: Reader, entity_id: str, depth: int = 1, limit: int = 100, *, events: bool = False
) -> dict[str, Any] | None:
    """What lies around an entity, along its relations in either direction; None if there is none.

    Args:
        reader: Whose graph.
        entity_id: Where it is entered; one that was merged away stands for what took it up.
        depth: Steps from there, at most.
        limit: Relations, at most: the nearest, of those the surest.
        events: Also by events, which are many.

    Returns:
        entity_id; nodes (entity_id, name, type, depth); edges (RELATIONS, depth); `more`: whether
        there are other relations within that depth.
    """
    known = reader.entities().select("entity_id", "canonical_id", "display_name", "type")
    found = known.filter(entity_id=entity_id).collect()
    if found.is_empty():
        return None
    start: str = found["canonical_id"][0]
    edges = reader.made("relations", "source_id", lambda: relations(reader))
    if not events:
        edges = edges.filter(~pl.col("event"))
    reached = _steps(edges, start, depth)
    depths = pl.col("source_id", "target_id").replace_strict(
        reached, default=None, return_dtype=pl.Int64
    )
    # A relation is as far as its nearer end, and a step more.
    near = (
        edges.with_columns(depth=pl.min_horizontal(depths) + 1)
        .filter(pl.col("depth") <= depth)
        .sort("depth", *_SUREST_FIRST, descending=[False, *_DOWN])
    )
    kept = near.head(limit)
    shown = {start, *kept["source_id"], *kept["target_id"]}
    nodes = known.filter(pl.col("entity_id").is_in(sorted(shown))).collect()
    return {
        "entity_id": start,
        "nodes": sorted(
            (
                {"entity_id": id_, "name": name, "type": type_, "depth": reached[id_]}
                for id_, _, name, type_ in nodes.iter_rows()
            ),
            key=lambda node: (node["depth"], node["entity_id"]),
        ),
        "edges": kept.drop("event").to_dicts(),
        "more": near.height > kept.height,
    }


def _steps(edges: pl.DataFrame, start: str, depth: int) -> dict[str, int]:
    """How many steps each entity is from one, breadth first; those beyond a depth are left out."""
    reached, level = {start: 0}, [start]
    for step in range(1, depth + 1):
        out = edges.filter(pl.col("source_id").is_in(level))["target_id"]
        back = edges.filter(pl.col("target_id").is_in(level))["source_id"]
        level = sorted({*out, *back} - reached.keys())
        reached |= dict.fromkeys(level, step)
    return reached
