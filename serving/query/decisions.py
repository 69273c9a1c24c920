"""What people decided about facts and entities, page by page, and what became of it."""

import polars as pl

from cairn.knowledge.schema.tables import DECISIONS
from cairn.serving.read.pagination import Key, Page, newest, page
from cairn.serving.read.reader import Reader

FIELDS = (
    "decision_id", "namespace", "decision", "target_type", "ids", "text", "reason", "decided_at",
    "replaced_by", "unresolved", "superseded_by",
)  # fmt: skip


def decisions(reader: Reader, limit: int = 20, cursor: str | None = None) -> Page:
    """Decisions, the latest first; `holds` of those that have the last word on anything today.

    Raises:
        BadCursor: the cursor is none of this list.
    """
    rows = reader.table(DECISIONS).filter(
        (pl.col("decided_at") <= reader.latest).fill_null(value=True)
    )
    holds = (pl.col("pairs").list.len() > 0) | (pl.col("facts").list.len() > 0)
    keys = [newest("decided_at"), Key(pl.col("decision_id"))]
    told = rows.select(*FIELDS, holds=holds)
    return page(told, keys, ("decisions", reader.namespace), limit, cursor)
