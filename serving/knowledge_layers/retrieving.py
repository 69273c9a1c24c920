"""One question to the three layers, and one answer of what they know."""

from collections.abc import Collection, Iterable, Iterator

from cairn.serving.knowledge_layers.items import (
    Edge,
    KnowledgeType,
    Node,
    Relation,
    Retrieved,
    Scored,
    by_score,
)
from cairn.serving.knowledge_layers.stores import GraphStore, Stores

TOP_K = 5
DEPTH = 1


def retrieve(
    stores: Stores,
    query: str,
    entity_id: str | None = None,
    top_k: int = TOP_K,
    *,
    about_it: bool = False,
    knowledge_types: Iterable[KnowledgeType | str] | None = None,
    tags: Iterable[str] = (),
    graph_traversal_depth: int = DEPTH,
) -> Retrieved:
    """What is known: profiles, pieces near to the query, and what lies around the entity.

    A piece on an edge that is reached in n steps along the edges has the score 1/n. A piece that is
    found in several ways counts once, with its highest score.

    Args:
        stores: The three layers.
        query: What is asked; an empty one searches no pieces.
        entity_id: Whose profile is given, and where the graph is entered.
        top_k: Pieces of the search, at most; pieces on edges are bounded by the depth alone.
        about_it: Search only pieces about the entity, or about none.
        knowledge_types: Only pieces of these types.
        tags: Only pieces that have all of these.
        graph_traversal_depth: Steps from the entity, at most; 0 leaves the graph out.

    Raises:
        ValueError: a knowledge type that there is not, or a bound below 0.
    """
    if top_k < 0 or graph_traversal_depth < 0:
        raise ValueError("top_k and graph_traversal_depth cannot be below 0")
    types = None if knowledge_types is None else frozenset(map(KnowledgeType, knowledge_types))
    wanted = frozenset(tag.casefold() for tag in tags)
    profile = stores.metadata.metadata(entity_id) if entity_id else None
    entity = profile.entity_id if profile else entity_id
    found: Iterable[Scored] = ()
    if query.strip() and top_k:
        found = stores.pieces.search(
            query, top_k, entity_id=entity if about_it else None, knowledge_types=types, tags=wanted
        )
    relations = _relations(stores, entity, graph_traversal_depth) if entity else []
    reached = [
        Scored(relation.piece, 1 / relation.depth)
        for relation in relations
        if relation.piece and relation.piece.passes(types, wanted)
    ]
    return Retrieved(
        entity_id=entity,
        metadata=profile,
        global_metadata=stores.metadata.global_metadata(),
        pieces=tuple(_best([*found, *reached])),
        graph_context=tuple(sorted(relations, key=by_relation)),
    )


def by_relation(relation: Relation) -> tuple[str, str, int, tuple[str, ...]]:
    """The order of relations: type, target, then whatever tells two of them apart."""
    edge = relation.edge
    return edge.edge_type, edge.target_id, relation.depth, edge.key


def _best(found: Iterable[Scored]) -> list[Scored]:
    """Each piece once, with its highest score, which is brought within 0 and 1."""
    best: dict[str, Scored] = {}
    for one in found:
        score = min(1.0, max(0.0, one.score))  # what is no number is 0
        before = best.get(one.piece.piece_id)
        if before is None or score > before.score:
            best[one.piece.piece_id] = Scored(one.piece, score)
    return sorted(best.values(), key=by_score)


def _relations(stores: Stores, entity_id: str, depth: int) -> list[Relation]:
    steps = list(_walk(stores.graph, entity_id, depth))
    pieces = stores.pieces.pieces({edge.piece_id for edge, _, _ in steps if edge.piece_id})
    return [
        Relation(edge, target, step, pieces.get(edge.piece_id or ""))
        for edge, target, step in steps
    ]


def _walk(graph: GraphStore, start: str, depth: int) -> Iterator[tuple[Edge, Node, int]]:
    """Edges along their direction, breadth first: each once, at the fewest steps that reach it.

    A node is left once, so a cycle ends. An edge from or to a node that is not there is none.
    """
    seen: Collection[str] = graph.nodes([start]).keys()
    level = seen
    for step in range(1, depth + 1):
        edges = {edge.key: edge for edge in graph.edges(sorted(level))}
        targets = graph.nodes({edge.target_id for edge in edges.values()})
        for key in sorted(edges):
            edge = edges[key]
            if edge.target_id in targets:
                yield edge, targets[edge.target_id], step
        level = targets.keys() - seen
        seen = {*seen, *level}
