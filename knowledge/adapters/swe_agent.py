"""SWE-agent trajectories: one JSON document with the history of a run on an issue.

No times and no person at the keyboard: the issue, the first user message, is what a person asked.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from knowledge.adapter import Adapter, Event, Head
from knowledge.identity import digest
from knowledge.origins import call_origin, result_origin


class Turn(msgspec.Struct):
    """One message of the history, with its place."""

    conversation: str
    ordinal: int
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
        and all(isinstance(turn, dict) and "role" in turn for turn in history)
    )


def unpack(value: Any) -> Iterator[dict[str, Any]]:
    """Turns of the history; the conversation is a digest of its first turns, answers included."""
    history: list[dict[str, Any]] = value["history"]
    opening = (msgspec.json.encode(turn).decode() for turn in history[:6])
    conversation = "swe-" + digest(*opening)
    asked = False
    for ordinal, turn in enumerate(history):
        asks = not asked and turn.get("role") == "user" and not turn.get("is_demo")
        asked = asked or asks
        yield {"conversation": conversation, "ordinal": ordinal, "asks": asks, **turn}


def head(payload: bytes) -> Head:
    """The place of the turn; trajectories tell no time."""
    turn = _TURN.decode(payload)
    native = f"{turn.conversation}/{turn.ordinal}"
    return Head(turn.conversation, True, native, None, turn.ordinal)


def events(payload: bytes) -> Iterable[Event]:
    """The issue, thoughts and actions of the agent, and what they brought."""
    turn = _TURN.decode(payload)
    text = _text(turn.content)
    if turn.asks:
        return [Event("message", "human", text, "user")]
    if turn.role == "assistant":
        return list(_acts(turn, text))
    if turn.role == "tool" or (turn.role == "user" and not turn.is_demo):
        calls = turn.tool_call_ids or [None]
        call = calls[0] if isinstance(calls[0], str) else None
        return [Event("tool_result", result_origin(None, text), text, turn.role, call_id=call)]
    return [Event("message", "system", text, turn.role)]


def _acts(turn: Turn, text: str) -> Iterator[Event]:
    yield Event("message", "agent", turn.thought or text, "assistant")
    calls = [call for call in turn.tool_calls or [] if isinstance(call, dict)]
    for block, call in enumerate(calls, 1):
        function = call.get("function")
        function = function if isinstance(function, dict) else {}
        name, given = function.get("name"), function.get("arguments")
        yield Event(
            "tool_call", call_origin(name), role="assistant", block=block, tool_name=name,
            tool_input=given if isinstance(given, str) else msgspec.json.encode(given).decode(),
            call_id=call.get("id"),
        )  # fmt: skip
    if turn.action and not calls:
        command = msgspec.json.encode({"command": turn.action.strip()}).decode()
        yield Event(
            "tool_call", "agent", role="assistant", block=1, tool_name=SHELL, tool_input=command
        )


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text for part in content if (text := _text(part)))
    text = content.get("text") if isinstance(content, dict) else None
    return text if isinstance(text, str) else ""


ADAPTER = Adapter(
    name="swe_agent",
    version=1,
    about="SWE-agent trajectories (.traj documents)",
    recognises=recognises,
    head=head,
    events=events,
    unpack=unpack,
    rank=3,
)
