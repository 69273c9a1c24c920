"""What people give to be kept: free text, or knowledge in layers, as events of the inbox."""

import json
import re
import uuid
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec
import polars as pl

from cairn.knowledge.extraction.documents import LONGEST_PIECE
from cairn.knowledge.ingest.inbox_events.documents import (
    DOCUMENT,
    ITEM,
    TYPES,
    IngestedItem,
    NamedInText,
    relation_words,
    stated,
)
from cairn.knowledge.nlp.names import name_rejections
from cairn.knowledge.redaction import redactor
from cairn.knowledge.schema.identity import digest
from cairn.resources.context import State
from cairn.resources.deletion.tombstones import forgets
from cairn.resources.limits.day import check_limit
from cairn.serving.knowledge_layers.items import GLOBAL, Metadata
from cairn.serving.knowledge_layers.loading import Loaded, LoadedGraph, Skipped
from cairn.serving.write.inbox import add_events

LONGEST_DOCUMENT = 1_000_000
"""Characters of one free text."""


class DocumentRefused(Exception):  # noqa: N818  what a person is told
    """The content is not taken in; the message says why, and never what stood there."""


class Given(NamedTuple):
    """What would be taken in: what each item is (text, profile, piece or edge), and its event."""

    events: tuple[tuple[str, Mapping[str, object]], ...]
    skipped: tuple[Skipped, ...] = ()


class Ingested(NamedTuple):
    """What became of the events: their ids, how many are new, and how many were forgotten here."""

    ids: tuple[str, ...]
    new: int
    forgotten: int
    """Left out: no run would take them in."""


def text_given(
    state: State, text: str, *, title: str = "", about: NamedInText | None = None
) -> Given:
    """Free text as one event.

    Raises:
        Refused: it is empty, too long, or holds a secret; or `about` is no name.
    """
    if not text.strip():
        raise DocumentRefused("there is no text in it")
    if len(text) > LONGEST_DOCUMENT:
        raise DocumentRefused(
            f"it is longer than {LONGEST_DOCUMENT:,} characters: give it in parts"
        )
    if (why := _no_name(state, about)) is not None:
        raise DocumentRefused(why)
    _, found = redactor().redact_text(text)
    if found:
        rules = ", ".join(sorted(set(found)))
        raise DocumentRefused(
            f"it holds what looks like a secret ({rules}): take it out, or have it replaced "
            "(--redact)"
        )
    return Given(((DOCUMENT, _document(text, title, about)),))


def redacted(state: State, text: str) -> str:
    """A text whose secrets are replaced by what they were."""
    return redactor(state.policy.redact_personal).redact_text(text)[0]


def layers_given(state: State, loaded: Loaded) -> Given:
    """Knowledge in layers as one event for each item that is right; the others are listed."""
    skipped = list(loaded.skipped)
    events: list[tuple[str, Mapping[str, object]]] = []
    for form, where, item in _items(loaded):
        why = _no_name(state, item.about) or _no_name(state, item.to) or _too_long(item)
        if why is not None:
            skipped.append(Skipped(where, why))
            continue
        events.append((form, {"item": msgspec.to_builtins(item)}))
    return Given(tuple(events), tuple(skipped))


def ingest(state: State, namespace: str, given: Given) -> Ingested:
    """Adds what was given to the inbox, each item once, whatever is asked again.

    Raises:
        Refused: all of it was forgotten here.
        ValueError: as `cairn.resources.home.inbox.append_events`.
        LimitReached: no more of the namespace's logs is taken in today.
    """
    check_limit(state, namespace, "log_bytes")
    told = [
        {"type": DOCUMENT if form == DOCUMENT else ITEM, "namespace": namespace, **event}
        for form, event in given.events
    ]
    keys = [json.dumps(event, sort_keys=True, ensure_ascii=False) for event in told]
    together = "ingested-" + digest(*keys)
    ids = [str(uuid.uuid5(uuid.NAMESPACE_URL, key)) for key in keys]
    gone = forgets(state.home, namespace, ids, datetime.now(UTC))
    if gone.all():
        raise DocumentRefused(
            "it was forgotten here, and would be left out; to have it known again, say it in other"
            " words"
        )
    written = add_events(
        state,
        [
            {**event, "conversation_id": together, "event_id": own}
            for event, own, left_out in zip(told, ids, gone, strict=True)
            if not left_out
        ],
    )
    new = sum(one.written for one in written)
    return Ingested(tuple(one.event_id for one in written), new, int(gone.sum()))


def _document(text: str, title: str, about: NamedInText | None) -> Mapping[str, object]:
    event: dict[str, object] = {
        "text": text,
        "item": msgspec.to_builtins(IngestedItem(about=about)),
    }
    return event | ({"name": title} if title else {})


def _items(loaded: Loaded) -> Iterator[tuple[str, str, IngestedItem]]:
    """Each item with what it is and its place in the document."""
    names = _names(loaded.metadata, loaded.graph)
    for one in loaded.metadata:
        about = names[one.entity_id]
        yield (
            "profile",
            f"metadata.{one.entity_id}",
            IngestedItem(about, values=_values(one, about)),
        )
    for node in loaded.graph.nodes:
        if all(node.node_id != one.entity_id for one in loaded.metadata):
            yield "node", f"graph.nodes.{node.node_id}", IngestedItem(names[node.node_id])
    for piece in loaded.pieces:
        about = None
        if piece.entity_id and piece.entity_id != GLOBAL:
            about = names.get(piece.entity_id, NamedInText(piece.entity_id, "topic"))
        yield (
            "piece",
            f"pieces.{piece.piece_id}",
            IngestedItem(
                about,
                text=piece.content,
                knowledge_type=piece.knowledge_type.value,
                piece_id=piece.piece_id,
                info_type=piece.info_type,
                tags=piece.tags,
                embedding_text=piece.embedding_text,
            ),
        )
    content = {piece.piece_id: piece.content for piece in loaded.pieces}
    for edge in loaded.graph.edges:
        place = f"graph.edges.{edge.source_id}-{edge.edge_type}-{edge.target_id}"
        ends = names[edge.source_id], names[edge.target_id]
        said = content.get(edge.piece_id or "", "")
        if not said and edge.description:
            words = relation_words(ends[0].name, edge.edge_type, ends[1].name)
            said = f"{words} ({edge.description})"
        yield "edge", place, IngestedItem(ends[0], text=said, relation=edge.edge_type, to=ends[1])


def _names(metadata: tuple[Metadata, ...], graph: LoadedGraph) -> dict[str, NamedInText]:
    """Entities by id: called as the property `name` says, else by the label of the node."""
    labels = {node.node_id: node for node in graph.nodes}
    names = {id_: NamedInText(node.label, _type(node.node_type)) for id_, node in labels.items()}
    for one in metadata:
        label = labels[one.entity_id].label if one.entity_id in labels else one.entity_id
        name = one.properties.get("name")
        called = name if isinstance(name, str) and name.strip() else label
        names[one.entity_id] = NamedInText(called.strip(), _type(one.entity_type))
    return names


def _type(given: str) -> str:
    return given.lower() if given.lower() in TYPES else "topic"


def _values(one: Metadata, about: NamedInText) -> tuple[tuple[str, str], ...]:
    """Properties as texts, one for each value of a list; a type of its own is its `kind`."""
    kind = () if one.entity_type.lower() == about.type else (("kind", one.entity_type),)
    told = (
        (key, text)
        for key, value in sorted(one.properties.items())
        if key != "name"
        for text in map(_text, value if isinstance(value, list) else [value])
        if text.strip()
    )
    return (*kind, *told)


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _no_name(state: State, named: NamedInText | None) -> str | None:
    """Why nothing can be called like this; None if it can."""
    if named is None:
        return None
    name, type_ = (pl.Series([part]) for part in (named.name, named.type))
    rule = name_rejections(name, type_, state.policy.name_words).item()
    return rule and f"{re.sub('_', ' ', rule)}: that is no name of a {named.type}"


def _too_long(item: IngestedItem) -> str | None:
    longest = max((len(one.content) for one in stated(item)), default=0)
    return f"is longer than {LONGEST_PIECE:,} characters" if longest > LONGEST_PIECE else None
