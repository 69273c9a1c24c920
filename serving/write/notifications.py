"""What a person does about a notification: react to it, or have it sent again."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

import polars as pl

from cairn.knowledge.ingest.inbox_events.notifications import EFFECT
from cairn.knowledge.schema.tables import NOTIFICATIONS
from cairn.resources.effects import try_again
from cairn.resources.home.inbox import AppendedEvent
from cairn.serving.query.notifications import message_of
from cairn.serving.read.reader import Reader
from cairn.serving.write.inbox import add_event


class Unnotified(Exception):  # noqa: N818  what a person is told
    """No notification is meant, or none of which that can be said; the message says why."""


class RetriedNotification(NamedTuple):
    """A notification that is to be sent again."""

    text: str
    new: bool
    """False if that was said before."""


def again(reader: Reader, notification_id: str) -> RetriedNotification:
    """Lets one be sent again that failed, or of which nobody knows whether it was sent.

    Raises:
        Unnotified: there is none such.
    """
    row = _one(reader, notification_id, ("failed", "unknown"))
    now = datetime.now(UTC)
    new = try_again(reader.state, reader.namespace, EFFECT, row["effect_id"], now)
    return RetriedNotification(row["text"], new)


def react(reader: Reader, notification_id: str, verb: str) -> AppendedEvent:
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
            "reply_to": message_of(row),
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


REACTIONS = {"like": "👍", "dislike": "👎"}
