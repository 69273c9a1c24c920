"""What is to be forgotten: looked up, and told as a tombstone of ids and digests alone."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import NamedTuple

import polars as pl

from knowledge.raw_logs import HEAD_COLUMNS, placed
from knowledge.resting import READS, resting
from knowledge.tables import RECORDS
from knowledge.tombstones import NAMESPACE, TYPE, digests
from resources.home import check_namespace
from resources.inbox import Received, append_event, namespaces_of_inbox
from resources.publication import namespaces
from resources.sources import list_sources
from resources.state import State
from resources.tombstones import make_key
from serving.ids import UnknownId, entities_called, exactly, find
from serving.reader import NothingPublished, Reader, open_reader

THINGS = ("fact", "entity", "record", "conversation")
"""What a tombstone may be of, beside a namespace; all else rests on these."""


class Unforgettable(Exception):  # noqa: N818  what a person is told
    """It is no thing that can be forgotten by itself; the message says what can."""


class Target(NamedTuple):
    """What a person named."""

    namespace: str
    thing: str
    """One of THINGS, or namespace."""
    id: str


def target(state: State, what: str, namespace: str | None = None) -> Target:
    """What an id, the beginning of one, the name of an entity or of a namespace names.

    Raises:
        UnknownId: it names nothing, or several things.
        Unforgettable: it is of a kind that rests on others.
        NothingPublished: nothing is published where it is looked for.
    """
    if namespace is None and what in _namespaces(state):
        return Target(what, NAMESPACE, what)
    try:
        found = find(state, what, namespace)
    except (UnknownId, NothingPublished) as unknown:
        return _called(state, what, namespace, unknown)
    return Target(found.reader.namespace, forgettable(found.kind), found.id)


def named(reader: Reader, what: str) -> Target:
    """What a whole id, or the name of one entity, names in the reader's namespace.

    Raises:
        UnknownId: it names nothing there, or several entities.
        Unforgettable: it is of a kind that rests on others.
    """
    if thing := exactly(reader, what):
        return Target(reader.namespace, forgettable(thing.kind), thing.id)
    ids = sorted(set(entities_called(reader, what)["canonical_id"]))
    if len(ids) > 1:
        raise UnknownId(f"that is {', '.join(ids)}: choose one by its id")
    return Target(reader.namespace, "entity", ids[0])


def whole(state: State, namespace: str) -> Target:
    """A whole namespace.

    Raises:
        UnknownId: the home neither holds nor awaits anything of it.
    """
    if namespace not in _namespaces(state):
        raise UnknownId(f"there is no namespace {namespace}")
    return Target(namespace, NAMESPACE, namespace)


def forgettable(kind: str) -> str:
    """The kind, if it may be forgotten by itself.

    Raises:
        Unforgettable: it rests on other things.
    """
    if kind not in THINGS:
        raise Unforgettable(
            f"that is of kind {kind}: forget the records that it rests on; `cairn why` lists them"
        )
    return kind


def _namespaces(state: State) -> set[str]:
    """Namespaces of which the home holds or awaits anything."""
    inboxes = set(namespaces_of_inbox(state.home))
    watched = {source.namespace for source in list_sources(state.home)}
    return inboxes | watched | set(namespaces(state.home)) | state.warehouse.namespaces(RECORDS)


def _called(state: State, name: str, namespace: str | None, unknown: Exception) -> Target:
    """The one entity of that name."""
    places = [namespace] if namespace else namespaces(state.home)
    found: list[Target] = []
    for place in places:
        try:
            named = entities_called(open_reader(state, place), name)
        except (UnknownId, NothingPublished):
            continue
        found += [Target(place, "entity", id_) for id_ in sorted(set(named["canonical_id"]))]
    if len(found) > 1:
        several = ", ".join(f"{each.id} in {each.namespace}" for each in found)
        raise UnknownId(f"{name} is {several}: choose one by its id, and --namespace")
    if not found:
        raise unknown
    return found[0]


def tombstone(state: State, wanted: Target, event_id: str | None = None) -> dict[str, object]:
    """The event that has something forgotten; nothing is told yet.

    Raises:
        HomeError: the key of tombstones cannot be read.
        UnknownId: nothing is there to be forgotten.
    """
    head: dict[str, object] = {
        "type": TYPE, "namespace": check_namespace(wanted.namespace), "thing": wanted.thing,
        "ids": [wanted.id],
    }  # fmt: skip
    if event_id:
        head["event_id"] = event_id
    key = make_key(state.home)
    if wanted.thing == NAMESPACE:
        # It goes itself: what is left of a namespace is this line of the inbox.
        until = _until(state, wanted.namespace)
        return head | {"records": [], "digests": [], "at": until, "until": until}
    warehouse, namespace = state.warehouse, wanted.namespace
    columns = list(dict.fromkeys([*HEAD_COLUMNS, "source_file"]))
    heads = warehouse.read(RECORDS, namespace=namespace, columns=columns).collect()
    tables = {table.name: warehouse.read(table, namespace=namespace) for table in READS}
    where = placed(heads.select(HEAD_COLUMNS), state.policy)
    files = heads.select("record_key", "source_file")
    rests = resting(
        wanted.thing, [wanted.id], where.join(files, on="record_key"), tables, state.policy
    )
    if rests.lines.is_empty():
        raise UnknownId(f"{wanted.id} rests on no record that is there still")
    told = digests(rests.lines, key, sessions=wanted.thing == "conversation")
    return head | {"records": rests.record_ids, "digests": told}


def _until(state: State, namespace: str) -> str:
    """Now, or the last event of a namespace whose clock was ahead."""
    last = state.warehouse.read(RECORDS, namespace=namespace, columns=["occurred_at"])
    latest = last.select(pl.col("occurred_at").max()).collect().item()
    return max(datetime.now(UTC), latest or datetime.now(UTC)).isoformat()


def note(state: State, event: Mapping[str, object]) -> Received:
    """Appends a tombstone to the inbox; the next run applies it."""
    # It has no text, and what looks like a secret in it are its digests.
    return append_event(state.home, event, redact=lambda text: (text, 0))
