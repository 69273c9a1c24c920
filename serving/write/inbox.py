"""What people and agents tell Cairn: the one thing that serving writes."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from cairn.knowledge.redaction import redactor
from cairn.resources.context import State
from cairn.resources.home.inbox import AppendedEvent, append_events


def add_event(
    state: State, event: Mapping[str, object], at: datetime | None = None
) -> AppendedEvent:
    """Adds one event to the inbox, as `add_events`."""
    return add_events(state, [event], at)[0]


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
