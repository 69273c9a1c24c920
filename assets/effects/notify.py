"""What is due to be told, told: the one place that acts on the table `notifications`."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import polars as pl

from cairn.knowledge.ingest.inbox_events.notifications import EFFECT
from cairn.knowledge.schema.identity import record_id
from cairn.knowledge.schema.tables import MEMORY, NOTIFICATIONS
from cairn.resources.context import State
from cairn.resources.effects import (
    acknowledge,
    event_id,
    forgotten,
    intend,
    now,
    switch_on,
    switched_off,
)
from cairn.resources.home.home import Home
from cairn.resources.home.settings import Settings
from cairn.resources.web.notifier import OutgoingMessage, Sent, send

MOST_STATEMENTS = 3
"""Facts that stand in what is told, below how many there are."""

_TOLD = (
    "effect_id", "notification_id", "entity_id", "name", "batch", "trigger", "mode", "text",
    "fact_ids", "record_ids", "image_url",
)  # fmt: skip
"""What intent and receipt say of a notification."""


@dataclass
class Dispatched:
    """What a run did: how many notifications."""

    due: int = 0
    sent: int = 0
    failed: int = 0
    unknown: int = 0
    """Begun, and the service broke down: nobody knows whether it was told."""
    begun_before: int = 0
    """An intent was there already: what became of it is not known, and it is not repeated."""
    switched_on: int = 0
    """Namespaces in which what is found from now on is told."""


def waiting(state: State) -> bool:
    """Whether anything is to be told at some time, or once that is switched on."""
    held = (pl.col("status") == "due") | (pl.col("blocked_by") == "switched_off")
    return state.warehouse.read(NOTIFICATIONS).filter(held).collect().height > 0


def due(state: State, at: datetime) -> pl.DataFrame:
    """Rows of NOTIFICATIONS that are to be told at a moment: at most one of each namespace.

    The next of a namespace is due only when the logs hold that this one was told.
    """
    oldest = at - timedelta(days=state.policy.notify_days)
    ready = (pl.col("status") == "due") & (pl.col("due_at") <= at) & (pl.col("due_at") >= oldest)
    found = state.warehouse.read(NOTIFICATIONS).filter(ready).collect().sort("namespace")
    return found.filter(~forgotten(state, EFFECT, found, at))


def dispatch(
    state: State,
    clock: Callable[[], datetime] = now,
    sends: Callable[[Home, Settings, OutgoingMessage], Sent] = send,
) -> Dispatched:
    """Tells what is due.

    Each is written to the inbox before it is sent, and after it with how it went; the next intake
    makes a message of Cairn's own of that.
    """
    report = Dispatched()
    start = clock()
    for namespace in switched_off(state, NOTIFICATIONS):
        report.switched_on += switch_on(state, namespace, EFFECT, start)
    rows = due(state, start)
    report.due = rows.height
    for row in rows.iter_rows(named=True):
        namespace, effect_id = row["namespace"], row["effect_id"]
        found_at = {"found_at": row["found_at"].isoformat()}
        item = {name: row[name] for name in _TOLD if row[name] is not None} | found_at
        if not intend(state, namespace, EFFECT, effect_id, item, clock()):
            report.begun_before += 1
            continue
        try:
            went = sends(state.home, state.settings, _message(state, row, clock()))
        except Exception:  # a plugin of some service: what it did is not known
            report.unknown += 1
            continue
        came = {"error": went.error} if went.error else {"sent_to": went.to}
        acknowledge(state, namespace, EFFECT, effect_id, item | came, clock())
        report.failed += went.error is not None
        report.sent += went.error is None
    return report


def _message(state: State, row: dict[str, Any], at: datetime) -> OutgoingMessage:
    namespace, facts = row["namespace"], row["fact_ids"][:MOST_STATEMENTS]
    content = (
        state.warehouse.read(MEMORY, namespace=namespace, columns=["fact_id", "content"])
        .filter(pl.col("fact_id").is_in(facts))
        .collect()
    )
    said = dict(content.iter_rows())
    begun, told = (
        record_id(namespace, event_id(namespace, kind, EFFECT, row["effect_id"]))
        for kind in ("intent", "receipt")
    )
    return OutgoingMessage(
        told,
        begun,
        namespace,
        row["text"],
        tuple(said[fact] for fact in facts if fact in said),
        row["image_url"],
        at,
    )
