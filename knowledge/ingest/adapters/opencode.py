"""OpenCode sessions as `opencode export` writes them: one JSON document, messages of parts."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from cairn.knowledge.ingest.adapter import Adapter, Event, Head
from cairn.knowledge.ingest.chat_format import (
    Ordinal,
    decoded,
    instant,
    numbered,
    object_in,
    objects_in,
    text_of,
    word,
)
from cairn.knowledge.ingest.speakers import STOPPED, call_origin, result_origin, spoken


class OpencodeMessage(msgspec.Struct):
    """One message with what its document says of the session."""

    session: str | None = None
    ordinal: Ordinal | None = None
    directory: str | None = None
    asked_by: str | None = None
    """The session whose agent began this one."""
    info: dict[str, Any] = {}
    parts: Any = None


_MESSAGE = msgspec.json.Decoder(OpencodeMessage)

_NAMES = {
    "filePath": "file_path", "oldString": "old_string", "newString": "new_string",
    "patchText": "patch",
}  # fmt: skip
"""What other agents call the arguments that OpenCode names otherwise."""

_TOOLS = {"webfetch": "web_fetch", "websearch": "web_search", "codesearch": "web_search"}
"""What others call the tools whose results are written by people and machines outside."""


def recognises(objects: list[Any]) -> bool:
    """A document whose `info` names a session, with a list of messages."""
    return bool(objects) and _is_document(objects[0])


def unpack(value: Any) -> Iterator[Any]:
    """Messages of a document, each with its session, folder and place; else the value itself."""
    if not _is_document(value):
        yield value
        return
    of = value["info"]
    yield from numbered(
        value["messages"],
        session=of["id"], directory=of.get("directory"), asked_by=of.get("parentID"),
    )  # fmt: skip


def head(payload: bytes) -> Head:
    """Thread is the session; native id the message's own, or its place there."""
    message = decoded(_MESSAGE, payload)
    native = word(message.info.get("id"))
    if not (native and native.startswith("msg_")) and message.session is not None:
        native = f"{message.session}/{message.ordinal}"
    began = instant(object_in(message.info.get("time")).get("created"))
    return Head(message.session, message.session is not None, native, began, message.ordinal)


def events(payload: bytes) -> Iterable[Event]:
    """What a person or the model said, its thoughts, calls and their results."""
    message = decoded(_MESSAGE, payload)
    told = list(_asked(message) if message.info.get("role") == "user" else _answer(message))
    inner = bool(message.asked_by)
    return [
        event._replace(block=block, sidechain=inner, cwd=message.directory)
        for block, event in enumerate(told)
    ]


def _asked(message: OpencodeMessage) -> Iterator[Event]:
    """What a person typed, and what OpenCode or a command of its own put beside it.

    Who asks in a session that an agent began is that agent.
    """
    silent = True
    for part in objects_in(message.parts):
        match part.get("type"):
            case "subtask":  # a command that the person called, in full
                told = [("system", text_of(part.get("prompt")))]
            case "text" if part.get("synthetic") is True:
                told = [("system", text_of(part))]
            case "text":
                told = spoken(text_of(part))
            case _:
                continue
        for origin, piece in told:
            who = "agent" if message.asked_by and origin == "human" else origin
            yield Event("message", who, piece, "user")
            silent = False
    if silent:
        yield Event("message", "system", "", "user")


def _answer(message: OpencodeMessage) -> Iterator[Event]:
    model = word(message.info.get("modelID"))
    shortened = message.info.get("summary") is True
    for place, part in enumerate(objects_in(message.parts)):
        match part.get("type"):
            case "reasoning":
                yield Event("thinking", "agent", text_of(part), "assistant", model=model)
            case "text" if shortened:
                yield Event("summary", "system", text_of(part))
            case "text":
                yield Event("message", "agent", text_of(part), "assistant", model=model)
            case "tool":
                for event in _call(part, f"{message.ordinal}/{place}"):
                    yield event._replace(model=model)
            case _:
                pass
    if error := object_in(message.info.get("error")):
        # A stop is marked as Claude Code has it: OpenCode says it by the kind of an error.
        stopped = error.get("name") == "MessageAbortedError"
        text = text_of(object_in(error.get("data")).get("message"))
        yield Event("note", "system", f"{STOPPED}]" if stopped else text, is_error=not stopped)


def _call(part: dict[str, Any], call_id: str) -> Iterator[Event]:
    """A call, and what it returned if it has ended: both are one part, whose place links them."""
    name = word(part.get("tool"))
    state = object_in(part.get("state"))
    inputs = {_NAMES.get(key, key): one for key, one in object_in(state.get("input")).items()}
    yield Event(
        "tool_call", call_origin(name), role="assistant", tool_name=name,
        tool_input=msgspec.json.encode(inputs).decode(), call_id=call_id,
    )  # fmt: skip
    status = state.get("status")
    if status not in ("completed", "error"):
        return
    text = text_of(state.get("output" if status == "completed" else "error"))
    code = object_in(state.get("metadata")).get("exit")
    origin = result_origin(_TOOLS.get(name or "", name), text)
    yield Event(
        "tool_result", origin, text, "tool", tool_name=name, call_id=call_id,
        is_error=status == "error" or code not in (None, 0),
    )  # fmt: skip


def _is_document(value: Any) -> bool:
    document = object_in(value)
    return (
        isinstance(object_in(document.get("info")).get("id"), str)
        and isinstance(messages := document.get("messages"), list)
        and all(isinstance(one, dict) and {"info", "parts"} <= one.keys() for one in messages[:3])
    )


ADAPTER = Adapter(
    name="opencode",
    version=1,
    about="OpenCode sessions (JSON, as `opencode export` writes them)",
    recognises=recognises,
    head=head,
    events=events,
    unpack=unpack,
    rank=3,
)
