"""What people and agents said and the next run has yet to take in: shown at once, applied then.

A list of what was published says nothing of it, so each list of what somebody may ask for ends with
what was asked for since.
"""

import json
from collections.abc import Collection, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from cairn.knowledge.deletion.tombstones import TYPE as TOMBSTONE
from cairn.knowledge.ingest.inbox_events.decisions import DECISION_TYPES, in_words, meant_of
from cairn.knowledge.ingest.inbox_events.documents import DOCUMENT
from cairn.knowledge.schema.identity import record_id
from cairn.knowledge.schema.tables import RAW_LOGS, SOURCE_FILES
from cairn.resources.context import State
from cairn.resources.deletion.applying import unfinished
from cairn.resources.home.inbox import files, namespaces_of_inbox
from cairn.resources.warehouse.publication import namespaces, published, read_published
from cairn.serving.read.display import one_line
from cairn.serving.read.namespaces import Several, to_read
from cairn.serving.read.reader import NothingPublished, Reader, open_reader

LEARN = frozenset({"learn"})
SCHEDULES = frozenset({"schedule", "unschedule"})
RESEARCH = LEARN | SCHEDULES | {"retry search"}
ATTITUDES = frozenset({"like", "unlike", "dislike", "undislike", "mute", "unmute"})
NOTICES = frozenset({"reaction", "retry notification", "mute", "unmute"})
TEXTS = frozenset({"document", "knowledge", "imported"})
RATINGS = frozenset({"rating"})
MISSED = frozenset({"missed"})
"""Verbs of what each list is about; see `Pending.verb`."""

LONGEST = 80
"""Characters that are shown of what was said."""


_OWN = frozenset({"switch", "intent", "receipt"})
"""Lines by which Cairn notes what it did itself: nobody said them, and nobody waits for them."""


class Pending(NamedTuple):
    """Something that was said, and is not yet in what is published."""

    namespace: str
    event_id: str
    at: datetime
    verb: str
    """Of a command its first word (`learn`), a thumb for a learning `rating`, a text of what should
    have been learnt `missed`, else the event's type (`note`, `retract`, `reaction`, `document`,
    `tombstone`, `retry search`, …)."""
    text: str
    """In words, without secrets, on one line."""
    ids: tuple[str, ...]
    """Of what it is about, where it names ids."""

    @property
    def record_id(self) -> str:
        """Of its record, from the next run on; by it a decision is undone before."""
        return record_id(self.namespace, self.event_id)


def pending(state: State, namespace: str, verbs: Collection[str] | None = None) -> list[Pending]:
    """What was said in a namespace and the next run will apply, the earliest first."""
    manifest = published(state.home, namespace)
    taken: dict[str, int] = {}
    if manifest:
        rows = read_published(state.warehouse, manifest, SOURCE_FILES, columns=["path", "consumed"])
        # A home that was moved has its inbox elsewhere, and has read it all the same.
        taken = {
            Path(path).name: consumed
            for path, consumed in rows.collect().iter_rows()
            if Path(path).parts[-3:-1] == ("inbox", namespace)
        }
    found = [
        said
        for file in files(state.home, namespace)
        for said in _said(namespace, file, taken.get(file.name, 0))
    ]
    if found and manifest:
        ids = {one.record_id: one for one in found}
        there = (
            read_published(state.warehouse, manifest, RAW_LOGS, columns=["record_id"])
            .filter(pl.col("record_id").is_in(list(ids)))
            .collect()["record_id"]
        )
        gone = {ids[each] for each in there}
        found = [one for one in found if one not in gone]
    if any(one.verb == TOMBSTONE for one in found):
        left = {one.event_id for one in unfinished(state, namespace)}
        found = [one for one in found if one.verb != TOMBSTONE or one.event_id in left]
    return sorted(
        (one for one in found if verbs is None or one.verb in verbs),
        key=lambda one: (one.at, one.event_id),
    )


def _said(namespace: str, file: Path, taken: int) -> Iterator[Pending]:
    content = file.read_bytes()
    # What was forgotten of a file makes it shorter: then all of it is looked at.
    lines = content[taken if taken <= len(content) else 0 :].splitlines()
    for line in lines:
        try:
            event: dict[str, Any] = json.loads(line)
            at = datetime.fromisoformat(event["at"])
            kind, event_id = str(event["type"]), str(event["event_id"])
        except (ValueError, KeyError, TypeError):
            continue  # what was forgotten, or a crash left of a line
        if kind not in _OWN:
            yield Pending(namespace, event_id, at, *_read(kind, event))


def _read(kind: str, event: dict[str, Any]) -> tuple[str, str, tuple[str, ...]]:
    """Verb, words and ids of an event."""
    text, to = str(event.get("text") or ""), str(event.get("reply_to") or "")
    item = event.get("item")
    given: dict[str, Any] = item if isinstance(item, dict) else {}
    ids: tuple[str, ...] = ()
    if kind == "command":
        verb = text.strip().removeprefix("/").partition(" ")[0].casefold()
        said = text.strip().removeprefix("/")
    elif kind == "reaction":
        verb, ids = "rating" if to.startswith("l_") else kind, (to,)
        said = f"{text} for {to}"
    elif kind in DECISION_TYPES:
        meant = meant_of(event.get("meant"))
        verb, ids = kind, tuple(one.id for one in meant)
        said = in_words(kind, meant, None) + (f" → “{text}”" if text else "")
    elif kind == TOMBSTONE:
        verb, ids = kind, tuple(map(str, event.get("ids") or ()))
        said = f"forget {event.get('thing') or ''} {', '.join(ids)}"
    elif kind == DOCUMENT and to:
        verb, ids = "missed", (to,)
        said = f"missed in {to}: {text}"
    elif kind == "retry":
        verb = f"retry {event.get('effect')}"
        ids = (str(given.get("effect_id") or ""),)
        said = f"try again {ids[0]}"
    else:
        verb = kind
        said = f"{kind}: {event.get('name') or text}".removesuffix(": ")
    return verb, one_line(said, LONGEST), ids


class PendingList(NamedTuple):
    """What a list shows: what is published, and what was said since."""

    namespace: str
    reader: Reader | None
    """None where nothing is published yet."""
    waiting: list[Pending]


def listed(state: State, namespace: str | None, verbs: Collection[str]) -> PendingList:
    """What a person is shown who asks what became of what they said.

    Where no namespace is named, it is the only one there is besides the samples; one that has no
    more than an inbox counts, too, if such things wait in it.

    Raises:
        NothingPublished: there is nothing, or there are several namespaces to choose from.
    """
    there = namespaces(state.home)
    if namespace is None:
        inboxes = {*namespaces_of_inbox(state.home)} - {*there}
        asked = [name for name in sorted(inboxes) if pending(state, name, verbs)]
        try:
            namespace = to_read([*there, *asked], state.settings.namespace)
        except Several as several:
            raise NothingPublished(str(several)) from None
    if namespace is None:
        return PendingList("", open_reader(state), [])  # which says that nothing is published
    waiting = pending(state, namespace, verbs)
    if waiting and namespace not in there:
        return PendingList(namespace, None, waiting)
    return PendingList(namespace, open_reader(state, namespace), waiting)


def as_rows(waiting: Collection[Pending]) -> list[dict[str, Any]]:
    """The same, for programs."""
    return [{"record_id": one.record_id, **one._asdict()} for one in waiting]


NEXT_RUN = "at the next run: `cairn run`"
