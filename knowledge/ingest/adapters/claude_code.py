"""Claude Code sessions: JSONL of schema 1.0 to 2.1, main and sub-agent files, and web exports.

A line is a message, a sign of progress, a snapshot, … Only `user`, `assistant`, `summary` and
queued prompts say something; what a line of progress repeats of a sub-agent is not taken again.
One API message may stand on several lines, each with its blocks.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from cairn.knowledge.ingest.adapter import Adapter, Event, Head
from cairn.knowledge.ingest.chat_format import Ordinal, arguments, decoded, instant, word
from cairn.knowledge.ingest.speakers import BY_PROGRAM, call_origin, result_origin, said
from cairn.knowledge.schema.identity import digest


class Snapshot(msgspec.Struct, gc=False):
    """State of files; its time stands inside."""

    timestamp: str | None = None


class ClaudePlace(msgspec.Struct, gc=False, rename="camel"):
    """The fields that place a line."""

    type: str | None = None
    uuid: str | None = None
    session_id: str | None = None
    timestamp: str | None = None
    snapshot: Snapshot | None = None
    ordinal: Ordinal | None = None


class LoosePlace(ClaudePlace, rename="camel"):
    """The same of a line whose time or kind is no text."""

    type: Any = None
    timestamp: Any = None


class Text(msgspec.Struct, tag="text", tag_field="type"):
    """Text of a message."""

    text: str | None = None


class Thinking(msgspec.Struct, tag="thinking", tag_field="type"):
    """What the model thought."""

    thinking: str | None = None


class ToolUse(msgspec.Struct, tag="tool_use", tag_field="type"):
    """A call; its input stays as it was written."""

    id: str | None = None
    name: str | None = None
    input: msgspec.Raw = msgspec.Raw()


class ServerToolUse(ToolUse, tag="server_tool_use", tag_field="type"):
    """A call that the provider answers itself."""


class ToolResult(msgspec.Struct, tag="tool_result", tag_field="type"):
    """What a call returned: text, or a list of blocks."""

    tool_use_id: str | None = None
    content: Any = None
    is_error: bool | None = None


class WebSearchResult(ToolResult, tag="web_search_tool_result", tag_field="type"):
    """What the provider's own search returned."""


class Image(msgspec.Struct, tag="image", tag_field="type"):
    """A picture: it says nothing here."""


class Document(msgspec.Struct, tag="document", tag_field="type"):
    """An attached document: it says nothing here."""


class RedactedThinking(msgspec.Struct, tag="redacted_thinking", tag_field="type"):
    """Thinking that the provider hides."""


Block = (
    Text | Thinking | ToolUse | ServerToolUse | ToolResult | WebSearchResult | Image | Document
    | RedactedThinking
)  # fmt: skip


class ClaudeMessage(msgspec.Struct):
    """An API message, or the part of it that one line holds."""

    content: str | list[Block] | None = None
    model: str | None = None


class Sender(msgspec.Struct):
    """Who set a prompt off, as newer schemas say."""

    kind: str | None = None
    sender: str | None = msgspec.field(default=None, name="from")


class Attachment(msgspec.Struct, rename="camel"):
    """Something put beside a message; a prompt typed while the agent worked is one."""

    type: str | None = None
    prompt: Any = None
    command_mode: str | None = None
    origin: Sender | None = None


class ClaudeLine(msgspec.Struct, rename="camel"):
    """A line, without what no event needs."""

    type: str | None = None
    uuid: str | None = None
    parent_uuid: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    summary: str | None = None
    leaf_uuid: str | None = None
    is_sidechain: bool | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_api_error_message: bool | None = None
    origin: Sender | None = None
    prompt_source: Any = None
    entrypoint: Any = None
    tool_use_result: msgspec.Raw = msgspec.Raw()
    message: ClaudeMessage | None = None
    attachment: Attachment | None = None


class LooseLine(ClaudeLine, rename="camel"):
    """A line whose message is decoded block by block."""

    origin: Any = None
    message: Any = None
    attachment: Any = None


_PLACE = msgspec.json.Decoder(ClaudePlace)
_LOOSE_PLACE = msgspec.json.Decoder(LoosePlace)
_LINE = msgspec.json.Decoder(ClaudeLine)
_LOOSE = msgspec.json.Decoder(LooseLine)
_NO_PERSON = frozenset({"task-notification", "hook", "channel", "coordinator", "peer", "agent"})
_SPEAKING = frozenset({"user", "assistant", "summary", "attachment"})
_BOOKKEEPING = frozenset({"system", "progress", "attachment"})
_MARKS = frozenset(
    {"queue-operation", "permission-mode", "last-prompt", "ai-title", "custom-title", "agent-name"}
)


def recognises(objects: list[Any]) -> bool:
    """Some line is a message or a line of bookkeeping as only this agent writes it."""
    if len(objects) == 1 and _is_export(objects[0]):
        return True
    lines = [line for line in objects if isinstance(line, dict)]
    foreign = any(
        "systemPayload" in line or "parts" in _mapping(line.get("message")) for line in lines
    )
    return not foreign and any(_is_line(line) for line in lines)


def head(payload: bytes) -> Head:
    """Thread is the session, native id the line's uuid."""
    try:
        place = _PLACE.decode(payload)
    except msgspec.ValidationError:
        place = decoded(_LOOSE_PLACE, payload)
        place.timestamp = instant(place.timestamp)
    time = place.timestamp
    if time is None and place.snapshot is not None:
        time = place.snapshot.timestamp
    session = place.session_id
    silent = place.type is None or (isinstance(place.type, str) and place.type not in _SPEAKING)
    return Head(session, session is not None, place.uuid, time, place.ordinal, silent)


def unpack(value: Any) -> Iterator[Any]:
    """Lines of a web session's export, each with session, uuid and place; else the value itself."""
    if not _is_export(value):
        yield value
        return
    lines: list[Any] = value["loglines"]
    session = next(
        (value[key] for key in ("sessionId", "session_id", "uuid", "id") if value.get(key)),
        "web-" + digest(*(msgspec.json.encode(line).decode() for line in lines[:3])),
    )
    for ordinal, line in enumerate(lines):
        place = {"sessionId": session, "uuid": f"{session}/{ordinal}", "ordinal": ordinal}
        yield place | line if isinstance(line, dict) else line


def events(payload: bytes) -> Iterable[Event]:
    """Messages, thinking, calls and results of one line."""
    try:
        line = _LINE.decode(payload)
    except msgspec.ValidationError:
        line = _loose(payload)
    match line.type:
        case "user":
            return list(_user(line))
        case "assistant":
            return list(_assistant(line))
        case "summary" if line.summary:
            return [Event("summary", "system", line.summary, parent_id=line.leaf_uuid)]
        case "attachment" if line.attachment and line.attachment.type == "queued_command":
            return _queued(line, line.attachment)
        case _:
            return []


def _user(line: ClaudeLine) -> Iterator[Event]:
    content = line.message.content if line.message else None
    blocks = [Text(content)] if isinstance(content, str) else content or []
    answers = any(isinstance(block, ToolResult) for block in blocks)
    texts: list[str] = []
    first: int | None = None
    results: list[Event] = []
    for index, block in enumerate(blocks):
        if isinstance(block, ToolResult):
            results.append(_result(line, block, index))
        elif isinstance(block, Text) and block.text:
            texts.append(block.text)
            first = index if first is None else first
    parts = _parts(line, texts, answers=answers)
    if not parts and not results:
        parts = [("message", "system", "")]
    base = len(blocks)
    for position, (kind, origin, text) in enumerate(parts):
        # Parts beyond the first get blocks after the line's own, so that no block comes twice.
        block = (first or 0) if position == 0 else base + position
        yield _event(line, kind, origin, text, block, role="user")
    yield from results
    if _by_program(line) and any(origin == "human" for _, origin, _ in parts):
        note = _event(line, "note", "system", "", base + len(parts), role="user")
        yield note._replace(tool_input=BY_PROGRAM)


def _by_program(line: ClaudeLine) -> bool:
    """Whether a program gave the prompt: that of a script, or one that people type into."""
    source = line.entrypoint if line.prompt_source is None else line.prompt_source
    return isinstance(source, str) and source.startswith("sdk")


def _parts(line: ClaudeLine, texts: list[str], *, answers: bool) -> list[tuple[str, str, str]]:
    """Kind, origin and text of what the blocks of a user line say."""
    if line.is_compact_summary:
        text = "\n".join(texts)
        return [("summary", "system", text)] if text.strip() else []
    person = _person(line, answers=answers)
    return [("message", origin, part) for origin, part in said(texts, person)]


def _person(line: ClaudeLine, *, answers: bool) -> str:
    """Origin of text that no harness wrapped."""
    if line.is_meta or answers:
        return "system"
    if line.is_sidechain or (line.origin and line.origin.sender):
        return "agent"
    return "system" if line.origin and line.origin.kind in _NO_PERSON else "human"


def _assistant(line: ClaudeLine) -> Iterator[Event]:
    message = line.message
    content = message.content if message else None
    blocks = [Text(content)] if isinstance(content, str) else content or []
    model = message.model if message else None
    failed = bool(line.is_api_error_message)
    origin = "system" if failed or model == "<synthetic>" else "agent"
    silent = True
    for index, block in enumerate(blocks):
        match block:
            case Text():
                yield _event(
                    line, "message", origin, block.text or "", index, model=model, is_error=failed
                )
            case Thinking():
                yield _event(line, "thinking", "agent", block.thinking or "", index, model=model)
            case ToolUse():
                given = bytes(block.input).decode("utf-8", "replace")
                if not given.startswith("{"):
                    given = arguments(msgspec.json.decode(given or "null"))
                yield _event(
                    line, "tool_call", call_origin(block.name), "", index, model=model,
                    tool_name=block.name, tool_input=given, call_id=block.id,
                )  # fmt: skip
            case ToolResult():
                yield _result(line, block, index, "assistant", "external")
            case _:
                continue
        silent = False
    if silent:
        yield _event(line, "message", origin, "", 0, model=model, is_error=failed)


def _result(
    line: ClaudeLine, block: ToolResult, index: int, role: str = "user", origin: str | None = None
) -> Event:
    text = _joined(block.content)
    web = _from_web(bytes(line.tool_use_result))
    return _event(
        line, "tool_result", origin or result_origin("WebFetch" if web else None, text), text,
        index, role=role, call_id=block.tool_use_id, is_error=bool(block.is_error),
    )  # fmt: skip


def _queued(line: ClaudeLine, attachment: Attachment) -> list[Event]:
    prompt = _joined(attachment.prompt)
    sender = attachment.origin
    line.origin = sender
    if attachment.command_mode == "task-notification":
        line.is_meta = True
    return [
        _event(line, kind, origin, text, block, role="user")
        for block, (kind, origin, text) in enumerate(_parts(line, [prompt], answers=False))
    ]


def _event(
    line: ClaudeLine,
    kind: str,
    origin: str,
    text: str,
    block: int,
    *,
    role: str = "assistant",
    model: str | None = None,
    tool_name: str | None = None,
    tool_input: str | None = None,
    call_id: str | None = None,
    is_error: bool = False,
) -> Event:
    return Event(
        kind, origin, text, role, block, line.parent_uuid, None, None, tool_name, tool_input,
        call_id, is_error, model, line.cwd, bool(line.is_sidechain), branch=line.git_branch or None,
    )  # fmt: skip


def _from_web(result: bytes) -> bool:
    """Whether a result is a fetched page's or a web search's, by the shape of its record."""
    if not result.startswith(b"{"):
        return False
    fetched = b'"codeText"' in result and b'"url"' in result
    return fetched or (b'"durationSeconds"' in result and b'"results"' in result)


def _joined(content: Any) -> str:
    """Text of a result's or prompt's content: a string, or a list of blocks and strings."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return "" if content is None else msgspec.json.encode(content).decode()
    texts = (block if isinstance(block, str) else _block_text(block) for block in content)
    return "\n".join(text for text in texts if text)


def _block_text(block: Any) -> str:
    if not isinstance(block, dict):
        return ""
    if isinstance(block.get("text"), str):
        return block["text"]
    if isinstance(block.get("url"), str):  # a hit of the provider's search
        return f"{block.get('title') or ''} {block['url']}".strip()
    return ""


def _loose(payload: bytes) -> ClaudeLine:
    """A line of which some part has another shape: what can be read of it."""
    line = decoded(_LOOSE, payload)
    message = _mapping(line.message)
    content = message.get("content")
    if isinstance(content, list):
        content = [block for found in content if (block := _block(found)) is not None]
    elif not isinstance(content, str):
        content = None
    model = message.get("model")
    line.message = ClaudeMessage(content, model if isinstance(model, str) else None)
    line.origin = _converted(line.origin, Sender)
    line.attachment = _converted(line.attachment, Attachment)
    return line


def _block(found: Any) -> Any:
    if isinstance(found, str):
        return Text(found)
    if isinstance(found, dict) and found.get("type") in ("tool_use", "server_tool_use"):
        name, call = found.get("name"), found.get("id")
        return ToolUse(
            call if isinstance(call, str) else None,
            name if isinstance(name, str) else None,
            msgspec.Raw(msgspec.json.encode(found.get("input"))),
        )
    return _converted(found, Block)


def _converted(value: Any, kind: Any) -> Any:
    try:
        return msgspec.convert(value, kind) if value is not None else None
    except msgspec.ValidationError:
        return None


def _is_export(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("loglines"), list)


def _is_line(line: dict[str, Any]) -> bool:
    kind = word(line.get("type"))
    if kind in ("user", "assistant"):
        return "content" in _mapping(line.get("message")) and (
            "sessionId" in line or "uuid" in line
        )
    if kind == "summary":
        return "leafUuid" in line
    if kind == "file-history-snapshot":
        return "snapshot" in line
    if kind in _MARKS:
        return isinstance(line.get("sessionId"), str)
    return kind in _BOOKKEEPING and "sessionId" in line and "version" in line and "uuid" in line


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


ADAPTER = Adapter(
    name="claude_code",
    version=5,
    about="Claude Code sessions (JSONL, and exports of web sessions)",
    recognises=recognises,
    head=head,
    events=events,
    unpack=unpack,
    rank=1,
)
