"""The three layers in memory: for tests, and for knowledge that one document holds."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property

import polars as pl

from cairn.knowledge.schema.calendar import EPOCH
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.vectors.model import Embedder
from cairn.resources.embedders.choice import load_embedder
from cairn.resources.vector_index.bm25 import Words
from cairn.resources.vector_index.filters import Condition
from cairn.resources.vector_index.flat import FlatIndex, flat_index
from cairn.resources.vector_index.protocol import prepared
from cairn.serving.knowledge_layers import items
from cairn.serving.retrieval.ranking import PublishedHit, about, diverse, per_arm, scored


class HeldMetadata:
    """Profiles by the id of their entity; that of `global` is everybody's."""

    def __init__(self, profiles: Iterable[items.Metadata] = ()) -> None:
        self._profiles = {profile.entity_id: profile for profile in profiles}

    def metadata(self, entity: str) -> items.Metadata | None:
        """The profile of an entity."""
        return None if entity == items.GLOBAL else self._profiles.get(entity)

    def global_metadata(self) -> items.Metadata | None:
        """The profile of the entity `global`."""
        return self._profiles.get(items.GLOBAL)

    def close(self) -> None:
        """Nothing is open."""


class HeldPieces:
    """Pieces that are searched as served ones are: by their vectors, words and tags.

    The score is that of a search, 0.6 similarity + 0.3 confidence: nothing here has a time.
    """

    def __init__(self, pieces: Iterable[items.Piece] = ()) -> None:
        self._pieces = {piece.piece_id: piece for piece in pieces}
        self._policy = Policy.model_validate({})
        self._words = Words()

    def search(
        self,
        query: str,
        top_k: int,
        *,
        entity_id: str | None = None,
        knowledge_types: frozenset[items.KnowledgeType] | None = None,
        tags: frozenset[str] = frozenset(),
    ) -> Sequence[items.Scored]:
        """Pieces about the query, of those that say the same one; none where none is near."""
        wanted = [Condition("tags", "any", [tag]) for tag in sorted(tags)]
        if entity_id is not None:
            wanted.append(Condition("entity_id", "any", [entity_id], or_absent=True))
        if knowledge_types is not None:
            wanted.append(Condition("knowledge_type", "any", sorted(map(str, knowledge_types))))
        vector = self._embedder.embed_query(query)
        hits = self._index.search(
            self._words.asked(query),
            vector.tolist() if vector.any() else None,
            wanted,
            per_arm(top_k, self._policy),
            self._words.telling(query),
        )
        told = [
            PublishedHit(_text(piece), confidence=piece.confidence, context=" ".join(piece.tags))
            for piece in (self._pieces[hit.id] for hit in hits)
        ]
        best = scored(query, hits, told, EPOCH, self._embedder, self._policy)
        near = diverse(about(best, self._policy), self._embedder, self._policy)
        found = [items.Scored(self._pieces[one.hit.id], one.score) for one in near]
        return sorted(found, key=items.by_score)[:top_k]

    @cached_property
    def _embedder(self) -> Embedder:
        return load_embedder(self._policy.embedder)

    @cached_property
    def _index(self) -> FlatIndex:
        pieces = list(self._pieces.values())
        texts = [_text(piece) for piece in pieces]
        vectors = self._embedder.embed(texts)
        points = pl.DataFrame(
            {
                "id": [piece.piece_id for piece in pieces],
                "kind": ["fact" for _ in pieces],
                "text": texts,
                "context": [" ".join(piece.tags) for piece in pieces],
                "vector": [vector.tolist() if vector.any() else None for vector in vectors],
                "entity_id": [piece.entity_id for piece in pieces],
                "knowledge_type": [str(piece.knowledge_type) for piece in pieces],
                "tags": [[tag.casefold() for tag in piece.tags] for piece in pieces],
            },
            schema_overrides={
                **dict.fromkeys(("id", "kind", "text", "context", "entity_id"), pl.String()),
                "knowledge_type": pl.String(),
                "vector": pl.List(pl.Float32()),
                "tags": pl.List(pl.String()),
            },
        )
        rows = prepared("held", points, vectors.shape[1])
        return flat_index(rows, vectors.shape[1], self._words.told, None)

    def pieces(self, piece_ids: Collection[str]) -> Mapping[str, items.Piece]:
        """Pieces by id."""
        return {id_: self._pieces[id_] for id_ in piece_ids if id_ in self._pieces}

    def close(self) -> None:
        """Nothing is open."""


class HeldGraph:
    """Nodes and edges."""

    def __init__(self, nodes: Iterable[items.Node] = (), edges: Iterable[items.Edge] = ()) -> None:
        self._nodes = {node.node_id: node for node in nodes}
        self._edges: dict[str, list[items.Edge]] = {}
        for edge in edges:
            self._edges.setdefault(edge.source_id, []).append(edge)

    def nodes(self, node_ids: Collection[str]) -> Mapping[str, items.Node]:
        """Nodes by id."""
        return {id_: self._nodes[id_] for id_ in node_ids if id_ in self._nodes}

    def edges(self, source_ids: Collection[str]) -> Sequence[items.Edge]:
        """Edges that start at any of these nodes."""
        return [edge for id_ in source_ids for edge in self._edges.get(id_, [])]

    def close(self) -> None:
        """Nothing is open."""


def _text(piece: items.Piece) -> str:
    return piece.embedding_text or piece.content
