"""What a person was told unasked, and is to be; sent again, and answered."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

import polars as pl

from knowledge.notices import EFFECT
from knowledge.tables import NOTIFICATIONS
from resources.effects import event_id, try_again
from resources.inbox import Received
from serving.cursors import Key, Page, page
from serving.inbox import add_event
from serving.reader import Reader

FIELDS = (
    "notification_id", "namespace", "status", "held", "rank", "entity_id", "name", "batch",
    "trigger", "mode", "text", "fact_ids", "image_url", "found_at", "due_at", "sent_at", "reason",
)  # fmt: skip
REACTIONS = {"like": "👍", "dislike": "👎"}


class Unnotified(Exception):  # noqa: N818  what a person is told
    """No notification is meant, or none of which that can be said; the message says why."""


class Tried(NamedTuple):
    """A notification that is to be sent again."""

    text: str
    new: bool
    """False if that was said before."""


def notifications(reader: Reader, limit: int = 20, cursor: str | None = None) -> Page:
    """What is to be told first comes first, then what is held back, then what was told.

    Rows have FIELDS and `message_id`, of those that were sent: a reaction names it.

    Raises:
        BadCursor: the cursor is none of this list.
    """
    rows = reader.table(NOTIFICATIONS).select(*FIELDS, "effect_id")
    found = page(rows, [Key(pl.col("rank"))], ("notifications", reader.namespace), limit, cursor)
    return Page([row | {"message_id": _message(row)} for row in found.rows], found.cursor)


def _message(row: dict[str, Any]) -> str | None:
    """The id of what was sent, which a reaction names as `reply_to`."""
    sent = row["status"] == "sent"
    return event_id(row["namespace"], "receipt", EFFECT, row["effect_id"]) if sent else None


def counts(reader: Reader) -> dict[str, int]:
    """How many there are of each status, and of what is held for each reason."""
    kinds = reader.table(NOTIFICATIONS).select(kind=pl.coalesce("held", "status"))
    return dict(kinds.collect()["kind"].value_counts().sort("kind").iter_rows())


def again(reader: Reader, notification_id: str) -> Tried:
    """Lets one be sent again that failed, or of which nobody knows whether it was sent.

    Raises:
        Unnotified: there is none such.
    """
    row = _one(reader, notification_id, ("failed", "unknown"))
    now = datetime.now(UTC)
    new = try_again(reader.state, reader.namespace, EFFECT, row["effect_id"], now)
    return Tried(row["text"], new)


def react(reader: Reader, notification_id: str, verb: str) -> Received:
    """Says what the person thinks of one that was sent; `verb` is one of REACTIONS.

    Raises:
        Unnotified: there is none such.
    """
    row = _one(reader, notification_id, ("sent",))
    return add_event(
        reader.state,
        {
            "type": "reaction",
            "namespace": reader.namespace,
            "text": REACTIONS[verb],
            "reply_to": _message(row),
            "proactive": True,
        },
    )


def _one(reader: Reader, beginning: str, statuses: tuple[str, ...]) -> dict[str, Any]:
    """The one row of these statuses whose id begins so."""
    mine = pl.col("notification_id").str.starts_with(beginning)
    rows = reader.table(NOTIFICATIONS).filter(mine & pl.col("status").is_in(statuses)).collect()
    if rows.height != 1 or not beginning:
        what = "several begin with" if rows.height else f"none that is {' or '.join(statuses)} has"
        raise Unnotified(f"{what} {beginning}; see `cairn notifications`")
    return rows.row(0, named=True)
