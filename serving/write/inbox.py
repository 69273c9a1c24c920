"""What people and agents tell Cairn: the one thing that serving writes."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from cairn.knowledge.redaction import redactor
from cairn.knowledge.schema.identity import record_id
from cairn.resources.context import State
from cairn.resources.home.inbox import AppendedEvent, append_events
from cairn.resources.limits.day import check_limit

SAYING = frozenset({"note", "message"})
"""Events that say something; decisions and what is to be forgotten are always taken."""


def add_event(
    state: State, event: Mapping[str, object], at: datetime | None = None
) -> AppendedEvent:
    """Adds one event to the inbox, as `add_events`."""
    return add_events(state, [event], at)[0]


def add_event_of(state: State, namespace: str, event: Mapping[str, object]) -> dict[str, Any]:
    """Adds an event of a namespace, of whose fields those without a value are left out.

    Returns:
        namespace, event_id, record_id (of its record from the next run on), written (false if the
        namespace had the event already), redactions (secrets that were taken out).

    Raises:
        ValueError: the event id is no UUID.
    """
    said = {name: value for name, value in event.items() if value}
    return received(state, namespace, {"type": event["type"], "namespace": namespace, **said})


def received(state: State, namespace: str, event: Mapping[str, object]) -> dict[str, Any]:
    """Adds an event of a namespace as it is, and gives what `add_event_of` does.

    Raises:
        LimitReached: it says something new, and no more of the namespace's logs is taken in today.
    """
    if event["type"] in SAYING:
        check_limit(state, namespace, "log_bytes")
    appended = add_event(state, {**event, "namespace": namespace})
    return {
        "namespace": namespace,
        "event_id": appended.event_id,
        "record_id": record_id(namespace, appended.event_id),
        "written": appended.written,
        "redactions": appended.redactions,
    }


def add_events(
    state: State, events: Iterable[Mapping[str, object]], at: datetime | None = None
) -> list[AppendedEvent]:
    """Adds events to the inbox, without their secrets; the sensor does the rest.

    Raises:
        ValueError: as `cairn.resources.home.inbox.append_events`.
    """
    clean = redactor(state.policy.redact_personal)

    def redact(text: bytes) -> tuple[bytes, int]:
        cleaned, found = clean.redact_text(text.decode())
        return cleaned.encode(), len(found)

    return append_events(state.home, events, redact=redact, at=at)
