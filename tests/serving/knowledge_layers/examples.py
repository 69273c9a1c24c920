"""A small knowledge of two invented people, for the tests of the layers."""

from cairn.serving.knowledge_layers.cache import HeldGraph, HeldMetadata, HeldPieces
from cairn.serving.knowledge_layers.items import Edge, KnowledgeType, Metadata, Node, Piece
from cairn.serving.knowledge_layers.stores import Stores

PROFILES = [
    Metadata("ada", "person", {"name": "Ada", "city": "Ghent", "phone": None}),
    Metadata("global", "namespace", {"language": "English"}),
]

PIECES = [
    Piece(
        "p1", "Ada drinks tea.", KnowledgeType.PREFERENCE, "user_profile", ("tea", "drinks"), "ada"
    ),
    Piece("p2", "Ben repairs clocks.", tags=("work",), entity_id="ben"),
    Piece("p3", "Brew tea at 80 degrees.", KnowledgeType.PROCEDURE, "skills", ("Tea",)),
    Piece("p4", "Ada and Ben share a workshop.", entity_id="ada"),
    Piece("p5", "It is four o'clock.", embedding_text="when is tea time", entity_id="ben"),
]  # fmt: skip

NODES = [
    Node("ada", "person", "Ada"),
    Node("ben", "person", "Ben"),
    Node("shop", "place", "Clock Street 4"),
]

EDGES = [
    Edge("ada", "ben", "KNOWS", {"piece_id": "p4", "description": "from the workshop"}),
    Edge("ben", "shop", "WORKS_AT", {"piece_id": "p2"}),
    Edge("ben", "ada", "KNOWS"),
    Edge("ada", "shop", "OWNS"),
    Edge("shop", "shop", "IS", {"piece_id": "nowhere"}),
    Edge("ada", "gone", "KNEW", {"piece_id": "p5"}),
]


def stores(
    profiles: list[Metadata] = PROFILES,
    pieces: list[Piece] = PIECES,
    nodes: list[Node] = NODES,
    edges: list[Edge] = EDGES,
) -> Stores:
    return Stores(HeldMetadata(profiles), HeldPieces(pieces), HeldGraph(nodes, edges))
