"""What people decided, page by page, and what became of it."""

import polars as pl

from cairn.knowledge.ingest.inbox_events.decisions import DISMISS, UNDO
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
    about = [pl.col(name).list.len() > 0 for name in ("pairs", "facts")]
    of_others = pl.col("decision").is_in([UNDO, DISMISS]) & (pl.col("ids").list.len() > 0)
    holds = pl.col("superseded_by").is_null() & pl.any_horizontal(*about, of_others)
    keys = [newest("decided_at"), Key(pl.col("decision_id"))]
    told = rows.select(*FIELDS, holds=holds)
    return page(told, keys, ("decisions", reader.namespace), limit, cursor)
