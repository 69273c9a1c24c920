"""tau-bench dialogues: trajectories of customer service, and few-shot transcripts as text.

The customers are simulated people: what they say counts as a person's.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from cairn.knowledge.ingest.adapter import Adapter, Event, Head
from cairn.knowledge.ingest.chat_format import (
    Ordinal,
    decoded,
    function_calls,
    mostly,
    numbered,
    text_of,
)
from cairn.knowledge.ingest.speakers import result_origin
from cairn.knowledge.schema.identity import digest


class Turn(msgspec.Struct):
    """One message of a dialogue, with its place."""

    conversation: str
    ordinal: Ordinal
    role: str | None = None
    content: Any = None
    name: str | None = None
    tool_call_id: str | None = None
    tool_calls: Any = None


_TURN = msgspec.json.Decoder(Turn)
_SPEAKER = re.compile(r"^(user|assistant|tool|system): ", re.MULTILINE)


def recognises(objects: list[Any]) -> bool:
    """A list of tasks with a trajectory each, or lines with a transcript each."""
    if len(objects) == 1 and isinstance(objects[0], list):
        return mostly(map(_is_task, objects[0]))
    return mostly(
        isinstance(line, dict) and isinstance(line.get("messages_display"), str) for line in objects
    )


def unpack(value: Any) -> Iterator[Any]:
    """Turns of each dialogue; its name is the task and trial with a digest of how it begins."""
    if isinstance(value, list):
        for task in value:
            if not _is_task(task):
                yield task
                continue
            begin = (msgspec.json.encode(turn).decode() for turn in task["traj"][:3])
            name = f"tau-{task['task_id']}-{task.get('trial', 0)}-{digest(*begin)}"
            yield from numbered(task["traj"], conversation=name)
    else:
        shown: str = value["messages_display"]
        yield from numbered(list(_transcript(shown)), conversation=f"tau-{digest(shown)}")


def head(payload: bytes) -> Head:
    """The place of the turn; the dialogues tell no time."""
    turn = decoded(_TURN, payload)
    native = f"{turn.conversation}/{turn.ordinal}"
    return Head(turn.conversation, True, native, None, turn.ordinal)


def events(payload: bytes) -> Iterable[Event]:
    """What customer and agent said, calls and their results."""
    turn = decoded(_TURN, payload)
    text = text_of(turn.content)
    match turn.role:
        case "user":
            return [Event("message", "human", text, "user")]
        case "assistant":
            return list(_acts(turn, text))
        case "tool":
            return [
                Event(
                    "tool_result", result_origin(turn.name, text), text, "tool",
                    tool_name=turn.name, call_id=turn.tool_call_id,
                    is_error=text.startswith("Error"),
                )
            ]  # fmt: skip
        case _:
            return [Event("message", "system", text, turn.role)]


def _acts(turn: Turn, text: str) -> Iterator[Event]:
    calls = list(function_calls(turn.tool_calls, "assistant"))
    if text or not calls:
        yield Event("message", "agent", text, "assistant")
    yield from calls


def _is_task(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("traj"), list) and "task_id" in value


def _transcript(shown: str) -> Iterator[dict[str, Any]]:
    """Turns of a transcript, `role: text` one after another; a call was printed as None."""
    marks = list(_SPEAKER.finditer(shown))
    ends = [mark.start() for mark in marks[1:]] + [len(shown)]
    for mark, end in zip(marks, ends, strict=True):
        said = shown[mark.end() : end].strip()
        yield {"role": mark[1], "content": "" if said == "None" else said}


ADAPTER = Adapter(
    name="tau_bench",
    version=4,
    about="tau-bench dialogues (trajectories and few-shot transcripts)",
    recognises=recognises,
    head=head,
    events=events,
    unpack=unpack,
    rank=3,
    lines_packed=True,
)
