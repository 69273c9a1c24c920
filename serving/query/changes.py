"""What differs between two publications that are kept: the diff of knowledge, row by row."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import polars as pl

from cairn.knowledge.schema.fact_types import is_event
from cairn.knowledge.schema.tables import LEARNINGS, MEMORY, MEMORY_ENTITIES, Table
from cairn.resources.warehouse.publication import Manifest, manifests, read_published
from cairn.serving.read.reader import Reader

APPEARED, GONE, CHANGED = "appeared", "gone", "changed"

SLIGHT = 0.005
"""Confidence that differs by less is the same: it is shown as the same percentage."""


class ComparedTable(NamedTuple):
    """A table whose rows are compared."""

    kind: str
    table: Table
    text: pl.Expr
    status: pl.Expr
    told: pl.Expr = pl.lit(value=True)
    """Which of its rows: what only happened is told where it is asked for."""


COMPARED = (
    ComparedTable("learning", LEARNINGS, pl.col("title"), pl.lit("active")),
    ComparedTable("fact", MEMORY, pl.col("content"), pl.col("status"), ~is_event()),
    ComparedTable(
        "entity", MEMORY_ENTITIES, pl.col("display_name"),
        pl.when(pl.col("canonical_id") == pl.col("entity_id")).then(pl.lit("active"))
        .otherwise(pl.concat_str(pl.lit("merged into "), pl.col("canonical_id"))),
    ),
)  # fmt: skip


def changes(reader: Reader, since: int = 1, until: int = 0, limit: int = 20) -> dict[str, Any]:
    """Learnings, facts (events left out) and entities that two publications do not tell alike.

    Args:
        reader: Whose memory.
        since: The earlier publication, counted back from the one in force, which is 0.
        until: The later one.
        limit: Rows of each kind, at most.

    Returns:
        publications (number, published_at, watermark), all that are kept; since and until as
        they were taken: the last that is kept, where there is none so early; totals, by kind and
        change; items: change, kind, id, and before and after, each text, status and confidence
        (at the last event), or null.
    """
    kept = manifests(reader.state.home, reader.namespace)
    early, late = (max(0, min(number, len(kept) - 1)) for number in (since, until))
    found = {
        one.kind: _between(reader, one, kept[early], kept[late]) for one in COMPARED if kept
    }  # fmt: skip
    return {
        "publications": [
            {"number": number, "published_at": one.published_at, "watermark": one.watermark}
            for number, one in enumerate(kept)
        ],
        "since": early,
        "until": late,
        **summed_up(found, limit),
    }


def _between(reader: Reader, one: ComparedTable, early: Manifest, late: Manifest) -> pl.DataFrame:
    """As `differing`; a version that both name has not changed, and is not read."""
    name = one.table.name
    before, after = (
        read_published(reader.state.warehouse, manifest, one.table) for manifest in (early, late)
    )
    if early.tables.get(name) == late.tables.get(name):
        before, after = before.clear(), after.clear()
    return differing(one, before, after)


def differing(one: ComparedTable, before: pl.LazyFrame, after: pl.LazyFrame) -> pl.DataFrame:
    """Rows of a table that two states of it do not tell alike.

    Returns:
        change, kind, id, before, after; what changed first, then what appeared, then what is gone.
    """
    both = _rows(one, before, "before").join(
        _rows(one, after, "after"), on="id", how="full", coalesce=True
    )
    moved = _field("before", "confidence") - _field("after", "confidence")
    same = (
        (_field("before", "text") == _field("after", "text"))
        & (_field("before", "status") == _field("after", "status"))
        & (moved.abs() < SLIGHT)
    )
    order = {CHANGED: 0, APPEARED: 1, GONE: 2}
    return (
        both.filter(~same.fill_null(value=False))
        .select(
            change=pl.when(pl.col("before").is_null()).then(pl.lit(APPEARED))
            .when(pl.col("after").is_null()).then(pl.lit(GONE))
            .otherwise(pl.lit(CHANGED)),
            kind=pl.lit(one.kind), id="id", before="before", after="after",
        )
        .sort(pl.col("change").replace_strict(order, return_dtype=pl.Int64), "id")
        .collect()
    )  # fmt: skip


def summed_up(found: Mapping[str, pl.DataFrame], limit: int) -> dict[str, Any]:
    """What differs by kind, as `totals` by kind and change, and `items`, at most so many a kind."""
    return {
        "totals": {
            kind: dict(rows.group_by("change").len().sort("change").iter_rows())
            for kind, rows in found.items()
        },
        "items": [row for rows in found.values() for row in rows.head(limit).to_dicts()],
    }


def _rows(one: ComparedTable, rows: pl.LazyFrame, side: str) -> pl.LazyFrame:
    told = pl.struct(text=one.text, status=one.status, confidence="confidence")
    return rows.filter(one.told).select(pl.col(one.table.key[-1]).alias("id"), told.alias(side))


def _field(side: str, name: str) -> pl.Expr:
    return pl.col(side).struct.field(name)
