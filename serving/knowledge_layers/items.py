"""What the layers hold: profiles, pieces of knowledge, nodes and edges; and what is found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class KnowledgeType(StrEnum):
    """What kind of knowledge a piece is."""

    FACT = "fact"
    INSTRUCTION = "instruction"
    PREFERENCE = "preference"
    PROCEDURE = "procedure"
    NOTE = "note"
    EPISODIC = "episodic"


USER_PROFILE, INSTRUCTIONS, CONTEXT, SKILLS = "user_profile", "instructions", "context", "skills"
"""Sections of a prompt that pieces usually go to; an info type may be any other text too."""

GLOBAL = "global"
"""The entity whose profile is everybody's."""


@dataclass(frozen=True)
class Piece:
    """One piece of knowledge. `embedding_text` is searched in its place, if there is one."""

    piece_id: str
    content: str
    knowledge_type: KnowledgeType = KnowledgeType.FACT
    info_type: str = CONTEXT
    tags: tuple[str, ...] = ()
    entity_id: str | None = None
    """The entity that it is about; None if it is about none, or all."""
    embedding_text: str | None = None
    confidence: float = 1.0

    def passes(
        self, knowledge_types: frozenset[KnowledgeType] | None, tags: frozenset[str]
    ) -> bool:
        """Whether it is of one of the types (None: of any), and has all the tags."""
        typed = knowledge_types is None or self.knowledge_type in knowledge_types
        return typed and tags <= {tag.casefold() for tag in self.tags}


@dataclass(frozen=True)
class Metadata:
    """The profile of an entity."""

    entity_id: str
    entity_type: str
    properties: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Node:
    """An entity in the graph; its id is the entity's."""

    node_id: str
    node_type: str
    label: str


@dataclass(frozen=True)
class Edge:
    """How one entity stands to another, and the piece that says so, if there is one."""

    source_id: str
    target_id: str
    edge_type: str
    properties: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def piece_id(self) -> str | None:
        """The piece that says so."""
        return self.properties.get("piece_id")

    @property
    def description(self) -> str:
        """The edge in words; empty if nobody gave any."""
        return self.properties.get("description") or ""

    @property
    def key(self) -> tuple[str, str, str, str, str]:
        """By what two edges are the same, and in what order they stand: type, then target."""
        return (
            self.edge_type, self.target_id, self.source_id, self.piece_id or "", self.description,
        )  # fmt: skip


@dataclass(frozen=True)
class Scored:
    """A piece with its score, 0 to 1."""

    piece: Piece
    score: float


@dataclass(frozen=True)
class Relation:
    """An edge that was reached, its target, in how many steps, and its piece, if one is known."""

    edge: Edge
    target: Node
    depth: int
    piece: Piece | None = None


@dataclass(frozen=True)
class Retrieved:
    """What the layers know: profiles, pieces by (-score, piece_id), edges by type and target."""

    entity_id: str | None = None
    metadata: Metadata | None = None
    global_metadata: Metadata | None = None
    pieces: tuple[Scored, ...] = ()
    graph_context: tuple[Relation, ...] = ()


def by_score(scored: Scored) -> tuple[float, str]:
    """The order of pieces: the best first, ties by id."""
    return -scored.score, scored.piece.piece_id
