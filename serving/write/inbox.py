"""What people and agents tell Cairn: the one thing that serving writes."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from cairn.knowledge.redaction import redactor
from cairn.knowledge.schema.identity import record_id
from cairn.resources.context import State
from cairn.resources.home.inbox import AppendedEvent, append_events


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
    received = add_event(state, {"type": event["type"], "namespace": namespace, **said})
    return {
        "namespace": namespace,
        "event_id": received.event_id,
        "record_id": record_id(namespace, received.event_id),
        "written": received.written,
        "redactions": received.redactions,
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
