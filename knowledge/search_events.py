"""Searches that Cairn makes itself, as the inbox holds them: an intent before, a receipt after.

Also the moment from which it may search at all, and a person's word that one may be tried again.
"""

from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec

from knowledge.adapter import Event

Shape = TypeVar("Shape", bound=msgspec.Struct)

EFFECT = "search"
"""What an intent or a receipt is of."""

KIND = "effect"
"""Kind of the rows that say what Cairn did, and brought nothing."""

THREAD = "research"
"""The channel of all of them."""

TYPES = frozenset({"intent", "receipt", "switch", "retry"})
TRIGGERS = ("learn_command", "user_message", "enrichment")


class Search(msgspec.Struct, omit_defaults=True):
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


class Result(msgspec.Struct, omit_defaults=True):
    """One thing that a search found: text from outside, which is data and never an order."""

    title: str = ""
    url: str | None = None
    text: str = ""
    image_url: str | None = None
    date: str | None = None


def search_of(tool_input: str | None) -> Search | None:
    """What a row of RAW_LOGS keeps of a search; None if it keeps nothing that can be read."""
    return _shaped(tool_input, Search)


def events(kind: str, item: Any) -> Iterator[Event]:
    """What a line of the inbox gives, of one of TYPES.

    A receipt with an answer is a search and its results, as in the logs of any search; a trigger
    unknown here counts as enrichment, which may create nothing. All else is an `effect`.
    """
    search = _shaped(item, Search) or Search()
    if search.trigger not in TRIGGERS:
        search.trigger = "enrichment"
    if kind != "receipt" or search.error is not None:
        yield Event(KIND, "system", "", kind, tool_name=EFFECT, tool_input=_json(search))
        return
    given = item.get("results") if isinstance(item, dict) else None
    results = [one for each in given or () if (one := _shaped(each, Result)) and one.text.strip()]
    search.found = len(results)
    yield Event(
        "search", "system", search.query, "user", trigger=search.trigger, tool_name="search",
        tool_input=_json(search),
    )  # fmt: skip
    for block, result in enumerate(results, 1):
        search.source_url, search.image_url = result.url, result.image_url
        search.date = result.date
        text = "\n".join(part for part in (result.title.strip(), result.text.strip()) if part)
        yield Event(
            "tool_result", "external", text, "tool", block, trigger=search.trigger,
            tool_name="search", tool_input=_json(search),
        )  # fmt: skip


def _json(search: Search) -> str:
    return msgspec.json.encode(search).decode()


def _shaped(given: Any, shape: type[Shape]) -> Shape | None:
    try:
        if isinstance(given, str):
            return msgspec.json.decode(given, type=shape, strict=False)
        return msgspec.convert(given, shape, strict=False)
    except (msgspec.ValidationError, msgspec.DecodeError):
        return None
