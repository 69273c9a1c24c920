"""What is to be forgotten: looked up, and told as a tombstone of ids and digests alone."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import polars as pl

from cairn.knowledge.deletion.dependents import (
    READS,
    NamedDependents,
    left_with_nothing,
    resting,
)
from cairn.knowledge.deletion.naming import ForgottenName, name_of, names_of
from cairn.knowledge.deletion.naming import pattern as pattern_of
from cairn.knowledge.deletion.tombstones import (
    NAMESPACE,
    TYPE,
    Tombstone,
    digests,
    forgotten,
    gone_until,
)
from cairn.knowledge.deletion.tombstones import READS as MARKED
from cairn.knowledge.ingest.dating import dated
from cairn.knowledge.ingest.events import HEAD_COLUMNS, PLACE, placed, raw_logs
from cairn.knowledge.schema.calendar import watermark
from cairn.knowledge.schema.tables import MEMORY_ENTITIES, RAW_LOGS, RECORDS, TABLES
from cairn.resources.context import State
from cairn.resources.deletion.applying import unfinished
from cairn.resources.deletion.places import (
    answers_naming,
    lines_naming,
    rows_named,
    waiting_records,
)
from cairn.resources.deletion.tombstones import make_key
from cairn.resources.home.home import check_namespace
from cairn.resources.home.inbox import namespaces_of_inbox
from cairn.resources.home.sources import list_sources
from cairn.serving.read.id_lookup import UnknownId, entities_called, exactly, find
from cairn.serving.read.reader import NothingPublished, Reader, open_reader

THINGS = ("fact", "entity", "record", "conversation")
"""What a tombstone may be of, beside a name and a namespace; all else rests on these."""

NAME = "name"


class Unforgettable(Exception):  # noqa: N818  what a person is told
    """It is no thing that can be forgotten by itself; the message says what can."""


class Target(NamedTuple):
    """What a person named."""

    namespace: str
    target_type: str
    """One of THINGS, name (any words) or namespace."""
    id: str
    """Its id; a name or a namespace itself."""
    everywhere: bool = False
    """Whether all goes that names it: only of an entity, or a name."""


def target(
    state: State, what: str, namespace: str | None = None, *, everywhere: bool = False
) -> Target:
    """What an id, the beginning of one, the name of an entity or of a namespace names.

    Args:
        state: Where it is looked for.
        what: As a person gives it.
        namespace: Where to look; else wherever something is published.
        everywhere: What names nothing may be any words, where the namespace is known.

    Raises:
        UnknownId: it names nothing, or several things.
        Unforgettable: it is of a kind that rests on others, or has no name.
        NothingPublished: nothing is published where it is looked for.
    """
    if namespace is None and what in _namespaces(state):
        return _whether_named(Target(what, NAMESPACE, what, everywhere))
    try:
        found = find(state, what, namespace)
    except (UnknownId, NothingPublished) as unknown:
        return _called(state, what, namespace, unknown, everywhere=everywhere, words=everywhere)
    if found.id != what:
        # A whole name says more than the beginning of an id.
        none = UnknownId(f"that is the beginning of {found.id}, and the name of nothing")
        words = everywhere and found.kind != "entity"
        try:
            return _called(state, what, namespace, none, everywhere=everywhere, words=words)
        except UnknownId as unknown:
            if unknown is not none or words:
                raise
    return _whether_named(
        Target(found.reader.namespace, forgettable(found.kind), found.id, everywhere)
    )


def named(reader: Reader, what: str, *, everywhere: bool = False) -> Target:
    """What a whole id, the name of one entity or, everywhere, any words name in a namespace.

    Raises:
        UnknownId: it names nothing there, or several entities.
        Unforgettable: it is of a kind that rests on others, or has no name.
    """
    if thing := exactly(reader, what):
        return _whether_named(
            Target(reader.namespace, forgettable(thing.kind), thing.id, everywhere)
        )
    try:
        ids = sorted(set(entities_called(reader, what)["canonical_id"]))
    except UnknownId:
        if not everywhere:
            raise
        return Target(reader.namespace, NAME, what, everywhere)
    if len(ids) > 1:
        raise UnknownId(f"that is {', '.join(ids)}: choose one by its id")
    return Target(reader.namespace, "entity", ids[0], everywhere)


def _whether_named(wanted: Target) -> Target:
    if wanted.everywhere and wanted.target_type not in (NAME, "entity"):
        raise Unforgettable(
            f"that is a {wanted.target_type}: only an entity, or words, can go everywhere; words"
            " that are the name of a namespace, too, with --namespace"
        )
    return wanted


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
    return inboxes | watched | {*state.readable_namespaces()} | state.warehouse.namespaces(RECORDS)


def _called(
    state: State,
    name: str,
    namespace: str | None,
    unknown: Exception,
    *,
    everywhere: bool,
    words: bool,
) -> Target:
    """The one entity of that name; if there is none, and any words will do, the name."""
    places = [namespace] if namespace else state.readable_namespaces()
    found: list[Target] = []
    for place in places:
        try:
            named = entities_called(open_reader(state, place), name)
        except (UnknownId, NothingPublished):
            continue
        ids = sorted(set(named["canonical_id"]))
        found += [Target(place, "entity", id_, everywhere) for id_ in ids]
    if len(found) > 1:
        several = ", ".join(f"{each.id} in {each.namespace}" for each in found)
        raise UnknownId(f"{name} is {several}: choose one by its id, and --namespace")
    if found:
        return found[0]
    if not words:
        raise unknown
    if len(places) != 1 or places[0] not in _namespaces(state):
        raise UnknownId(f"{name} is the name of no entity: to forget words, say which --namespace")
    return Target(places[0], NAME, name, everywhere)


class Reach(NamedTuple):
    """What a tombstone takes, and what it leaves."""

    event: Mapping[str, Any]
    """The tombstone; nothing is told yet."""
    lines: int
    """Lines that go."""
    still: int
    """Lines that stay and name it; 0 of what has no name."""
    names: list[ForgottenName]
    """All that it is called; none of what has no name."""
    pattern: str | None
    """Of these names (knowledge/deletion/naming.py)."""
    watched: Sequence[str] = ()
    """Sources of a namespace that goes, which bring what they say from now on."""


def reach(state: State, wanted: Target, event_id: str | None = None) -> Reach:
    """The event that has something forgotten, and how much that is; nothing is told yet.

    Raises:
        HomeError: the key of tombstones cannot be read.
        UnknownId: nothing is there to be forgotten.
    """
    namespace = check_namespace(wanted.namespace)
    # A name is no id, and a tombstone has no text.
    ids = [] if wanted.target_type == NAME else [wanted.id]
    head: dict[str, Any] = {
        "type": TYPE, "namespace": namespace, "thing": wanted.target_type, "ids": ids,
    }  # fmt: skip
    if event_id:
        head["event_id"] = event_id
    state.follow(namespace)  # homes that share have one key
    key = make_key(state.home)
    warehouse = state.warehouse
    if wanted.target_type == NAMESPACE:
        # It goes itself: what is left of a namespace is this line of the inbox.
        lines = warehouse.read(RECORDS, namespace=namespace).select(pl.len()).collect().item()
        event = head | {"records": []} | _until(state, namespace, key)
        watched = [each.path for each in list_sources(state.home) if each.namespace == namespace]
        return Reach(event, lines, 0, [], None, watched)
    columns = list(dict.fromkeys([*HEAD_COLUMNS, "source_file"]))
    heads = warehouse.read(RECORDS, namespace=namespace, columns=columns).collect()
    waiting = waiting_records(state, namespace, heads.select("native_id", "record_key"))
    tables = {table.name: warehouse.read(table, namespace=namespace) for table in READS}
    both = (heads, waiting)
    where = pl.concat(placed(each.select(HEAD_COLUMNS), state.policy) for each in both)
    files = pl.concat(each.select("record_key", "source_file") for each in both)
    at = where.select("namespace", "record_key", *PLACE)
    come = raw_logs(waiting.drop("occurred_at").join(at, on=["namespace", "record_key"])).raw_logs
    tables["raw_logs"] = pl.concat([tables["raw_logs"], come.lazy()])
    names = _names(state, wanted)
    pattern = pattern_of(names)
    naming = heads.select(MARKED).clear()
    if pattern:
        naming = lines_naming(state, namespace, pattern, waiting)
    also, answers = None, list[str]()
    if wanted.everywhere and pattern:
        also = NamedDependents(naming["record_key"], _rows_made_of(state, namespace, pattern))
        answers = answers_naming(state, namespace, pattern)
    rests = resting(
        wanted.target_type, ids, where.join(files, on="record_key"), tables, state.policy, also
    )  # fmt: skip
    gone = digests(rests.lines, key, sessions=wanted.target_type == "conversation")
    if also:
        # Copies that stand for no row, and lines of the inbox that wait, have marks, too.
        gone = sorted({*gone, *digests(naming, key)})
    if not gone and not answers:
        raise UnknownId(f"{wanted.id} rests on no record that is there still")
    event = head | {"records": rests.record_ids, "digests": gone}
    if answers:
        event["answers"] = answers
    left = forgotten(naming, [Tombstone("", digests=tuple(gone))], key)
    taken = pl.concat([rests.lines.select(MARKED), naming.filter(left)]).unique().height
    return Reach(event, taken, naming.height - int(left.sum()), names, pattern)


def being_forgotten(reader: Reader, ids: Sequence[str]) -> list[str]:
    """Of ids of facts, entities and records, those that readers see until a run forgets them."""
    told = unfinished(reader.state, reader.namespace)
    gone = {each for one in told for each in one.records}
    if (moment := gone_until(told)) is not None:
        before = (pl.col("occurred_at") <= pl.lit(moment)).fill_null(value=True)
        logs = reader.table(RAW_LOGS, ["record_id", "occurred_at"])
        gone |= set(logs.filter(before).collect()["record_id"])
    if gone:
        tables = {table.name: reader.table(table) for table in READS}
        gone |= left_with_nothing(gone, tables, reader.state.policy)
    return [id_ for id_ in ids if id_ in gone]


def _names(state: State, wanted: Target) -> list[ForgottenName]:
    if wanted.target_type == NAME:
        return [name_of(wanted.id)]
    if wanted.target_type != "entity":
        return []
    entities = state.warehouse.read(MEMORY_ENTITIES, namespace=wanted.namespace).collect()
    return names_of(entities, [wanted.id])


def _rows_made_of(state: State, namespace: str, pattern: str) -> set[str]:
    """Records of which rows were made that name it, though they may not: in words of a model."""
    made = [
        rows_named(state, table, namespace, pattern, ["record_id"])["record_id"]
        for table in TABLES.values()
        if "record_id" in table.columns and table.words
    ]
    return {record for each in made for record in each.drop_nulls()}


def _until(state: State, namespace: str, key: bytes) -> dict[str, object]:
    """Up to now, or to the last event of a namespace whose clock was ahead.

    What is absurdly late, or has no time, is told by digests: else all such that is still to come
    would go with it.
    """
    heads = state.warehouse.read(RECORDS, namespace=namespace, columns=list(MARKED)).collect()
    latest = watermark(dated(heads, state.policy))
    until = max(datetime.now(UTC), latest)
    untold = heads.filter((pl.col("occurred_at") > until).fill_null(value=True))
    moment = until.isoformat()
    return {"digests": digests(untold, key), "at": moment, "until": moment, "undated": False}
