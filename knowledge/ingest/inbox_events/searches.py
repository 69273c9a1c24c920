"""Searches that Cairn makes itself, as the inbox holds them (see effects.py)."""

from collections.abc import Iterator
from typing import Any

import msgspec

from cairn.knowledge.ingest.adapter import Event
from cairn.knowledge.ingest.inbox_events.effects import effect, encoded, shaped

EFFECT = "search"
"""What an intent or a receipt is of."""

THREAD = "research"
"""The channel of all of them."""

TRIGGERS = ("learn_command", "user_message", "enrichment")


class SearchEvent(msgspec.Struct, omit_defaults=True):
    """One search: what it asks, what for, and after it how it went."""

    effect_id: str = ""
    unit: str = ""
    """What it is an attempt at: the same for each try of one thing that was due."""
    query: str = ""
    trigger: str = "enrichment"
    topic: str = ""
    entity_id: str | None = None
    schedule_id: str | None = None
    learn_prompt_id: str | None = None
    provider: str | None = None
    duration_ms: int | None = None
    found: int | None = None
    """Results; of a receipt alone."""
    error: str | None = None
    """Why it brought no answer; of a receipt alone."""
    source_url: str | None = None
    image_url: str | None = None
    date: str | None = None
    """These three of a result alone."""


class FoundPage(msgspec.Struct, omit_defaults=True):
    """One thing that a search found: text from outside, which is data and never an order."""

    title: str = ""
    url: str | None = None
    text: str = ""
    image_url: str | None = None
    date: str | None = None


def search_of(tool_input: str | None) -> SearchEvent | None:
    """What a row of RAW_LOGS keeps of a search; None if it keeps nothing that can be read."""
    return shaped(tool_input, SearchEvent)


def events(kind: str, item: Any) -> Iterator[Event]:
    """What a line of the inbox gives, of one of effect_events.TYPES.

    A receipt with an answer is a search and its results, as in the logs of any search; a trigger
    unknown here counts as enrichment, which may create nothing. All else is an `effect`.
    """
    search = shaped(item, SearchEvent) or SearchEvent()
    if search.trigger not in TRIGGERS:
        search.trigger = "enrichment"
    if kind != "receipt" or search.error is not None:
        yield effect(kind, EFFECT, search)
        return
    given = item.get("results") if isinstance(item, dict) else None
    results = [one for each in given or () if (one := shaped(each, FoundPage)) and one.text.strip()]
    search.found = len(results)
    yield Event(
        "search", "system", search.query, "user", trigger=search.trigger, tool_name="search",
        tool_input=encoded(search),
    )  # fmt: skip
    for block, result in enumerate(results, 1):
        search.source_url, search.image_url = result.url, result.image_url
        search.date = result.date
        text = "\n".join(part for part in (result.title.strip(), result.text.strip()) if part)
        yield Event(
            "tool_result", "external", text, "tool", block, trigger=search.trigger,
            tool_name="search", tool_input=encoded(search),
        )  # fmt: skip
