"""What a person was told unasked, and is to be; sent again, and answered."""

from dataclasses import replace
from typing import Any

import polars as pl

from cairn.knowledge.ingest.inbox_events.notifications import EFFECT
from cairn.knowledge.schema.tables import NOTIFICATIONS
from cairn.resources.effects import event_id
from cairn.serving.read.pagination import Key, Page, page
from cairn.serving.read.reader import Reader

FIELDS = (
    "notification_id", "namespace", "status", "blocked_by", "rank", "entity_id", "name", "batch",
    "trigger", "mode", "text", "fact_ids", "image_url", "found_at", "due_at", "sent_at", "reason",
)  # fmt: skip


def notifications(reader: Reader, limit: int = 20, cursor: str | None = None) -> Page:
    """What is to be told first comes first, then what is blocked, then what was told.

    Rows have FIELDS and `message_id`, of those that were sent: a reaction names it.

    Raises:
        BadCursor: the cursor is none of this list.
    """
    rows = reader.table(NOTIFICATIONS).select(*FIELDS, "effect_id")
    found = page(rows, [Key(pl.col("rank"))], ("notifications", reader.namespace), limit, cursor)
    return replace(found, rows=[row | {"message_id": message_of(row)} for row in found.rows])


def message_of(row: dict[str, Any]) -> str | None:
    """The id of what was sent, which a reaction names as `reply_to`."""
    sent = row["status"] == "sent"
    return event_id(row["namespace"], "receipt", EFFECT, row["effect_id"]) if sent else None


def counts(reader: Reader) -> dict[str, int]:
    """How many there are of each status, and of what is held for each reason."""
    kinds = reader.table(NOTIFICATIONS).select(kind=pl.coalesce("blocked_by", "status"))
    return dict(kinds.collect()["kind"].value_counts().sort("kind").iter_rows())
