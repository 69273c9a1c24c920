"""Chats in our own plain form: role, content and timestamp, one object a line or in a JSON list.

Optional are id, name, conversation_id, reply_to and proactive. Times are ISO 8601, or seconds or
milliseconds since 1970. An id is unique among all chats; a number within its conversation.
Lines of other things among the messages, such as marks of a checkpoint, say nothing.
"""

from collections.abc import Iterable, Iterator
from types import NoneType
from typing import Any

import msgspec

from cairn.knowledge.ingest import chat_format
from cairn.knowledge.ingest.adapter import Adapter, Event, Head
from cairn.knowledge.ingest.speakers import result_origin, spoken
from cairn.knowledge.schema.identity import digest

CHANNEL = "chat"


class ChatMessage(msgspec.Struct):
    """One message."""

    role: str = ""
    content: Any = None
    timestamp: Any = None
    id: Any = None
    name: str | None = None
    conversation_id: Any = None
    ordinal: chat_format.Ordinal | None = None
    model: str | None = None
    reply_to: str | None = None
    proactive: bool | None = None
    tool_calls: list[Any] | None = None
    tool_call_id: str | None = None


_MESSAGE = msgspec.json.Decoder(ChatMessage)
_ORIGINS = {
    "user": "human", "human": "human",
    "assistant": "agent", "agent": "agent", "ai": "agent", "bot": "agent",
    "system": "system", "developer": "system",
    "tool": "tool", "function": "tool",
}  # fmt: skip


def recognises(objects: list[Any]) -> bool:
    """Most objects are messages; the first and any that has a role look like one.

    Whose role nobody knows, or whose content is of an odd type, is a line of a chat all the same.
    """
    if len(objects) == 1 and isinstance(objects[0], list):
        objects = objects[0]
    return (
        chat_format.mostly(map(_is_message, objects))
        and _looks_like_one(objects[0])
        and all(_looks_like_one(line) or "role" not in (line or "") for line in objects)
    )


def unpack(value: Any) -> Iterator[dict[str, Any]]:
    """Messages of a list; those without time, id and conversation get them from their place."""
    if not isinstance(value, list):
        yield value
        return
    begin = (msgspec.json.encode(message).decode() for message in value[:3])
    there = chat_format.numbered(value, conversation_id="chat-" + digest(*begin))
    for message, placed in zip(value, there, strict=True):
        own = isinstance(message, dict) and message.keys() & {"timestamp", "conversation_id", "id"}
        yield message if own else placed


def head(payload: bytes) -> Head:
    """One endless channel, unless the conversation is named."""
    message = chat_format.decoded(_MESSAGE, payload)
    thread = chat_format.word(message.conversation_id)
    native = chat_format.own_id(message.ordinal if message.id is None else message.id, thread)
    time = chat_format.instant(message.timestamp)
    return Head(thread or CHANNEL, thread is not None, native, time, message.ordinal)


def events(payload: bytes) -> Iterable[Event]:
    """What was said, calls beside it, or what a tool returned."""
    message = chat_format.decoded(_MESSAGE, payload)
    if not message.role and message.content is None:
        return []
    text = chat_format.text_of(message.content)
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
    return [said, *chat_format.function_calls(message.tool_calls, message.role)]


def _is_message(line: Any) -> bool:
    return (
        _looks_like_one(line)
        and line["role"] in _ORIGINS
        and isinstance(line["content"], (str, list, dict, NoneType))
    )


def _looks_like_one(line: Any) -> bool:
    return (
        isinstance(line, dict)
        and isinstance(line.get("role"), str)
        and "content" in line
        and line.get("type") in (None, "message")
        and "event_id" not in line
    )


ADAPTER = Adapter(
    name="chat",
    version=4,
    about="chats in the plain form (JSONL or JSON list: role, content, timestamp, …)",
    recognises=recognises,
    head=head,
    events=events,
    unpack=unpack,
    rank=9,
)
