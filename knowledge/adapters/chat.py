"""Chats in our own plain form: role, content and timestamp, one object a line or in a JSON list.

Optional are id, name, conversation_id, reply_to and proactive. Times are ISO 8601, or seconds or
milliseconds since 1970. An id is unique among all chats; a number within its conversation.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from knowledge.adapter import Adapter, Event, Head
from knowledge.identity import digest
from knowledge.messages import function_calls, moment, own_id, text_of
from knowledge.origins import result_origin, spoken

CHANNEL = "chat"


class Message(msgspec.Struct):
    """One message."""

    role: str = ""
    content: Any = None
    timestamp: str | int | float | None = None
    id: str | int | None = None
    name: str | None = None
    conversation_id: str | int | None = None
    ordinal: int | None = None
    model: str | None = None
    reply_to: str | None = None
    proactive: bool | None = None
    tool_calls: list[Any] | None = None
    tool_call_id: str | None = None


_MESSAGE = msgspec.json.Decoder(Message)
_ORIGINS = {
    "user": "human", "human": "human",
    "assistant": "agent", "agent": "agent", "ai": "agent", "bot": "agent",
    "system": "system", "developer": "system",
    "tool": "tool", "function": "tool",
}  # fmt: skip


def recognises(objects: list[Any]) -> bool:
    """Every object is a role that is known here, with content."""
    if len(objects) == 1 and isinstance(objects[0], list):
        objects = objects[0]
    return bool(objects) and all(_is_message(line) for line in objects)


def unpack(value: Any) -> Iterator[dict[str, Any]]:
    """Messages of a list; those without time, id and conversation get them from their place."""
    if not isinstance(value, list):
        yield value
        return
    begin = (msgspec.json.encode(message).decode() for message in value[:3])
    conversation = "chat-" + digest(*begin)
    for ordinal, message in enumerate(value):
        placed = any(key in message for key in ("timestamp", "conversation_id", "id"))
        place = {} if placed else {"conversation_id": conversation, "ordinal": ordinal}
        yield {**message, **place}


def head(payload: bytes) -> Head:
    """One endless channel, unless the conversation is named."""
    message = _MESSAGE.decode(payload)
    thread = None if message.conversation_id is None else str(message.conversation_id)
    native = own_id(message.ordinal if message.id is None else message.id, thread)
    time = message.timestamp
    if isinstance(time, int | float):
        time = moment(time)
    return Head(thread or CHANNEL, thread is not None, native, time, message.ordinal)


def events(payload: bytes) -> Iterable[Event]:
    """What was said, calls beside it, or what a tool returned."""
    message = _MESSAGE.decode(payload)
    text = text_of(message.content)
    origin = _ORIGINS.get(message.role, "system")
    if origin == "tool":
        return [
            Event(
                "tool_result", result_origin(message.name, text), text, message.role,
                tool_name=message.name, call_id=message.tool_call_id,
            )
        ]  # fmt: skip
    if origin == "human":
        parts = list(spoken(text)) or [("system", "")]
        return [
            Event(
                "message", who, part, message.role, block, name=message.name,
                reply_to=message.reply_to,
            )
            for block, (who, part) in enumerate(parts)
        ]  # fmt: skip
    said = Event(
        "message", origin, text, message.role, name=message.name, model=message.model,
        reply_to=message.reply_to, proactive=bool(message.proactive),
    )  # fmt: skip
    return [said, *function_calls(message.tool_calls, message.role)]


def _is_message(line: Any) -> bool:
    return (
        isinstance(line, dict)
        and line.get("role") in _ORIGINS
        and "content" in line
        and isinstance(line["content"], str | list | None)
        and line.get("type") in (None, "message")
        and "event_id" not in line
    )


ADAPTER = Adapter(
    name="chat",
    version=2,
    about="chats in the plain form (JSONL or JSON list: role, content, timestamp, …)",
    recognises=recognises,
    head=head,
    events=events,
    unpack=unpack,
    rank=9,
)
