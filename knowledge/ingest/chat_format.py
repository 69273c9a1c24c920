"""What the formats of chats share: text of content, calls of functions, times and ids."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, TypeVar

import msgspec

from cairn.knowledge.ingest.adapter import Event
from cairn.knowledge.ingest.speakers import call_origin

Shape = TypeVar("Shape", bound=msgspec.Struct)
Ordinal = Annotated[int, msgspec.Meta(ge=0, le=2**62)]
"""Place of a message in its document."""


def decoded(decoder: msgspec.json.Decoder[Shape], payload: bytes) -> Shape:
    """What JSON says of a struct; a field of another type than the struct's is left out.

    Raises:
        msgspec.ValidationError: it is no object, or a field that must be there is not.
    """
    try:
        return decoder.decode(payload)
    except msgspec.ValidationError:
        given = msgspec.json.decode(payload, type=dict[str, Any])
    fitting = {
        name: given[name]
        for field in msgspec.structs.fields(decoder.type)
        if (name := field.encode_name) in given
        and _fits(given[name], field.type, strict=decoder.strict)
    }
    return msgspec.convert(fitting, decoder.type, strict=decoder.strict)


def text_of(content: Any) -> str:
    """Text of content: a string, a part, or a list of either; pictures say nothing."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text for part in content if (text := text_of(part)))
    text = content.get("text") if isinstance(content, dict) else None
    return text if isinstance(text, str) else ""


def function_calls(calls: Any, role: str | None) -> Iterator[Event]:
    """Calls as chat completions write them, as blocks from 1."""
    for block, call in enumerate(calls if isinstance(calls, list) else [], 1):
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            name = word(function.get("name"))
            yield Event(
                "tool_call", call_origin(name), role=role, block=block, tool_name=name,
                tool_input=arguments(function.get("arguments")), call_id=word(call.get("id")),
            )  # fmt: skip


def arguments(given: Any) -> str:
    """Input of a call as a JSON object: as it was written if it is one."""
    if isinstance(given, str):
        try:
            if isinstance(msgspec.json.decode(given), dict):
                return given
        except (ValueError, RecursionError):
            pass
    if given is None or given == "":
        return "{}"
    return msgspec.json.encode(given if isinstance(given, dict) else {"input": given}).decode()


def word(value: Any) -> str | None:
    """A name or an id: text, or a number as text; nothing else is one."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else None


def instant(time: Any) -> str | None:
    """A time as a source tells it, as text: ISO 8601, or a number since 1970."""
    if isinstance(time, float):
        return f"{time:f}"
    return word(time)


def own_id(given: Any, conversation: str | None) -> str | None:
    """The id of a message within its namespace.

    A number counts within its conversation only; without one it tells no message from another.
    """
    own = word(given)
    if not own or not own.isdigit():
        return own or None
    return None if conversation is None else f"{conversation}/{own}"


def mostly(signs: Iterable[bool]) -> bool:
    """Whether most are true: what recognises a kind in spite of some odd lines."""
    found = list(signs)
    return 2 * sum(found) > len(found)


def numbered(items: Any, **place: Any) -> Iterator[Any]:
    """Items of a list, each object with `place` and its ordinal; any other comes as it is."""
    for ordinal, item in enumerate(items if isinstance(items, list) else [items]):
        told = {**place, "ordinal": ordinal}
        yield told | item | told if isinstance(item, dict) else item


def objects_in(values: Any) -> list[dict[str, Any]]:
    """The objects of a list; of anything else none."""
    return [one for one in values if isinstance(one, dict)] if isinstance(values, list) else []


def object_in(value: Any) -> dict[str, Any]:
    """A value that is an object; else an empty one."""
    return value if isinstance(value, dict) else {}


def _fits(value: Any, kind: Any, *, strict: bool) -> bool:
    try:
        msgspec.convert(value, kind, strict=strict)
    except msgspec.ValidationError:
        return False
    return True
