"""Entities as memory has them: with how much is known about each, and how surely."""

import polars as pl

from cairn.knowledge.consolidation.verdicts.standing import QUARANTINED
from cairn.knowledge.resolution.canonical import equal_statements, with_canonical
from cairn.knowledge.schema.fact_types import is_event
from cairn.knowledge.schema.tables import MEMORY_ENTITIES


def memory_entities(
    entities: pl.DataFrame, entity_merges: pl.DataFrame, memory: pl.DataFrame
) -> pl.DataFrame:
    """MEMORY_ENTITIES: each entity with how much is known about it, and how surely.

    One that stands for others has their names among its aliases, and counts what they were
    mentioned, when they were seen, and all facts, equal ones once. Theirs stay as they were, but
    what is known of them is known of it. Events are no facts here.
    """
    known = memory.group_by("namespace", "entity_id").agg(
        facts=((pl.col("status") != QUARANTINED) & ~is_event()).sum(),
        active_facts=((pl.col("status") == "active") & ~is_event()).sum(),
        confidence=pl.col("confidence").filter(pl.col("status") != "retracted").max(),
    )
    placed = with_canonical(entities, entity_merges).drop("facts")
    again = (
        equal_statements(memory.filter(~is_event()), entity_merges)
        .group_by("namespace", "entity_id")
        .agg(again=pl.len() - pl.col("statement").n_unique())
    )
    names = pl.concat_list("display_name", "aliases")
    united = (
        placed.join(entity_merges, on=["namespace", "canonical_id"], how="semi")
        .group_by("namespace", entity_id="canonical_id")
        .agg(
            names=names.explode(keep_nulls=False, empty_as_null=False).unique().sort(),
            first_seen=pl.col("first_seen").min(),
            last_seen=pl.col("last_seen").max(),
            mentions=pl.col("mentions").sum(),
        )
    )
    counted = placed
    for more in (known, again, united):
        counted = counted.join(more, on=["namespace", "entity_id"], how="left", suffix="_united")
    others = pl.col("names").list.set_difference(pl.concat_list("display_name")).list.sort()
    return MEMORY_ENTITIES.frame(
        counted.with_columns(
            pl.col("active_facts").fill_null(0),
            pl.col("confidence").fill_null(0.0),
            facts=pl.col("facts").fill_null(0) - pl.col("again").fill_null(0),
            aliases=pl.coalesce(others, "aliases"),
            **{
                name: pl.coalesce(f"{name}_united", name)
                for name in ("first_seen", "last_seen", "mentions")
            },
        )
    )
