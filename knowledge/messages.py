"""What the formats of chats share: text of content, calls of functions, times and ids."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec

from knowledge.adapter import Event
from knowledge.origins import call_origin


def text_of(content: Any) -> str:
    """Text of content: a string, a part, or a list of either; pictures say nothing."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text for part in content if (text := text_of(part)))
    text = content.get("text") if isinstance(content, dict) else None
    return text if isinstance(text, str) else ""


def function_calls(calls: list[Any] | None, role: str | None) -> Iterator[Event]:
    """Calls as chat completions write them, as blocks from 1."""
    for block, call in enumerate(calls or [], 1):
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            name = word(function.get("name"))
            yield Event(
                "tool_call", call_origin(name), role=role, block=block, tool_name=name,
                tool_input=arguments(function.get("arguments")), call_id=word(call.get("id")),
            )  # fmt: skip


def arguments(given: Any) -> str:
    """Input of a call as JSON; an empty object if there is none."""
    if isinstance(given, str):
        return given or "{}"
    return "{}" if given is None else msgspec.json.encode(given).decode()


def word(value: Any) -> str | None:
    """A name or an id: text, or a number as text; nothing else is one."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else None


def moment(time: float) -> str | None:
    """ISO 8601 of seconds, or milliseconds, since 1970; None for what no clock shows."""
    try:
        return datetime.fromtimestamp(time / 1000 if time > 1e11 else time, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return None


def own_id(given: str | int | None, conversation: str | None) -> str | None:
    """The id of a message within its namespace.

    A number counts within its conversation only; without one it tells no message from another.
    """
    number = isinstance(given, int) or (given or "").isdigit()
    if given is None or given == "" or (number and conversation is None):
        return None
    return f"{conversation}/{given}" if number else str(given)
