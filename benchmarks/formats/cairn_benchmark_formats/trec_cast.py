"""TREC CAsT topics (2019, 2020): conversational searches, a list of topics with their turns."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from cairn.knowledge.ingest.adapter import Adapter, Event, Head
from cairn.knowledge.ingest.chat_format import Ordinal, decoded, mostly


class Turn(msgspec.Struct):
    """One utterance of a searcher, with its topic and place."""

    topic: int | str
    number: Ordinal
    title: str | None = None
    raw_utterance: str = ""
    manual_rewritten_utterance: str | None = None
    automatic_rewritten_utterance: str | None = None
    canonical_result_id: str | None = None
    manual_canonical_result_id: str | None = None
    automatic_canonical_result_id: str | None = None


_TURN = msgspec.json.Decoder(Turn)
_ATTRIBUTES = (
    "title", "manual_rewritten_utterance", "automatic_rewritten_utterance", "canonical_result_id",
    "manual_canonical_result_id", "automatic_canonical_result_id",
)  # fmt: skip


def recognises(objects: list[Any]) -> bool:
    """One list of numbered topics with turns."""
    topics = objects[0] if len(objects) == 1 else None
    return isinstance(topics, list) and mostly(map(_is_topic, topics))


def unpack(value: Any) -> Iterator[Any]:
    """Turns of all topics."""
    for topic in value:
        if not _is_topic(topic):
            yield topic
            continue
        place = {"topic": topic["number"], "title": topic.get("title")}
        for turn in topic["turn"]:
            yield place | turn if isinstance(turn, dict) else turn


def head(payload: bytes) -> Head:
    """A topic is a conversation; topics tell no time."""
    turn = decoded(_TURN, payload)
    topic = f"cast-{turn.topic}"
    return Head(topic, True, f"{topic}/{turn.number}", None, turn.number)


def events(payload: bytes) -> Iterable[Event]:
    """The search of a person, with its rewrites as attributes."""
    turn = decoded(_TURN, payload)
    known = {name: getattr(turn, name) for name in _ATTRIBUTES}
    attributes = {name: value for name, value in known.items() if value is not None}
    return [
        Event(
            "search", "human", turn.raw_utterance.strip(), "user", trigger="user_message",
            tool_name="search", tool_input=msgspec.json.encode(attributes).decode(),
        )
    ]  # fmt: skip


def _is_topic(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("turn"), list) and "number" in value


ADAPTER = Adapter(
    name="trec_cast",
    version=2,
    about="TREC CAsT topic files of 2019 and 2020 (JSON)",
    recognises=recognises,
    head=head,
    events=events,
    unpack=unpack,
    rank=4,
)
