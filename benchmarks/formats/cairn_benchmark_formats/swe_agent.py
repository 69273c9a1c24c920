"""SWE-agent trajectories: one JSON document with the history of a run on an issue.

No times and no person at the keyboard: the issue, the first user message, is what a person asked.
"""

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
    word,
)
from cairn.knowledge.ingest.speakers import result_origin
from cairn.knowledge.schema.identity import digest


class Turn(msgspec.Struct):
    """One message of the history, with its place."""

    conversation: str
    ordinal: Ordinal
    asks: bool = False
    role: str | None = None
    content: Any = None
    thought: str | None = None
    action: str | None = None
    agent: str | None = None
    is_demo: bool | None = None
    message_type: str | None = None
    tool_calls: list[Any] | None = None
    tool_call_ids: list[Any] | None = None


_TURN = msgspec.json.Decoder(Turn)
SHELL = "bash"
"""Name under which an action of the agent's shell interface is kept."""


def recognises(objects: list[Any]) -> bool:
    """One document with a history of turns, of which some name the agent."""
    value = objects[0] if len(objects) == 1 else None
    history = value.get("history") if isinstance(value, dict) else None
    return (
        isinstance(history, list)
        and any(isinstance(turn, dict) and "agent" in turn for turn in history)
        and mostly(isinstance(turn, dict) and "role" in turn for turn in history)
    )


def unpack(value: Any) -> Iterator[Any]:
    """Turns of the history; the conversation is a digest of its first turns, answers included."""
    history: list[dict[str, Any]] = value["history"]
    opening = (msgspec.json.encode(turn).decode() for turn in history[:6])
    conversation = "swe-" + digest(*opening)
    asked = False
    for turn in numbered(history, conversation=conversation):
        if not isinstance(turn, dict):
            yield turn
            continue
        asks = not asked and turn.get("role") == "user" and not turn.get("is_demo")
        asked = asked or asks
        yield turn | {"asks": asks}


def head(payload: bytes) -> Head:
    """The place of the turn; trajectories tell no time."""
    turn = decoded(_TURN, payload)
    native = f"{turn.conversation}/{turn.ordinal}"
    return Head(turn.conversation, True, native, None, turn.ordinal)


def events(payload: bytes) -> Iterable[Event]:
    """The issue, thoughts and actions of the agent, and what they brought."""
    turn = decoded(_TURN, payload)
    text = text_of(turn.content)
    if turn.asks:
        return [Event("message", "human", text, "user")]
    if turn.role == "assistant":
        return list(_acts(turn, text))
    if turn.role == "tool" or (turn.role == "user" and not turn.is_demo):
        call = word(next(iter(turn.tool_call_ids or []), None))
        return [Event("tool_result", result_origin(None, text), text, turn.role, call_id=call)]
    return [Event("message", "system", text, turn.role)]


def _acts(turn: Turn, text: str) -> Iterator[Event]:
    yield Event("message", "agent", turn.thought or text, "assistant")
    calls = list(function_calls(turn.tool_calls, "assistant"))
    yield from calls
    if turn.action and not calls:
        command = msgspec.json.encode({"command": turn.action.strip()}).decode()
        yield Event(
            "tool_call", "agent", role="assistant", block=1, tool_name=SHELL, tool_input=command
        )


ADAPTER = Adapter(
    name="swe_agent",
    version=4,
    about="SWE-agent trajectories (.traj documents)",
    recognises=recognises,
    head=head,
    events=events,
    unpack=unpack,
    rank=3,
)
