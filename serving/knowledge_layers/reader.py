"""The three layers over what was published of a namespace."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

import polars as pl

from cairn.knowledge.consolidation.verdicts.standing import STANDING
from cairn.knowledge.llm.fence import fenced
from cairn.knowledge.schema.fact_types import INFO_TYPES, NAME_PREDICATES, is_event
from cairn.knowledge.schema.learning_categories import CATEGORIES, NOTED
from cairn.knowledge.schema.predicates import FREE_STATEMENTS
from cairn.knowledge.schema.tables import LEARNINGS
from cairn.resources.vector_index.protocol import Filters
from cairn.serving.knowledge_layers.edges import entity_edges
from cairn.serving.knowledge_layers.items import (
    CONTEXT,
    GLOBAL,
    Edge,
    KnowledgeType,
    Metadata,
    Node,
    Piece,
    Scored,
    by_score,
)
from cairn.serving.knowledge_layers.stores import Stores
from cairn.serving.query.briefs import project_brief
from cairn.serving.query.utility import utility
from cairn.serving.read.reader import Reader
from cairn.serving.retrieval.search import search_memory
from cairn.serving.retrieval.token_budget import LARGEST_BRIEF, SMALLEST_BRIEF

LEARNT = {
    KnowledgeType.PROCEDURE: tuple(sorted(set(CATEGORIES) - NOTED)),
    KnowledgeType.NOTE: tuple(sorted(NOTED)),
}
"""What kind of knowledge learnings are, by their category."""

TAGGED_FROM = 200
"""Results among which those with all tags are looked for; the index knows any of several."""

NAMED = 5
"""Projects, and people, that the profile of the namespace names."""

LONGEST = 80
"""Characters of a value that a profile shows."""


class View:
    """What all three layers read of one published state; each part is read once."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    @cached_property
    def entities(self) -> pl.DataFrame:
        """Entities, those that were mentioned most first."""
        return (
            self.reader.entities().sort("mentions", "entity_id", descending=[True, False]).collect()
        )

    @cached_property
    def unasked(self) -> pl.DataFrame:
        """Knowledge that is sure enough to be given unasked, and true."""
        return (
            self.reader.memory()
            .filter(
                ~is_event(),
                pl.col("status").is_in(STANDING),
                pl.col("effective") > self.reader.state.policy.passive_above,
            )
            .select(
                "fact_id", "entity_id", "predicate", "object", "effective", "source_record_ids"
            )
            .collect()
        )  # fmt: skip

    @cached_property
    def values(self) -> pl.DataFrame:
        """Values of entities that have one."""
        return single_values(self.unasked)

    @cached_property
    def edges(self) -> Mapping[str, list[Edge]]:
        """Edges by the node that they start at."""
        found: dict[str, list[Edge]] = {}
        for row in entity_edges(self.unasked, self.entities).iter_rows(named=True):
            edge = Edge(
                row["source_id"], row["target_id"], row["edge_type"], {"piece_id": row["fact_id"]}
            )
            found.setdefault(edge.source_id, []).append(edge)
        return found

    @cached_property
    def nodes(self) -> Mapping[str, Node]:
        """Entities that stand for themselves."""
        rows = self.entities.filter(pl.col("canonical_id") == pl.col("entity_id"))
        columns = ("entity_id", "type", "display_name")
        return {id_: Node(id_, *rest) for id_, *rest in rows.select(columns).iter_rows()}


class PublishedMetadata:
    """Profiles of the entities of a namespace, and one of the namespace."""

    def __init__(self, view: View) -> None:
        self._view = view

    def metadata(self, entity: str) -> Metadata | None:
        """The profile of an entity by its id, or by a name of it: of several, the most mentioned.

        Of one that was merged into another, the other's.
        """
        rows = self._view.entities
        name = entity.casefold()
        named = (
            (pl.col("name") == name)
            | (pl.col("display_name").str.to_lowercase() == name)
            | pl.col("aliases").list.eval(pl.element().str.to_lowercase()).list.contains(name)
        )
        found = rows.filter(entity_id=entity)
        found = rows.filter(named).head(1) if found.is_empty() else found
        own = rows.filter(pl.col("entity_id").is_in(found["canonical_id"].implode()))
        if own.is_empty():
            return None
        row = own.row(0, named=True)
        # What an earlier moment does not know yet is left out: counts are of all times.
        later = row["last_seen"] is not None and row["last_seen"] > self._view.reader.as_of
        profile = {
            "name": row["display_name"],
            "type": row["type"],
            "aliases": row["aliases"] or None,
            "first_seen": _day(row["first_seen"]),
            "last_seen": None if later else _day(row["last_seen"]),
            "mentions": None if later else row["mentions"],
            "facts": row["active_facts"],
        }
        values = self._view.values.filter(entity_id=row["entity_id"])
        attributes = dict(values.select("predicate", "object").iter_rows())
        return Metadata(row["entity_id"], row["type"], {**attributes, **profile})

    def global_metadata(self) -> Metadata | None:
        """The profile of the namespace: until when is known what, and about whom most.

        With what was ingested as everybody's.
        """
        return self._global

    @cached_property
    def _global(self) -> Metadata:
        reader, rows = self._view.reader, self._view.entities
        own = rows.filter(pl.col("canonical_id") == pl.col("entity_id"))

        def named(type_: str) -> list[str]:
            most = own.filter(type=type_).sort(
                "active_facts", "mentions", "entity_id", descending=[True, True, False]
            )
            return most["display_name"].head(NAMED).to_list()

        properties = {
            "namespace": reader.namespace,
            "as_of": _day(reader.moment),
            "projects": named("project") or None,
            "people": named("person") or None,
        }
        everybody = own.filter(name=GLOBAL, type="topic")
        values = self._view.values.join(everybody.select("entity_id"), on="entity_id", how="semi")
        told = dict(values.select("predicate", "object").iter_rows())
        return Metadata(GLOBAL, "namespace", {**told, **properties})

    def close(self) -> None:
        """Nothing stays open between questions."""


class PublishedPieces:
    """Facts and learnings of a namespace, and episodes where they are asked for."""

    def __init__(self, view: View) -> None:
        self._view = view

    def search(
        self,
        query: str,
        top_k: int,
        *,
        entity_id: str | None = None,
        knowledge_types: frozenset[KnowledgeType] | None = None,
        tags: frozenset[str] = frozenset(),
    ) -> Sequence[Scored]:
        """What a search finds, with its score; episodes only if `episodic` is among the types."""
        limit = max(top_k, TAGGED_FROM) if tags else top_k
        found = {
            one.id: one
            for kind, only in _asked(entity_id, knowledge_types)
            for one in search_memory(self._view.reader, query, kind, limit, only=only)
        }
        pieces = dict(self.pieces([id_ for id_, one in found.items() if one.kind != "episode"]))
        pieces |= {
            id_: Piece(id_, one.text, KnowledgeType.EPISODIC, confidence=one.confidence)
            for id_, one in found.items()
            if one.kind == "episode"
        }
        scored = [
            Scored(piece, found[id_].score)
            for id_, piece in pieces.items()
            if piece.passes(knowledge_types, tags)
        ]
        return sorted(scored, key=by_score)[:top_k]

    def pieces(self, piece_ids: Collection[str]) -> Mapping[str, Piece]:
        """Facts and learnings by id."""
        if not piece_ids:
            return {}
        reader, ids = self._view.reader, pl.Series(sorted(piece_ids))
        facts = reader.memory(ids).collect()
        learnings = reader.rows(LEARNINGS, "learning_id", ids)
        found = [*map(_fact, facts.iter_rows(named=True))]
        found += map(_learning, learnings.iter_rows(named=True))
        return {piece.piece_id: piece for piece in found}

    def close(self) -> None:
        """Nothing stays open between questions."""


class PublishedGraph:
    """Entities of a namespace, and the facts between them."""

    def __init__(self, view: View) -> None:
        self._view = view

    def nodes(self, node_ids: Collection[str]) -> Mapping[str, Node]:
        """Entities by id."""
        known = self._view.nodes
        return {id_: known[id_] for id_ in node_ids if id_ in known}

    def edges(self, source_ids: Collection[str]) -> Sequence[Edge]:
        """The surest edges of each of these entities."""
        known = self._view.edges
        return [edge for id_ in source_ids for edge in known.get(id_, [])]

    def close(self) -> None:
        """Nothing stays open between questions."""


class PublishedStores(Stores):
    """The layers of one published state: their fence says which."""

    reader: Reader

    def fenced(self, text: str) -> str:
        """A text of theirs as it goes into a prompt."""
        return fenced(text, self.reader.namespace, self.reader.manifest.generation)


def published(reader: Reader) -> Stores:
    """The layers of one published state."""
    view = View(reader)
    stores = PublishedStores(PublishedMetadata(view), PublishedPieces(view), PublishedGraph(view))
    stores.reader = reader
    return stores


class Following:
    """The layers of what is published now: one whole state for each question, never half of two.

    Args:
        open_reader: Opens a reader; asked for at each question.
    """

    def __init__(self, open_reader: Callable[[], Reader]) -> None:
        self._open = open_reader
        reader = open_reader()
        self._held = reader, published(reader)

    def __call__(self) -> Stores:
        """The layers."""
        reader = self._open()
        before, stores = self._held
        if not reader.manifest.same_content(before.manifest):
            stores = published(reader)
            self._held = reader, stores
        return stores

    def brief(self, project: str | None, budget: int) -> dict[str, Any]:
        """What to know of a project; see `cairn.serving.query.briefs`."""
        if not SMALLEST_BRIEF <= budget <= LARGEST_BRIEF:
            raise ValueError(f"the budget of a brief is {SMALLEST_BRIEF} to {LARGEST_BRIEF} tokens")
        reader = self._open()
        head = {"namespace": reader.namespace, "as_of": reader.as_of}
        return head | project_brief(reader, project, budget)

    def utility(self, limit: int) -> dict[str, Any]:
        """What came of offers; see `cairn.serving.query.utility`."""
        reader = self._open()
        return {"namespace": reader.namespace, "as_of": reader.as_of} | utility(reader, limit)

    def close(self) -> None:
        """Closes the layers that were asked last."""
        self._held[1].close()


def single_values(facts: pl.DataFrame) -> pl.DataFrame:
    """Values of predicates that hold one at a time: no entity has two.

    Args:
        facts: Facts in force: entity_id, predicate, object.

    Returns:
        entity_id, predicate, object; sorted. Without sentences, names and long values.
    """
    valued = facts.filter(
        ~pl.col("predicate").is_in(list(FREE_STATEMENTS | NAME_PREDICATES)),
        pl.col("object").str.len_chars() <= LONGEST,
    )
    several = valued.filter(pl.len().over("entity_id", "predicate") > 1)["predicate"].unique()
    return (
        valued.filter(~pl.col("predicate").is_in(several.implode()))
        .select("entity_id", "predicate", "object")
        .sort("entity_id", "predicate")
    )


def _asked(
    entity_id: str | None, knowledge_types: frozenset[KnowledgeType] | None
) -> Iterator[tuple[str, Filters]]:
    """Searches that are made, and what their results must be; learnings are about no entity."""
    about = [entity_id] if entity_id else None
    if knowledge_types is None:
        yield "facts", Filters(entity_ids=about)
        yield "learnings", Filters()
        return
    if types := sorted(map(str, knowledge_types)):
        yield "facts", Filters(entity_ids=about, knowledge_types=types)
    if categories := [one for type_ in sorted(knowledge_types) for one in LEARNT.get(type_, ())]:
        yield "learnings", Filters(categories=categories)
    if KnowledgeType.EPISODIC in knowledge_types:
        yield "episodes", Filters()


def _fact(row: Mapping[str, Any]) -> Piece:
    return Piece(
        row["fact_id"],
        row["content"],
        KnowledgeType(row["knowledge_type"]),
        row["info_type"],
        tuple(row["tags"]),
        row["entity_id"],
        confidence=row["effective"],
    )


def _learning(row: Mapping[str, Any]) -> Piece:
    procedure = row["category"] in LEARNT[KnowledgeType.PROCEDURE]
    type_ = KnowledgeType.PROCEDURE if procedure else KnowledgeType.NOTE
    return Piece(
        row["learning_id"],
        f"{row['title']}\n{row['content']}",
        type_,
        INFO_TYPES.get(type_, CONTEXT),
        tuple(row["tags"]),
        confidence=row["confidence"],
    )


def _day(moment: datetime | None) -> str | None:
    return moment.date().isoformat() if moment else None
