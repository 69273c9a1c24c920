"""Codex rollouts: JSONL of session_meta, response_item, event_msg, turn_context; old and new shape.

A line holds an item in `payload`; the oldest files hold the item itself. What a person or the
agent said stands twice, as `response_item` and again as `event_msg`: only the first is taken.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from cairn.knowledge.ingest.adapter import Adapter, Event, Head
from cairn.knowledge.ingest.chat_format import arguments, decoded, instant, word
from cairn.knowledge.ingest.speakers import call_origin, result_origin, said


class Meta(msgspec.Struct, gc=False):
    """The part of an item that names its session."""

    id: str | None = None
    session_id: str | None = None


class CodexPlace(msgspec.Struct, gc=False):
    """The fields that place a line."""

    type: str | None = None
    id: str | None = None
    timestamp: Any = None
    created_at: Any = None
    payload: msgspec.Raw = msgspec.Raw()


class CodexItem(msgspec.Struct):
    """An item of a conversation, whatever its type."""

    type: str | None = None
    role: str | None = None
    content: Any = None
    message: Any = None
    summary: Any = None
    name: str | None = None
    function: Any = None
    arguments: Any = None
    input: Any = None
    action: Any = None
    output: Any = None
    result: Any = None
    results: Any = None
    tools: Any = None
    call_id: str | None = None
    id: Any = None
    cwd: str | None = None
    git: Any = None
    source: Any = None


class CodexLine(msgspec.Struct):
    """A line of the newer shape."""

    type: str | None = None
    payload: CodexItem | None = None


_PLACE = msgspec.json.Decoder(CodexPlace)
_META = msgspec.json.Decoder(Meta)
_LINE = msgspec.json.Decoder(CodexLine)
_ITEM = msgspec.json.Decoder(CodexItem)
_WRAPPERS = frozenset(
    {"session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"}
)
_CALLS = frozenset({"tool_call", "function_call"})
_WORDS = frozenset({"type", "role", "name", "call_id", "cwd"})
_IDE_REQUEST = re.compile(
    r"\A# (?:Context from my IDE setup|Files mentioned by the user):"
    r".*?^## My request for Codex:[^\S\n]*\n?",
    re.DOTALL | re.MULTILINE,
)
_EXIT = re.compile(r"\A(?:Exit code: |Process exited with code )(-?\d+)", re.MULTILINE)


def recognises(objects: list[Any]) -> bool:
    """Some line wraps an item, or is an item or the header as old rollouts have them."""
    lines = [line for line in objects if isinstance(line, dict)]
    if any(
        word(line.get("type")) in _WRAPPERS and isinstance(line.get("payload"), dict)
        for line in lines
    ):
        return True
    header = bool(lines) and {"id", "timestamp", "instructions"} <= lines[0].keys()
    return header or any(_is_old_message(line) or _is_old_call(line) for line in lines)


def head(payload: bytes) -> Head:
    """Only the first line names the session: the others take it from there."""
    place = decoded(_PLACE, payload)
    time = instant(place.timestamp or place.created_at)
    if place.type == "session_meta":
        inner = bytes(place.payload)
        meta = decoded(_META, inner) if inner.startswith(b"{") else Meta()
        session = meta.id or meta.session_id
        return Head(session, session is not None, session, time)
    if place.type is None and place.id is not None:
        return Head(place.id, session=True, native_id=place.id, time=time)
    return Head(None, session=False, native_id=None, time=time)


def events(payload: bytes) -> Iterable[Event]:
    """Messages, reasoning, calls and outputs of one line."""
    try:
        line, item = _LINE.decode(payload), None
    except msgspec.ValidationError:
        line, item = _loose(payload)
    match line.type:
        case "session_meta" if line.payload:
            spawned = _is_spawned(line.payload.source)
            note = Event(
                "note", "system", cwd=line.payload.cwd, sidechain=spawned,
                tool_input=_remote(line.payload.git), branch=_branch(line.payload.git),
            )  # fmt: skip
            return [note] if note.cwd or spawned else []
        case "compacted" if line.payload and line.payload.message:
            return [Event("summary", "system", _text(line.payload.message))]
        case "event_msg" if line.payload and line.payload.type == "web_search_end":
            return _search_results(line.payload)
        case "response_item" if line.payload:
            return list(_said(line.payload))
        case kind if kind in _WRAPPERS:
            return []
        case _:
            return list(_said(item or _ITEM.decode(payload)))


def _is_spawned(source: Any) -> bool:
    """Whether an agent or a program began a session: none that a person types into."""
    if isinstance(source, dict):
        return "subagent" in source
    return source in ("exec", "mcp")


def _remote(git: Any) -> str | None:
    """Where the repository of a session is fetched from, as attributes of its head."""
    url = git.get("repository_url") if isinstance(git, dict) else None
    return arguments({"repository_url": url}) if isinstance(url, str) and url else None


def _branch(git: Any) -> str | None:
    """The branch that a header names."""
    named = git.get("branch") if isinstance(git, dict) else None
    return word(named) or None


def _loose(payload: bytes) -> tuple[CodexLine, CodexItem]:
    """A line of which some field has another type, without it; and the line as an item itself."""

    def item(fields: Any) -> CodexItem:
        known = fields if isinstance(fields, dict) else {}
        kept = {
            name: known[name]
            for name in CodexItem.__struct_fields__
            if name in known and (name not in _WORDS or isinstance(known[name], str))
        }
        return CodexItem(**kept)

    value = msgspec.json.decode(payload)
    kind = value.get("type")
    line = CodexLine(kind if isinstance(kind, str) else None, item(value.get("payload")))
    return line, item(value)


def _said(item: CodexItem) -> Iterator[Event]:
    match item.type:
        case "message" | None if item.role:
            yield from _message(item)
        case "agent_message":
            yield Event("message", "agent", _text(item.content), "assistant")
        case "reasoning":
            text = _text(item.summary) or _text(item.content)
            if text:
                yield Event("thinking", "agent", text, "assistant")
        case "function_call" | "custom_tool_call" | "tool_call" | "local_shell_call":
            yield _call(item, item.name or _function_name(item) or item.type)
        case "web_search_call" | "tool_search_call" | "image_generation_call":
            yield _call(item, item.type)
        case "function_call_output" | "custom_tool_call_output" | "tool_result" | "function_result":
            yield _output(item)
        case _:
            return


def _message(item: CodexItem) -> Iterator[Event]:
    content = item.content or item.message
    text = _text(content)
    if item.role == "assistant":
        yield Event("message", "agent", text, "assistant")
        return
    if item.role != "user":
        yield Event("message", "system", text, item.role)
        return
    blocks = content if isinstance(content, list) else [content]
    parts = said(_IDE_REQUEST.sub("", _text(block)) for block in blocks) or [("system", "")]
    for block, (origin, part) in enumerate(parts):
        yield Event("message", origin, part, "user", block)


def _call(item: CodexItem, name: str) -> Event:
    given = next(
        (one for one in (item.arguments, item.input, item.action) if one is not None), None
    )
    call = item.call_id or (item.id if isinstance(item.id, str) else None)
    return Event(
        "tool_call", call_origin(name), role="assistant", tool_name=name,
        tool_input=arguments(given), call_id=call,
    )  # fmt: skip


def _output(item: CodexItem) -> Event:
    text, failed = _outcome(item.output if item.output is not None else item.result)
    return Event(
        "tool_result", result_origin(item.name, text), text, "tool", tool_name=item.name,
        call_id=item.call_id, is_error=failed,
    )  # fmt: skip


def _outcome(output: Any) -> tuple[str, bool]:
    """Text of an output and whether it tells of failure."""
    if isinstance(output, str) and output.startswith('{"output":'):
        try:
            output = msgspec.json.decode(output)
        except (msgspec.DecodeError, RecursionError):
            return output, False
    if isinstance(output, dict):
        metadata = output.get("metadata")
        code = metadata.get("exit_code") if isinstance(metadata, dict) else output.get("exitCode")
        failed = code not in (None, 0) or output.get("success") is False
        for key in ("output", "content", "text"):
            if key in output:
                return _text(output[key]), failed
        streams = [output[key] for key in ("stdout", "stderr") if output.get(key)]
        return ("\n".join(map(str, streams)) if streams else _text(output)), failed
    text = _text(output)
    exit_code = _EXIT.search(text[:400])
    return text, exit_code is not None and exit_code[1] != "0"


def _search_results(item: CodexItem) -> list[Event]:
    hits = item.results if isinstance(item.results, list) else []
    texts = [
        " ".join(str(hit[key]) for key in ("title", "url", "snippet") if hit.get(key))
        for hit in hits
        if isinstance(hit, dict)
    ]
    if not texts:
        return []
    return [
        Event(
            "tool_result", "external", "\n".join(texts), "tool", tool_name="web_search_call",
            call_id=item.call_id,
        )
    ]  # fmt: skip


def _function_name(item: CodexItem) -> str | None:
    name = item.function.get("name") if isinstance(item.function, dict) else None
    return name if isinstance(name, str) else None


def _text(content: Any) -> str:
    """Text of content: a string, one block, or a list of either; anything else as JSON."""
    if content is None or isinstance(content, str):
        return content or ""
    if isinstance(content, dict):
        return content["text"] if isinstance(content.get("text"), str) else _shown(content)
    if isinstance(content, list):
        return "\n".join(text for one in content if (text := _text(one)))
    return str(content)


def _shown(block: dict[str, Any]) -> str:
    """A block without text: pictures and hidden content say nothing."""
    silent = ("image_url", "encrypted_content", "dropped")
    return "" if any(key in block for key in silent) else msgspec.json.encode(block).decode()


def _is_old_message(line: dict[str, Any]) -> bool:
    content = line.get("content")
    return (
        line.get("type") == "message"
        and "role" in line
        and isinstance(content, list)
        and any(
            isinstance(block, dict) and block.get("type") in ("input_text", "output_text")
            for block in content
        )
    )


def _is_old_call(line: dict[str, Any]) -> bool:
    return (
        word(line.get("type")) in _CALLS
        and isinstance(line.get("function"), dict)
        and "arguments" in line
    )


ADAPTER = Adapter(
    name="codex",
    version=5,
    about="Codex rollouts (JSONL)",
    recognises=recognises,
    head=head,
    events=events,
    rank=2,
    one_session=True,
)
