"""MemoryBank histories: one JSON document, people by name, their chats by day."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from knowledge.adapter import Adapter, Event, Head


class Turn(msgspec.Struct):
    """A question and its answer, with person, day and place in that day's chat."""

    name: str
    date: str
    ordinal: int
    query: str | None = None
    response: str | None = None


_TURN = msgspec.json.Decoder(Turn)


def recognises(objects: list[Any]) -> bool:
    """One document whose every value is a person with a history by day."""
    people = objects[0] if len(objects) == 1 else None
    return (
        isinstance(people, dict)
        and bool(people)
        and all(
            isinstance(person, dict) and isinstance(person.get("history"), dict)
            for person in people.values()
        )
    )


def unpack(value: Any) -> Iterator[Any]:
    """Turns of everyone's every day."""
    for name, person in value.items():
        for date, turns in person["history"].items():
            for ordinal, turn in enumerate(turns):
                place = {"name": name, "date": date, "ordinal": ordinal}
                yield place | turn if isinstance(turn, dict) else turn


def head(payload: bytes) -> Head:
    """A person's day is a conversation; of the time only the date is known."""
    turn = _TURN.decode(payload)
    day = f"{turn.name}/{turn.date}"
    return Head(day, True, f"{day}/{turn.ordinal}", turn.date, turn.ordinal)


def events(payload: bytes) -> Iterable[Event]:
    """What the person said, and the answer."""
    turn = _TURN.decode(payload)
    return [
        Event("message", "human", turn.query or "", "user", 0, name=turn.name),
        Event("message", "agent", turn.response or "", "assistant", 1),
    ]


ADAPTER = Adapter(
    name="memorybank",
    version=1,
    about="MemoryBank histories (JSON document, any language)",
    recognises=recognises,
    head=head,
    events=events,
    unpack=unpack,
    rank=4,
)
