"""What keeps the three layers: a small protocol for each."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from typing import NamedTuple, Protocol

from cairn.knowledge.llm.fence import fenced
from cairn.serving.knowledge_layers.items import Edge, KnowledgeType, Metadata, Node, Piece, Scored


class MetadataStore(Protocol):
    """Profiles of entities."""

    def metadata(self, entity: str) -> Metadata | None:
        """The profile of an entity by its id, or by a name where the store knows names.

        What comes back has the id by which pieces and graph know the entity.
        """
        ...

    def global_metadata(self) -> Metadata | None:
        """The profile that holds whomever is asked about."""
        ...

    def close(self) -> None:
        """Lets go of what is open."""
        ...


class PieceStore(Protocol):
    """Pieces of knowledge, to search and to look up."""

    def search(
        self,
        query: str,
        top_k: int,
        *,
        entity_id: str | None = None,
        knowledge_types: frozenset[KnowledgeType] | None = None,
        tags: frozenset[str] = frozenset(),
    ) -> Sequence[Scored]:
        """The `top_k` pieces nearest to a query, scores 0 to 1.

        Args:
            query: What is asked; never empty.
            top_k: How many, at most.
            entity_id: Only what is about this entity, or about none.
            knowledge_types: Only these; None for all.
            tags: Only what has all of these, in lower case.
        """
        ...

    def pieces(self, piece_ids: Collection[str]) -> Mapping[str, Piece]:
        """Pieces by id; ids that are not known are left out."""
        ...

    def close(self) -> None:
        """Lets go of what is open."""
        ...


class GraphStore(Protocol):
    """Entities as nodes, and typed edges between them."""

    def nodes(self, node_ids: Collection[str]) -> Mapping[str, Node]:
        """Nodes by id; ids that are not known are left out."""
        ...

    def edges(self, source_ids: Collection[str]) -> Sequence[Edge]:
        """Edges that start at any of these nodes."""
        ...

    def close(self) -> None:
        """Lets go of what is open."""
        ...


class Stores(NamedTuple):
    """The three layers."""

    metadata: MetadataStore
    pieces: PieceStore
    graph: GraphStore

    def fenced(self, text: str) -> str:
        """A text of theirs as it goes into a prompt."""
        return fenced(text)

    def close(self) -> None:
        """Closes every store, each once, the others even if one of them fails."""
        with ExitStack() as closing:
            for store in {id(store): store for store in reversed(self)}.values():
                closing.callback(store.close)


class LayerSource(Protocol):
    """What gives the layers anew for each question."""

    def __call__(self) -> Stores:
        """The layers as they are now."""
        ...

    def close(self) -> None:
        """Closes them."""
        ...
