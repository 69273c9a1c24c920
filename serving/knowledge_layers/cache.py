"""The three layers in memory: for tests, and for knowledge that one document holds."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from cairn.knowledge.nlp.text import STOP_WORDS, words
from cairn.knowledge.nlp.vocabulary import stem
from cairn.serving.knowledge_layers import items


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
    """Pieces that are searched by their words: the score is the share of the query's words."""

    def __init__(self, pieces: Iterable[items.Piece] = ()) -> None:
        self._pieces = {piece.piece_id: piece for piece in pieces}
        self._stems = {
            id_: _stems(piece.embedding_text or piece.content)
            for id_, piece in self._pieces.items()
        }

    def search(
        self,
        query: str,
        top_k: int,
        *,
        entity_id: str | None = None,
        knowledge_types: frozenset[items.KnowledgeType] | None = None,
        tags: frozenset[str] = frozenset(),
    ) -> Sequence[items.Scored]:
        """Pieces that have words of the query; stop words count where it has no other."""
        said = frozenset(words(query))
        wanted = _stems(" ".join(said - STOP_WORDS)) or _stems(query)
        if not wanted:
            return []
        found = [
            items.Scored(piece, len(wanted & self._stems[id_]) / len(wanted))
            for id_, piece in self._pieces.items()
            if entity_id is None or piece.entity_id in (entity_id, None)
            if piece.passes(knowledge_types, tags)
        ]
        return sorted((one for one in found if one.score > 0), key=items.by_score)[:top_k]

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


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, words(text)))
