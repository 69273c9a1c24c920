"""MemoryBank histories: one JSON document, people by name, their chats by day."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from cairn.knowledge.ingest.adapter import Adapter, Event, Head
from cairn.knowledge.ingest.chat_format import Ordinal, decoded, mostly, numbered


class Turn(msgspec.Struct):
    """A question and its answer, with person, day and place in that day's chat."""

    name: str
    date: str
    ordinal: Ordinal
    query: str | None = None
    response: str | None = None


_TURN = msgspec.json.Decoder(Turn)


def recognises(objects: list[Any]) -> bool:
    """One document of people, most of them with a history by day."""
    people = objects[0] if len(objects) == 1 else None
    return isinstance(people, dict) and mostly(map(_is_person, people.values()))


def unpack(value: Any) -> Iterator[Any]:
    """Turns of everyone's every day."""
    for name, person in value.items():
        if not _is_person(person):
            yield person
            continue
        for date, turns in person["history"].items():
            yield from numbered(turns, name=name, date=date)


def head(payload: bytes) -> Head:
    """A person's day is a conversation; of the time only the date is known."""
    turn = decoded(_TURN, payload)
    day = f"{turn.name}/{turn.date}"
    return Head(day, True, f"{day}/{turn.ordinal}", turn.date, turn.ordinal)


def events(payload: bytes) -> Iterable[Event]:
    """What the person said, and the answer."""
    turn = decoded(_TURN, payload)
    sides = (
        ("human", turn.query, "user", turn.name),
        ("agent", turn.response, "assistant", None),
    )
    return [
        Event("message", origin, text, role, block, name=name)
        for block, (origin, text, role, name) in enumerate(sides)
        if text is not None
    ]


def _is_person(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("history"), dict)


ADAPTER = Adapter(
    name="memorybank",
    version=2,
    about="MemoryBank histories (JSON document, any language)",
    recognises=recognises,
    head=head,
    events=events,
    unpack=unpack,
    rank=4,
)
