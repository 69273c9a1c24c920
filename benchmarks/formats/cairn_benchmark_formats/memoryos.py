"""MemoryOS conversations: a JSON list of dated turns, what the user put in and what came back."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from cairn.knowledge.ingest.adapter import Adapter, Event, Head
from cairn.knowledge.ingest.chat_format import decoded, instant, mostly, word

CHANNEL = "memoryos"


class Turn(msgspec.Struct):
    """What a person said and the answer."""

    user_input: str | None = None
    agent_response: str | None = None
    timestamp: Any = None
    user_id: Any = None


_TURN = msgspec.json.Decoder(Turn)


def recognises(objects: list[Any]) -> bool:
    """Turns, most of them with both sides, in a list or one a line."""
    turns: list[Any] = objects
    if len(objects) == 1 and isinstance(objects[0], list):
        turns = objects[0]
    return mostly(
        isinstance(turn, dict) and {"user_input", "agent_response"} <= turn.keys() for turn in turns
    )


def unpack(value: Any) -> Iterator[dict[str, Any]]:
    """Turns of a list; a turn is its own payload."""
    yield from value if isinstance(value, list) else [value]


def head(payload: bytes) -> Head:
    """One endless channel, or one for each user that is named."""
    turn = decoded(_TURN, payload)
    user = word(turn.user_id)
    channel = f"{CHANNEL}/{user}" if user else CHANNEL
    return Head(channel, session=False, native_id=None, time=instant(turn.timestamp))


def events(payload: bytes) -> Iterable[Event]:
    """What the person said, and the answer."""
    turn = decoded(_TURN, payload)
    sides = (("human", turn.user_input, "user"), ("agent", turn.agent_response, "assistant"))
    return [
        Event("message", origin, text, role, block)
        for block, (origin, text, role) in enumerate(sides)
        if text is not None
    ]


ADAPTER = Adapter(
    name="memoryos",
    version=2,
    about="MemoryOS conversations (JSON list of turns)",
    recognises=recognises,
    head=head,
    events=events,
    unpack=unpack,
    rank=4,
)
