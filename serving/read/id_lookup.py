"""Any id, or the beginning of one: what it is of, and where."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

import polars as pl

from cairn.knowledge.nlp.text import suggestion
from cairn.knowledge.schema import tables
from cairn.resources.context import State
from cairn.resources.warehouse.publication import namespaces
from cairn.serving.read.reader import Reader, open_reader

SHORTEST = 3
"""Characters of an id, at least."""

PROPOSED = (
    tables.CANDIDATES,
    tables.REJECTED_FACTS,
    tables.KNOWN_ONLY_CANDIDATES,
    tables.THEME_FACTS,
)
"""Tables of candidates; all but the first say why one was refused."""

KINDS: tuple[tuple[str, tables.Table, str], ...] = (
    ("fact", tables.MEMORY, "fact_id"),
    ("entity", tables.MEMORY_ENTITIES, "entity_id"),
    ("learning", tables.LEARNINGS, "learning_id"),
    ("theme", tables.THEMES, "theme_id"),
    ("cluster", tables.CLUSTERS, "cluster_id"),
    ("conversation", tables.CONVERSATIONS, "conversation_id"),
    ("record", tables.RAW_LOGS, "record_id"),
    *(("candidate", table, "candidate_id") for table in PROPOSED),
    ("merge", tables.MERGES, "merge_id"),
    ("evidence", tables.EVIDENCE, "evidence_id"),
    ("practice", tables.PRACTICES, "practice_id"),
    ("fix", tables.ERROR_SIGNATURES, "fix_id"),
    ("project_fact", tables.PROJECT_FACTS, "project_fact_id"),
)
"""What an id may be of, with the table and column where it stands. An episode is its record."""


COUNTED = frozenset({"practice", "fix", "project_fact"})
"""Kinds that are counted from what was run and edited: nobody says that they are true or not."""


PIECE_ID = r"^[a-z]{1,2}_[0-9a-f]{4,}$"
"""How the id of a piece of memory looks, or its beginning."""


class UnknownId(Exception):  # noqa: N818  what a person is told
    """Nothing has that id, or several things do; the message says which."""


class Thing(NamedTuple):
    """Something with an id."""

    reader: Reader
    kind: str
    id: str


def find(state: State, start: str, namespace: str | None = None) -> Thing:
    """The one thing whose id is `start`, or begins with it, in any namespace unless one is named.

    Raises:
        UnknownId: there is none, or there are several.
        NothingPublished: nothing is, or not in that namespace.
    """
    long_enough(start)
    names = [namespace] if namespace else namespaces(state.home)
    readers = [open_reader(state, name) for name in names] or [open_reader(state)]
    places = {
        (reader.namespace, kind, id_): Thing(reader, kind, id_)
        for reader in readers
        for kind, table, column in KINDS
        for id_ in matching(reader, table, column, start)
    }
    found = list(places.values())
    exact = [thing for thing in found if thing.id == start]
    if len(chosen := exact or found) == 1:
        return chosen[0]
    if not found:
        where = f"namespace {namespace}" if namespace else "what is published"
        raise UnknownId(f"no fact, entity, learning, record, … in {where} has the id {start}")
    if exact:
        several = ", ".join(f"{thing.kind} in {thing.reader.namespace}" for thing in exact)
        raise UnknownId(f"{start} is {several}; choose with --namespace")
    raise of_several(start, {thing.id for thing in found})


def long_enough(start: str) -> None:
    """Refuses what begins too many ids.

    Raises:
        UnknownId: it has fewer than SHORTEST characters.
    """
    if len(start) < SHORTEST:
        raise UnknownId(f"{start!r} is too short for the beginning of an id")


def id_begun(start: str, known: Iterable[str], unknown: str) -> str:
    """The id that is meant by it whole, or by its beginning.

    Raises:
        UnknownId: none of these begins so, as `unknown` says, or several do.
    """
    long_enough(start)
    found = {id_ for id_ in known if id_.startswith(start)}
    if start in found:
        return start
    if not found:
        raise UnknownId(unknown)
    if len(found) > 1:
        raise of_several(start, found)
    return found.pop()


def of_several(start: str, ids: Collection[str]) -> UnknownId:
    """What a person is told whose beginning of an id is that of several."""
    shown = ", ".join(sorted(ids)[:5]) + (" …" if len(ids) > 5 else "")
    return UnknownId(f"{start} is the beginning of {len(ids)} ids: {shown}")


def entities_called(reader: Reader, name: str) -> pl.DataFrame:
    """Rows of MEMORY_ENTITIES with this name, alias or id; `canonical_id` stands for each.

    Raises:
        UnknownId: there is none.
    """
    wanted = name.casefold()

    def is_it(text: pl.Expr) -> pl.Expr:
        return text.str.to_lowercase() == wanted

    named = (
        reader.entities()
        .filter(
            (pl.col("entity_id") == name)
            | is_it(pl.col("name"))
            | is_it(pl.col("display_name"))
            | pl.col("aliases").list.eval(is_it(pl.element())).list.any()
        )
        .collect()
    )
    if named.is_empty():
        names = reader.entities().select("name").unique().collect()["name"].sort().to_list()
        meant = suggestion(wanted, names)
        raise UnknownId(f"no entity is called {name!r}{meant}; see `cairn entities`")
    return named


def exactly(reader: Reader, id_: str) -> Thing | None:
    """What has just this id in the reader's namespace."""
    ids = pl.Series([id_])
    for kind, table, column in KINDS:
        there = (
            reader.memory(ids).select(column).collect()
            if table is tables.MEMORY
            else reader.rows(table, column, ids, [column])
        )
        if there.height:
            return Thing(reader, kind, id_)
    return None


def matching(reader: Reader, table: tables.Table, column: str, start: str) -> list[str]:
    """Ids in a column of a table that are `start`, or begin with it."""
    found = (
        reader.table(table, [column])
        .filter(pl.col(column).str.starts_with(start))
        .unique()
        .sort(column)
        .head(100)
        .collect()
    )
    return found[column].to_list()
