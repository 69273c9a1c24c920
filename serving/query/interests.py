"""What people care about, page by page, for every surface."""

from dataclasses import replace
from typing import Any

import polars as pl

from cairn.knowledge.interests.interests import interests as interests_of
from cairn.knowledge.interests.preferences import in_force
from cairn.knowledge.schema.tables import ENGAGEMENTS, ENTITIES, INTERESTS, PREFERENCES
from cairn.serving.read.pagination import Key, Page, page
from cairn.serving.read.reader import Reader

INTEREST_FIELDS = (
    "entity_id", "namespace", "display_name", "type", "rank", "score", "muted", "engagements",
    "active_facts", "last_engaged_at", "engagement_ids", "curve",
)  # fmt: skip


def interests(reader: Reader, limit: int = 20, cursor: str | None = None) -> Page:
    """Entities that the person engaged with or muted, what they care about most first.

    `signs` of each has the engagements that weigh most: engagement_id, engagement_type, valence,
    record_id and occurred_at; `curve` its score at the end of each of the last weeks.

    Raises:
        BadCursor: the cursor is none of this list.
    """
    names = reader.entities().select("entity_id", "display_name", "type", "active_facts")
    known = rows_of(reader).join(names, on="entity_id").select(INTEREST_FIELDS)
    keys = [Key(pl.col("score"), descending=True), Key(pl.col("entity_id"))]
    found = page(known, keys, ("interests", reader.namespace), limit, cursor)
    signs = _signs(reader, [id_ for row in found.rows for id_ in row["engagement_ids"]])
    rows = [
        {name: value for name, value in row.items() if name != "engagement_ids"}
        | {"signs": [signs[id_] for id_ in row["engagement_ids"] if id_ in signs]}
        for row in found.rows
    ]
    return replace(found, rows=rows)


def interest(reader: Reader, entity_id: str) -> dict[str, Any] | None:
    """The row of INTERESTS of one entity, if the person engaged with it or muted it."""
    rows = rows_of(reader).filter(entity_id=entity_id).collect().to_dicts()
    return rows[0] if rows else None


def rows_of(reader: Reader) -> pl.LazyFrame:
    """Rows of INTERESTS: as published, or made of what had happened by the reader's moment."""
    if reader.as_of == reader.manifest.watermark and not reader.past:
        return reader.table(INTERESTS)
    seen = (pl.col("first_seen") <= reader.as_of).fill_null(value=True)
    return interests_of(
        reader.table(ENGAGEMENTS).collect(),
        reader.table(PREFERENCES).collect(),
        reader.table(ENTITIES).filter(seen).collect(),
        reader.merged(),
        reader.embedder,
        reader.state.policy,
        reader.as_of,
    ).lazy()


def preferences_at(reader: Reader) -> pl.DataFrame:
    """What somebody likes, dislikes or muted at the reader's moment: rows of PREFERENCES."""
    columns = ["attitude", "source", "topic", "started_at", "ended_at"]
    rows = reader.table(PREFERENCES, columns).collect()
    return in_force(rows, "started_at", "ended_at", reader.latest)


def _signs(reader: Reader, ids: list[str]) -> dict[str, dict[str, Any]]:
    columns = ["engagement_id", "engagement_type", "valence", "record_id", "occurred_at"]
    rows = reader.rows(ENGAGEMENTS, "engagement_id", pl.Series(ids, dtype=pl.String), columns)
    return {row["engagement_id"]: row for row in rows.to_dicts()}
