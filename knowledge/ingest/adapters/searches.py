"""Search logs: JSONL, one search a line, with its answer and what set it off."""

from collections.abc import Iterable
from typing import Any

import msgspec

from cairn.knowledge.ingest.adapter import Adapter, Event, Head
from cairn.knowledge.ingest.chat_format import decoded, instant, mostly, own_id, text_of, word

CHANNEL = "searches"


class LoggedSearch(msgspec.Struct):
    """One search and what it brought."""

    query: str = ""
    response: Any = None
    timestamp: Any = None
    id: Any = None
    conversation_id: Any = None
    source_url: str | None = None
    image_url: str | None = None
    duration_ms: float | int | None = None
    trigger: str | None = None
    learn_prompt_id: str | int | None = None


_SEARCH = msgspec.json.Decoder(LoggedSearch, strict=False)
_ATTRIBUTES = ("source_url", "image_url", "duration_ms", "learn_prompt_id")
_TRIGGERS = {
    None: "user_message",
    "": "user_message",
    "user_message": "user_message",
    "scheduled": "user_message",
    "schedule": "user_message",
    "scheduled_task": "user_message",
    "learn_command": "learn_command",
    "enrichment": "enrichment",
    "penny_enrichment": "enrichment",
}
_SIGNS = frozenset({"response", "source_url", "trigger", "learn_prompt_id"})
"""What only a search has: a query with a duration may as well be a database's."""


def recognises(objects: list[Any]) -> bool:
    """Most objects are queries, some with an answer or with what set them off."""
    return mostly(_is_search(line) for line in objects) and any(
        _SIGNS & line.keys() for line in objects if _is_search(line)
    )


def head(payload: bytes) -> Head:
    """One endless channel, unless the conversation is named."""
    search = decoded(_SEARCH, payload)
    thread = word(search.conversation_id)
    native = own_id(search.id, thread)
    return Head(thread or CHANNEL, thread is not None, native, instant(search.timestamp))


def events(payload: bytes) -> Iterable[Event]:
    """The query, and the answer as a text from outside.

    A trigger unknown here counts as enrichment, which may create nothing.
    """
    search = decoded(_SEARCH, payload)
    if not search.query:
        return []
    trigger = _TRIGGERS.get(search.trigger, "enrichment")
    known = {name: getattr(search, name) for name in _ATTRIBUTES}
    attributes = msgspec.json.encode(
        {name: value for name, value in known.items() if value is not None}
    ).decode()
    asked = Event(
        "search", "system" if trigger == "enrichment" else "human", search.query, "user",
        trigger=trigger, tool_name="search", tool_input=attributes,
    )  # fmt: skip
    response = text_of(search.response)
    if not response:
        return [asked]
    answer = Event(
        "tool_result", "external", response, "tool", 1, trigger=trigger,
        tool_name="search", tool_input=attributes,
    )  # fmt: skip
    return [asked, answer]


def _is_search(line: Any) -> bool:
    return isinstance(line, dict) and isinstance(line.get("query"), str)


ADAPTER = Adapter(
    name="searches",
    version=3,
    about="search logs (JSONL: timestamp, query, response, source_url, trigger, …)",
    recognises=recognises,
    head=head,
    events=events,
    rank=6,
)
