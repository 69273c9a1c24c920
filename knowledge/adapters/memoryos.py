"""MemoryOS conversations: a JSON list of dated turns, what the user put in and what came back."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from knowledge.adapter import Adapter, Event, Head

CHANNEL = "memoryos"


class Turn(msgspec.Struct):
    """What a person said and the answer."""

    user_input: str | None = None
    agent_response: str | None = None
    timestamp: str | None = None
    user_id: str | None = None


_TURN = msgspec.json.Decoder(Turn)


def recognises(objects: list[Any]) -> bool:
    """Turns with both sides, in a list or one a line."""
    turns: list[Any] = objects
    if len(objects) == 1 and isinstance(objects[0], list):
        turns = objects[0]
    return bool(turns) and all(
        isinstance(turn, dict) and {"user_input", "agent_response"} <= turn.keys() for turn in turns
    )


def unpack(value: Any) -> Iterator[dict[str, Any]]:
    """Turns of a list; a turn is its own payload."""
    yield from value if isinstance(value, list) else [value]


def head(payload: bytes) -> Head:
    """One endless channel, or one for each user that is named."""
    turn = _TURN.decode(payload)
    channel = f"{CHANNEL}/{turn.user_id}" if turn.user_id else CHANNEL
    return Head(channel, session=False, native_id=None, time=turn.timestamp)


def events(payload: bytes) -> Iterable[Event]:
    """What the person said, and the answer."""
    turn = _TURN.decode(payload)
    return [
        Event("message", "human", turn.user_input or "", "user", 0),
        Event("message", "agent", turn.agent_response or "", "assistant", 1),
    ]


ADAPTER = Adapter(
    name="memoryos",
    version=1,
    about="MemoryOS conversations (JSON list of turns)",
    recognises=recognises,
    head=head,
    events=events,
    unpack=unpack,
    rank=4,
)
