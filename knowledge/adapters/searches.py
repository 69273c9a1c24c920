"""Search logs: JSONL, one search a line, with its answer and what set it off."""

from collections.abc import Iterable
from typing import Any

import msgspec

from knowledge.adapter import Adapter, Event, Head
from knowledge.messages import moment, own_id

CHANNEL = "searches"


class Search(msgspec.Struct):
    """One search and what it brought."""

    query: str = ""
    response: str | None = None
    timestamp: str | int | float | None = None
    id: str | int | None = None
    conversation_id: str | None = None
    source_url: str | None = None
    image_url: str | None = None
    duration_ms: float | int | None = None
    trigger: str | None = None
    learn_prompt_id: str | None = None


_SEARCH = msgspec.json.Decoder(Search, strict=False)
_ATTRIBUTES = ("source_url", "image_url", "duration_ms", "learn_prompt_id")
_TRIGGERS = {
    None: "user_message",
    "": "user_message",
    "user_message": "user_message",
    "scheduled": "user_message",
    "schedule": "user_message",
    "learn_command": "learn_command",
    "enrichment": "enrichment",
    "penny_enrichment": "enrichment",
}
_SIGNS = frozenset(
    {"response", "source_url", "trigger", "learn_prompt_id", "image_url", "duration_ms"}
)


def recognises(objects: list[Any]) -> bool:
    """Every object is a query with an answer or with what set it off."""
    return bool(objects) and all(
        isinstance(line, dict) and isinstance(line.get("query"), str) and _SIGNS & line.keys()
        for line in objects
    )


def head(payload: bytes) -> Head:
    """One endless channel, unless the conversation is named."""
    search = _SEARCH.decode(payload)
    thread = search.conversation_id
    native = own_id(search.id, thread)
    time = search.timestamp
    if isinstance(time, int | float):
        time = moment(time)
    return Head(thread or CHANNEL, thread is not None, native, time)


def events(payload: bytes) -> Iterable[Event]:
    """The query, and the answer as a text from outside.

    A trigger unknown here counts as enrichment, which may create nothing.
    """
    search = _SEARCH.decode(payload)
    trigger = _TRIGGERS.get(search.trigger, "enrichment")
    known = {name: getattr(search, name) for name in _ATTRIBUTES}
    attributes = msgspec.json.encode(
        {name: value for name, value in known.items() if value is not None}
    ).decode()
    asked = Event(
        "search", "system" if trigger == "enrichment" else "human", search.query, "user",
        trigger=trigger, tool_name="search", tool_input=attributes,
    )  # fmt: skip
    if not search.response:
        return [asked]
    answer = Event(
        "tool_result", "external", search.response, "tool", 1, trigger=trigger,
        tool_name="search", tool_input=attributes,
    )  # fmt: skip
    return [asked, answer]


ADAPTER = Adapter(
    name="searches",
    version=2,
    about="search logs (JSONL: timestamp, query, response, source_url, trigger, …)",
    recognises=recognises,
    head=head,
    events=events,
    rank=6,
)
