"""What Cairn did in the world, as the inbox holds it: an intent before, a receipt after.

Also the moment from which it may do it at all, and a person's word that it may be tried again.
"""

from typing import Any, TypeVar

import msgspec

from cairn.knowledge.ingest.adapter import Event

Shape = TypeVar("Shape", bound=msgspec.Struct)

KIND = "effect"
"""Kind of the rows that say what Cairn did, and brought nothing."""

TYPES = frozenset({"intent", "receipt", "switch", "retry"})


def effect(kind: str, name: str, item: msgspec.Struct) -> Event:
    """The row of a line that brought nothing; `kind` is one of TYPES, `name` what it is of."""
    return Event(KIND, "system", "", kind, tool_name=name, tool_input=encoded(item))


def encoded(item: msgspec.Struct) -> str:
    """As a row of RAW_LOGS keeps it."""
    return msgspec.json.encode(item).decode()


def shaped(given: Any, shape: type[Shape]) -> Shape | None:
    """A decoded value, or JSON text, in a shape; None if it does not have it."""
    try:
        if isinstance(given, str):
            return msgspec.json.decode(given, type=shape, strict=False)
        return msgspec.convert(given, shape, strict=False)
    except (msgspec.ValidationError, msgspec.DecodeError):
        return None
