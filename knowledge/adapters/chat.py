"""Chats in our own plain form: role, content and timestamp, one object a line or in a JSON list.

Optional are id, name, conversation_id, reply_to and proactive. Times are ISO 8601, or seconds or
milliseconds since 1970.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec

from knowledge.adapter import Adapter, Event, Head
from knowledge.identity import digest
from knowledge.origins import call_origin, result_origin, spoken

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
    thread = message.conversation_id
    native = None if message.id is None else str(message.id)
    if native is None and message.ordinal is not None:
        native = f"{thread}/{message.ordinal}"
    time = message.timestamp
    if isinstance(time, int | float):
        time = datetime.fromtimestamp(time / 1000 if time > 1e11 else time, UTC).isoformat()
    named = thread is not None
    return Head(str(thread) if named else CHANNEL, named, native, time, message.ordinal)


def events(payload: bytes) -> Iterable[Event]:
    """What was said, calls beside it, or what a tool returned."""
    message = _MESSAGE.decode(payload)
    text = _text(message.content)
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
    return [said, *_calls(message)]


def _calls(message: Message) -> Iterator[Event]:
    for block, call in enumerate(message.tool_calls or [], 1):
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            given = function.get("arguments")
            yield Event(
                "tool_call", call_origin(function.get("name")), role=message.role, block=block,
                tool_name=function.get("name"), call_id=call.get("id"),
                tool_input=given if isinstance(given, str) else msgspec.json.encode(given).decode(),
            )  # fmt: skip


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text for part in content if (text := _text(part)))
    text = content.get("text") if isinstance(content, dict) else None
    return text if isinstance(text, str) else ""


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
    version=1,
    about="chats in the plain form (JSONL or JSON list: role, content, timestamp, …)",
    recognises=recognises,
    head=head,
    events=events,
    unpack=unpack,
    rank=9,
)
