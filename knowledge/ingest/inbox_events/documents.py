"""What people ingest, as events of the inbox say it: free text, and items of knowledge in layers.

A document is text as it is. An item is one profile, one piece or one edge, and says itself whom it
is about: an edge names both its ends, so that no item needs another, whatever comes first.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from cairn.knowledge.schema.fact_types import NAME_PREDICATES
from cairn.knowledge.schema.predicates import FREE_STATEMENTS, OBSERVED_TYPES, PIECE_PREDICATES

DOCUMENT, ITEM = "document", "knowledge"
"""Kinds of such rows of raw_logs; `DOCUMENT` and `ITEM` are types of events, too."""

TYPES = OBSERVED_TYPES | {"topic"}
"""What an entity can be; any other type makes it a topic, and is kept as its `kind`."""

_RESERVED = FREE_STATEMENTS | PIECE_PREDICATES | NAME_PREDICATES | {"is"}


class NamedInText(msgspec.Struct, frozen=True):
    """An entity by name; its type is one of TYPES."""

    name: str
    type: str


class IngestedItem(msgspec.Struct, frozen=True, omit_defaults=True):
    """A profile (`values`), a piece (`text`, `knowledge_type`), or an edge (`relation`, `to`)."""

    about: NamedInText | None = None
    """None where a piece is about nobody, or all."""
    values: tuple[tuple[str, str], ...] = ()
    text: str = ""
    """What a piece says, or the piece of an edge."""
    knowledge_type: str | None = None
    """Of a piece."""
    piece_id: str | None = None
    """As the document that it came from has it."""
    info_type: str | None = None
    tags: tuple[str, ...] = ()
    embedding_text: str | None = None
    relation: str | None = None
    to: NamedInText | None = None

    @property
    def words(self) -> str:
        """The item as a person reads it: what the quotes of its facts stand in."""
        return "\n".join(one.words for one in stated(self))


class StatedLine(NamedTuple):
    """One line of an item's words, and the fact that it states; no predicate where it only names.

    `start` is where `words` begins in the words of the whole (code points).
    """

    words: str
    start: int
    predicate: str
    object: str
    content: str


_ITEM = msgspec.json.Decoder(IngestedItem)


def item_of(tool_input: str | None) -> IngestedItem | None:
    """The item that the `tool_input` of a row says; None if it says none that can be read."""
    try:
        return _ITEM.decode(tool_input or "")
    except msgspec.DecodeError:
        return None


def item_from(given: Any) -> IngestedItem | None:
    """The item that an event holds; None if it has not the form of one."""
    try:
        return msgspec.convert(given, IngestedItem)
    except msgspec.ValidationError:
        return None


def stated(item: IngestedItem) -> list[StatedLine]:
    """What an item says, line by line."""
    lines: list[StatedLine] = []
    start = 0
    for words, predicate, value, content in _lines(item):
        lines.append(StatedLine(words, start, predicate, value, content))
        start += len(words) + 1
    return lines


def _lines(item: IngestedItem) -> Iterator[tuple[str, str, str, str]]:
    name = item.about.name if item.about else ""
    if item.knowledge_type:
        yield item.text, item.knowledge_type, item.text, item.text
    elif item.to and item.relation:
        said = item.text or relation_words(name, item.relation, item.to.name)
        yield said, predicate_of(item.relation), item.to.name, said
    elif item.about:
        yield f"{name} ({item.about.type})", "", "", ""
        for key, value in item.values:
            said = property_words(name, key, value)
            yield said, predicate_of(key), value, said


def property_words(name: str, key: str, value: str) -> str:
    """A property in words."""
    return f"{key.replace('_', ' ')} of {name}: {value}"


def relation_words(source: str, relation: str, target: str) -> str:
    """A relation as a sentence."""
    return f"{source} {relation.replace('_', ' ').lower()} {target}"


def predicate_of(key: str) -> str:
    """The predicate of a property or a relation: its words, joined; none that means another."""
    predicate = re.sub(r"\W+", "_", key.strip().lower()).strip("_") or "value"
    return f"has_{predicate}" if predicate in _RESERVED else predicate
