"""Notifications that Cairn sent, as the inbox holds them (see effects.py).

One that went out is a message of Cairn's own, which came unasked: a person may react to it.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec
import polars as pl

from cairn.knowledge.ingest.adapter import Event
from cairn.knowledge.ingest.inbox_events.effects import KIND, effect, encoded, shaped

EFFECT = "notification"
"""What an intent or a receipt is of."""

THREAD = "notifications"
"""The channel of all of them."""

NOTICES = (pl.col("tool_name") == EFFECT) & (
    (pl.col("kind") == KIND) | ((pl.col("kind") == "message") & (pl.col("origin") == "recalled"))
)
"""Rows of RAW_LOGS that tell of notifications: an agent's tool of that name tells of none."""


class Notice(msgspec.Struct, omit_defaults=True):
    """One notification: what it tells, and after it how it went."""

    effect_id: str = ""
    notification_id: str = ""
    """The same for each try of one notification."""
    entity_id: str = ""
    name: str = ""
    batch: str = ""
    trigger: str = ""
    mode: str = ""
    text: str = ""
    fact_ids: list[str] = []
    record_ids: list[str] = []
    """Records that the facts were found in: it goes when they are forgotten."""
    found_at: str | None = None
    image_url: str | None = None
    sent_to: str | None = None
    """What kind of place it was sent to; of a receipt alone."""
    error: str | None = None
    """Why it was not sent; of a receipt alone."""


def instant_of(text: str | None) -> datetime | None:
    """A time as a notice has it; None if it is none, or has no timezone."""
    try:
        at = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return at if at.tzinfo else None


def notice_of(tool_input: str | None) -> Notice:
    """What a row of RAW_LOGS keeps of a notification."""
    return shaped(tool_input, Notice) or Notice()


def events(kind: str, item: Any) -> Iterator[Event]:
    """What a line of the inbox gives, of one of effect_events.TYPES."""
    notice = shaped(item, Notice) or Notice()
    if kind != "receipt" or notice.error is not None:
        yield effect(kind, EFFECT, notice)
        return
    yield Event(
        "message", "recalled", notice.text, "assistant", tool_name=EFFECT,
        tool_input=encoded(notice), proactive=True,
    )  # fmt: skip
