"""Statements of another program on their way into the inbox."""

import json
import uuid
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec
import polars as pl

from cairn.knowledge.deletion.tombstones import forgotten, of_heads
from cairn.knowledge.extraction.documents import LONGEST_PIECE
from cairn.knowledge.ingest.adapter import Head
from cairn.knowledge.ingest.dating import is_possible
from cairn.knowledge.ingest.inbox_events.imported import IMPORTED, ImportedMemory
from cairn.knowledge.nlp.dates.timestamps import utc
from cairn.knowledge.nlp.names import name_rejections
from cairn.knowledge.redaction import redactor
from cairn.knowledge.schema.calendar import microseconds
from cairn.knowledge.schema.identity import digest
from cairn.resources.context import State
from cairn.resources.deletion.tombstones import key_of, tombstones
from cairn.resources.home.home import check_room
from cairn.resources.limits.day import check_limit
from cairn.serving.write.inbox import add_events


class ForeignMemory(NamedTuple):
    """One statement."""

    text: str
    told: ImportedMemory
    at: datetime | None
    """When it was remembered there, with a timezone."""


class ForeignMemories(NamedTuple):
    """What a file holds."""

    kind: str
    label: str
    """Where it is from, in words."""
    memories: tuple[ForeignMemory, ...]
    skipped: int = 0
    """Rows without a text, or deleted there."""


class TakenMemories(NamedTuple):
    """What became of it."""

    namespace: str
    kind: str
    label: str
    memories: int
    new: int
    redactions: int
    too_long: int
    skipped: int
    """Rows without a text, or deleted there."""
    forgotten: int
    """Left out, since they were forgotten here."""


def take_memories(
    state: State, namespace: str, found: ForeignMemories, *, dry_run: bool = False
) -> TakenMemories:
    """Adds statements to the inbox, each once, whatever is asked again.

    Raises:
        LimitReached: no more of the namespace's logs is taken in today.
        HomeError: the home cannot be written.
    """
    fit = [one for one in found.memories if len(one.text) <= LONGEST_PIECE]
    named = _fit_names(state, fit)
    events = [_event(namespace, one, found.label) for one in named]
    events = list({str(event["event_id"]): event for event in events}.values())
    gone = _forgotten(state, namespace, events)
    events = [event for event, lost in zip(events, gone, strict=True) if not lost]
    new = 0
    redactions = sum(len(redactor().redact_text(one.text)[1]) for one in fit) if dry_run else 0
    if not dry_run and events:
        check_room(state.home)
        check_limit(state, namespace, "log_bytes")
        written = add_events(state, events)
        new = sum(one.written for one in written)
        redactions = sum(one.redactions for one in written)
    too_long = len(found.memories) - len(fit)
    return TakenMemories(
        namespace,
        found.kind,
        found.label,
        len(events),
        new,
        redactions,
        too_long,
        found.skipped,
        sum(gone),
    )


def _forgotten(state: State, namespace: str, events: list[dict[str, object]]) -> list[bool]:
    """Which of them were forgotten here: intake would drop them, and the inbox keep their text."""
    own = tombstones(state.home, namespace).get(namespace, [])
    now = datetime.now(UTC).isoformat()
    heads = [Head(None, False, str(one["event_id"]), str(one.get("at", now))) for one in events]
    return forgotten(of_heads(namespace, heads), own, key_of(state.home, own)).to_list()


def _fit_names(state: State, found: list[ForeignMemory]) -> list[ForeignMemory]:
    """Statements about nobody where what they are about is no name."""
    about = [one.told.about for one in found]
    columns = (
        pl.Series([one.name if one else "" for one in about], dtype=pl.String),
        pl.Series([one.type if one else "topic" for one in about], dtype=pl.String),
    )
    refused = name_rejections(*columns, state.policy.name_words).to_list()
    return [
        one._replace(told=msgspec.structs.replace(one.told, about=None)) if why else one
        for one, why in zip(found, refused, strict=True)
    ]


def _event(namespace: str, one: ForeignMemory, label: str) -> dict[str, object]:
    """An event whose id is that of what it says and where from: each time the same."""
    text = one.text.strip()
    told = msgspec.to_builtins(one.told)
    key = json.dumps([namespace, text, told], sort_keys=True, ensure_ascii=False)
    event: dict[str, object] = {
        "type": IMPORTED,
        "namespace": namespace,
        "event_id": str(uuid.uuid5(uuid.NAMESPACE_URL, key)),
        "conversation_id": "imported-" + digest(one.told.program, one.told.source),
        "name": label,
        "text": text,
        "item": told,
    }
    return event | ({"at": one.at.isoformat()} if one.at else {})


def instant(value: Any) -> datetime | None:
    """A time as programs write it: ISO 8601, UTC where it names no zone, or since 1970."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    found = utc(pl.Series([str(value)], dtype=pl.String), "UTC").item()
    return found if found is not None and is_possible(microseconds(found)) else None


def texts(value: Any) -> list[str]:
    """Texts of a list, or of one that stands in JSON; none of anything else."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return []
    if not isinstance(value, Iterable) or isinstance(value, (str, Mapping)):
        return []
    return [one.strip() for one in value if isinstance(one, str) and one.strip()]
