"""Gemini CLI chats: one JSON document with its messages, or the JSONL of newer versions."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from cairn.knowledge.ingest.adapter import Adapter, Event, Head
from cairn.knowledge.ingest.chat_format import (
    Ordinal,
    decoded,
    instant,
    numbered,
    objects_in,
    text_of,
    word,
)
from cairn.knowledge.ingest.speakers import call_origin, result_origin, spoken
from cairn.knowledge.schema.identity import digest


class GeminiMessage(msgspec.Struct, rename="camel"):
    """One message, or the header that names the session."""

    session_id: str | None = None
    ordinal: Ordinal | None = None
    id: str | None = None
    timestamp: Any = None
    start_time: str | None = None
    kind: str | None = None
    type: str | None = None
    role: str | None = None
    content: Any = None
    display_content: Any = None
    parts: Any = None
    thoughts: Any = None
    tool_calls: Any = None
    model: str | None = None
    changes: Any = msgspec.field(default=None, name="$set")
    """What a line of the newest logs sets: the first has what the harness says of the session."""


_WORKSPACE = re.compile(r"\*\*Workspace Directories:\*\*\s*\n\s*- (\S[^\n]*)")
"""Where the harness names the folder of the session; no other line does."""

_FRAME = re.compile(
    r"(?:Command: [^\0]{0,20000}?\nDirectory: [^\n]*\n)?(?:Output|Stdout): (?:\(empty\))?"
)
_LAST = r"(?:\n(?:Signal|Background PIDs|Process Group PGID): [^\n]*)"
_FRAME_END = re.compile(rf"(?:\nExit Code: (?P<code>-?\d+|\(none\)){_LAST}*|{_LAST}+)\s*\Z")
"""What stands before and behind what a command printed."""
_LONGEST_END = 2_000
"""Characters at the end of an output in which its frame ends."""

_MESSAGE = msgspec.json.Decoder(GeminiMessage)
_SUB_AGENT = "subagent"
_FILES = re.compile(
    r"(--- Content from referenced files ---.*?(?:--- End of content ---|\Z))", re.DOTALL
)
"""What the harness appends for the files that a person named with @."""


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
    shared = {key: value[key] for key in ("model", "kind") if value.get(key)}
    for message in numbered(messages, sessionId=session):
        if isinstance(message, dict):
            yield shared | message | {"timestamp": _time(message, value)}
        else:
            yield message


def head(payload: bytes) -> Head:
    """Thread is the session; native id its place there, or in JSONL its own id."""
    message = decoded(_MESSAGE, payload)
    session = message.session_id
    native = message.id
    if session is not None and message.ordinal is not None:
        native = f"{session}/{message.ordinal}"
    time = instant(message.timestamp) or message.start_time
    return Head(session, session is not None, native, time, message.ordinal)


def events(payload: bytes) -> Iterable[Event]:
    """What a person or the model said, its thoughts, calls and their results."""
    message = decoded(_MESSAGE, payload)
    speaker = message.type or message.role
    inner = message.kind == _SUB_AGENT
    if speaker is None and (folder := _workspace(message.changes)):
        return [Event("note", "system", sidechain=inner, cwd=folder)]
    if speaker is None and inner:
        return [Event("note", "system", sidechain=True)]
    if speaker in ("user", "gemini", "model", "assistant"):
        told = _asked(message) if speaker == "user" else _answer(message, speaker)
        return [event._replace(block=block, sidechain=inner) for block, event in enumerate(told)]
    text = text_of(message.content)
    if speaker in ("info", "error", "warning"):
        return [Event("note", "system", text, speaker, is_error=speaker == "error")]
    return []


def _workspace(changes: Any) -> str | None:
    """The folder that the session works in, where a line sets what the harness says of it."""
    said = changes.get("messages") if isinstance(changes, dict) else None
    texts = (text_of(message.get("content")) for message in objects_in(said))
    found = (match[1].strip() for text in texts if (match := _WORKSPACE.search(text)))
    return next(found, None)


def _asked(message: GeminiMessage) -> Iterator[Event]:
    """What a person typed, what the harness put beside it, and in a history what calls returned."""
    text = text_of(message.display_content) or text_of(message.content) or text_of(message.parts)
    person = "agent" if message.kind == _SUB_AGENT else "human"
    silent = True
    for place, piece in enumerate(_FILES.split(text)):
        for origin, part in [("system", piece)] if place % 2 else spoken(piece):
            yield Event("message", person if origin == "human" else origin, part, "user")
            silent = False
    for part in objects_in(message.parts):
        returned = part.get("functionResponse")
        if isinstance(returned, dict):
            yield _returned(returned, _result(part), failed=False)
            silent = False
    if silent:
        yield Event("message", "system", "", "user")


def _answer(message: GeminiMessage, role: str) -> Iterator[Event]:
    model = message.model
    parts = objects_in(message.parts)
    thoughts = [
        "\n".join(str(thought[key]) for key in ("subject", "description") if thought.get(key))
        for thought in objects_in(message.thoughts)
    ]
    thoughts += [text_of(part) for part in parts if part.get("thought") is True]
    for thought in thoughts:
        yield Event("thinking", "agent", thought, role, model=model)
    calls = objects_in(message.tool_calls)
    calls += [call for part in parts if isinstance(call := part.get("functionCall"), dict)]
    spoken_parts = [part for part in parts if part.get("thought") is not True]
    text = text_of(message.content) or text_of(spoken_parts if parts else message.parts)
    if text or not (calls or thoughts):
        yield Event("message", "agent", text, role, model=model)
    for call in calls:
        for event in _call(call, role):
            yield event._replace(model=model)


def _call(call: dict[str, Any], role: str) -> Iterator[Event]:
    name = word(call.get("name"))
    given = call.get("args")
    arguments = given if isinstance(given, dict) else {}
    yield Event(
        "tool_call", call_origin(name), role=role, tool_name=name,
        tool_input=msgspec.json.encode(arguments).decode(), call_id=word(call.get("id")),
    )  # fmt: skip
    if call.get("result") is not None or call.get("resultDisplay"):
        text = _result(call.get("result")) or text_of(call.get("resultDisplay"))
        failed = call.get("status") == "error"
        if name == "run_shell_command":
            text, exits_badly = _printed(text)
            failed = failed or exits_badly
        yield _returned(call, text, failed=failed)


def _printed(text: str) -> tuple[str, bool]:
    """What a command printed, out of the frame around it, and whether it exited with an error.

    A call counts as a success to Gemini CLI once its command has run, however that ended.
    """
    frame = _FRAME.match(text)
    if frame is None:
        return text, False
    end = _FRAME_END.search(text, max(frame.end() - 1, len(text) - _LONGEST_END))
    printed = text[frame.end() : end.start() if end else None]
    return printed, end is not None and end["code"] not in (None, "0", "(none)")


def _returned(call: dict[str, Any], text: str, *, failed: bool) -> Event:
    name = word(call.get("name"))
    return Event(
        "tool_result", result_origin(name, text), text, "tool", tool_name=name,
        call_id=word(call.get("id")), is_error=failed,
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
    """Time of a message, as old documents name it too; the document's start at worst."""
    time = instant(message.get("timestamp")) or instant(message.get("ts"))
    return time or instant(document.get("startTime")) or instant(document.get("start_time"))


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
    version=6,
    about="Gemini CLI chats (JSON documents, and JSONL of newer versions)",
    recognises=recognises,
    head=head,
    events=events,
    unpack=unpack,
    rank=3,
)
