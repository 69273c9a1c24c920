"""What people and agents tell Cairn: the one thing that serving writes."""

from collections.abc import Mapping
from datetime import datetime

from knowledge.redaction import redactor
from resources.inbox import Received, append_event
from resources.state import State


def add_event(state: State, event: Mapping[str, object], at: datetime | None = None) -> Received:
    """Adds one event to the inbox, without its secrets; the sensor does the rest.

    Raises:
        ValueError: as `resources.inbox.append_event`.
    """
    clean = redactor(state.policy.redact_personal)

    def redact(text: bytes) -> tuple[bytes, int]:
        cleaned, found = clean.redact_text(text.decode())
        return cleaned.encode(), len(found)

    return append_event(state.home, event, redact=redact, at=at)
