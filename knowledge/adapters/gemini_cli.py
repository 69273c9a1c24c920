"""Gemini CLI chats: one JSON document with its messages, or the JSONL of newer versions."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from knowledge.adapter import Adapter, Event, Head
from knowledge.identity import digest
from knowledge.messages import moment, text_of, word
from knowledge.origins import call_origin, result_origin, spoken


class Message(msgspec.Struct, rename="camel"):
    """One message, or the header that names the session."""

    session_id: str | None = None
    ordinal: int | None = None
    id: str | None = None
    timestamp: str | None = None
    start_time: str | None = None
    type: str | None = None
    role: str | None = None
    content: Any = None
    parts: Any = None
    thoughts: Any = None
    tool_calls: list[Any] | None = None
    model: str | None = None


_MESSAGE = msgspec.json.Decoder(Message)


def recognises(objects: list[Any]) -> bool:
    """A document with messages or a history of parts; or a header with the hash of the project."""
    first = objects[0] if objects else None
    if not isinstance(first, dict):
        return False
    if _is_document(first):
        return True
    header = {"sessionId", "projectHash", "startTime"} <= first.keys()
    return header and all(isinstance(line, dict) for line in objects)


def unpack(value: Any) -> Iterator[Any]:
    """Messages of a document, each with its session and place; else the value itself."""
    if not _is_document(value):
        yield value
        return
    messages: list[Any] = value.get("messages") or value.get("history") or []
    session = value.get("sessionId")
    if not isinstance(session, str):
        first = (msgspec.json.encode(message).decode() for message in messages[:3])
        session = "gemini-" + digest(*first)
    model = value.get("model")
    for ordinal, message in enumerate(messages):
        if not isinstance(message, dict):
            yield message
            continue
        place = {"sessionId": session, "ordinal": ordinal, "timestamp": _time(message, value)}
        yield {**message, **place} | ({"model": model} if "model" not in message and model else {})


def head(payload: bytes) -> Head:
    """Thread is the session; native id its place there, or in JSONL its own id."""
    message = _MESSAGE.decode(payload)
    session = message.session_id
    native = message.id
    if session is not None and message.ordinal is not None:
        native = f"{session}/{message.ordinal}"
    time = message.timestamp or message.start_time
    return Head(session, session is not None, native, time, message.ordinal)


def events(payload: bytes) -> Iterable[Event]:
    """What a person or the model said, its thoughts, calls and their results."""
    message = _MESSAGE.decode(payload)
    speaker = message.type or message.role
    text = text_of(message.content) or text_of(message.parts)
    if speaker == "user":
        parts = list(spoken(text)) or [("system", "")]
        return [
            Event("message", origin, part, "user", block)
            for block, (origin, part) in enumerate(parts)
        ]
    if speaker in ("gemini", "model", "assistant"):
        return list(_answer(message, speaker, text))
    if speaker in ("info", "error", "warning"):
        return [Event("note", "system", text, speaker, is_error=speaker == "error")]
    return []


def _answer(message: Message, role: str, text: str) -> Iterator[Event]:
    model = message.model
    block = 0
    thoughts = message.thoughts if isinstance(message.thoughts, list) else []
    for thought in thoughts:
        if isinstance(thought, dict):
            said = [thought[key] for key in ("subject", "description") if thought.get(key)]
            yield Event("thinking", "agent", "\n".join(map(str, said)), role, block, model=model)
            block += 1
    calls = [call for call in message.tool_calls or [] if isinstance(call, dict)]
    if text or not (calls or block):
        yield Event("message", "agent", text, role, block, model=model)
        block += 1
    for call in calls:
        for event in _call(call, role):
            yield event._replace(block=block, model=model)
            block += 1


def _call(call: dict[str, Any], role: str) -> Iterator[Event]:
    name, native = word(call.get("name")), word(call.get("id"))
    given = call.get("args")
    arguments = given if isinstance(given, dict) else {}
    yield Event(
        "tool_call", call_origin(name), role=role, tool_name=name,
        tool_input=msgspec.json.encode(arguments).decode(), call_id=native,
    )  # fmt: skip
    if call.get("result") is not None or call.get("resultDisplay"):
        text = _result(call.get("result")) or text_of(call.get("resultDisplay"))
        yield Event(
            "tool_result", result_origin(name, text), text, "tool", tool_name=name, call_id=native,
            is_error=call.get("status") == "error",
        )  # fmt: skip


def _result(result: Any) -> str:
    """Text of a call's result: what its function responses put out."""
    texts: list[str] = []
    for part in result if isinstance(result, list) else [result]:
        response = part.get("functionResponse") if isinstance(part, dict) else None
        response = response.get("response") if isinstance(response, dict) else None
        if isinstance(response, dict):
            out = next((response[key] for key in ("output", "error") if key in response), response)
            texts.append(out if isinstance(out, str) else msgspec.json.encode(out).decode())
        else:
            texts.append(text_of(part))
    return "\n".join(text for text in texts if text)


def _time(message: dict[str, Any], document: dict[str, Any]) -> str | None:
    """ISO time of a message; seconds since 1970 in old documents; the document's start at worst."""
    time = message.get("timestamp") or message.get("ts")
    if isinstance(time, int | float):
        return moment(time)
    start = document.get("startTime") or document.get("start_time")
    found = time or start
    return found if isinstance(found, str) else None


def _is_document(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    messages = value.get("messages")
    if isinstance(messages, list):
        return "sessionId" in value and ("projectHash" in value or "startTime" in value)
    history = value.get("history")
    return (
        isinstance(history, list)
        and bool(history)
        and all(isinstance(message, dict) and "parts" in message for message in history)
    )


ADAPTER = Adapter(
    name="gemini_cli",
    version=2,
    about="Gemini CLI chats (JSON documents, and JSONL of newer versions)",
    recognises=recognises,
    head=head,
    events=events,
    unpack=unpack,
    rank=3,
)
