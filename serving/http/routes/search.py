"""Routes that ask: search, what belongs into the next prompt, what the three layers know."""

from typing import Annotated, Any

from fastapi import Query

from resources.vector_index.protocol import Filters
from serving.http.answers import Context, Knowledge, Results
from serving.http.auth import Asked
from serving.http.parameters import (
    At,
    ContextBody,
    KnowledgeBody,
    SearchBody,
    Searched,
    SearchParameters,
)
from serving.http.routes.router import Routes
from serving.knowledge_layers.formatting import Formatter
from serving.knowledge_layers.items import Relation, Scored
from serving.knowledge_layers.reader import published
from serving.knowledge_layers.retrieving import retrieve
from serving.knowledge_layers.routing import route
from serving.knowledge_layers.stores import Stores
from serving.query import listing
from serving.read.reader import Reader
from serving.retrieval.context import as_text, offer
from serving.retrieval.search import answer, served

router = Routes(prefix="/v1", tags=["asking"])


@router.get("/search", response_model=Results)
def search(asked: Asked, wanted: Annotated[SearchParameters, Query()]) -> dict[str, Any]:
    """Find facts, episodes and learnings, each with where it comes from.

    Words that say when ("in March", "last spring") become days, and `said` tells which.
    """
    return _found(asked.reader(wanted.namespace, wanted.as_of, wanted.true_at), wanted)


@router.post("/search", response_model=Results)
def search_by_body(asked: Asked, at: Annotated[At, Query()], wanted: SearchBody) -> dict[str, Any]:
    """Find the same, by words that stand in no address."""
    return _found(asked.reader(at.namespace, at.as_of, at.true_at), wanted)


@router.post("/context", response_model=Context)
def context(asked: Asked, at: Annotated[At, Query()], said: ContextBody) -> dict[str, Any]:
    """Tell what belongs into the next prompt: by the last two turns, and by the message.

    `streamed` bears on the turns before; it can be made ready between turns. `known` is what is
    known of what the message names, and whether that is enough to do without a search; `found` is
    what a search for the message finds: facts, episodes and learnings, each sure enough to be told.
    `text` has the turns and what of memory fits the budget.
    """
    reader = asked.reader(at.namespace, at.as_of, at.true_at)
    made = offer(reader, said.message, said.turns, said.tool_results, said.system, said.budget)
    return _head(reader) | {
        "streamed": made.streamed,
        "found": made.found,
        "known": made.known,
        "memories": made.context.streamed,
        "tokens": made.context.tokens,
        "text": made.context.text,
    }


class Layers:
    """The layers of what is published now, by namespace: what they read of it is read once."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[Reader, Stores]] = {}

    def of(self, reader: Reader) -> Stores:
        """The layers of a reader that looks from the latest event."""
        last = self._last.get(reader.namespace)
        if last is None or last[0].held is not reader.held:
            last = self._last[reader.namespace] = reader, published(reader)
        return last[1]


@router.post("/knowledge", response_model=Knowledge)
def knowledge(asked: Asked, at: Annotated[At, Query()], wanted: KnowledgeBody) -> dict[str, Any]:
    """Ask the three layers: profiles, pieces near to the query, and the graph around an entity."""
    reader = asked.reader(at.namespace, at.as_of, at.true_at)
    layers: Layers = asked.request.app.state.layers
    stores = published(reader) if at.as_of or at.true_at else layers.of(reader)
    found = retrieve(
        stores,
        wanted.query,
        wanted.entity,
        wanted.top_k,
        about_it=wanted.about_it,
        knowledge_types=wanted.knowledge_types,
        tags=wanted.tags,
        graph_traversal_depth=wanted.graph_traversal_depth,
    )
    written = Formatter()
    return _head(reader) | {
        "entity_id": found.metadata.entity_id if found.metadata else None,
        "text": stores.fenced(written(found)),
        "by_info_type": {
            info_type: stores.fenced(written(part))
            for info_type, part in route(found, found.entity_id).items()
        },
        "metadata": found.metadata,
        "global_metadata": found.global_metadata,
        "pieces": map(_piece, found.pieces),
        "graph_context": map(_relation, found.graph_context),
    }


def _found(reader: Reader, wanted: Searched) -> dict[str, Any]:
    days = (
        wanted.from_day and wanted.from_day.isoformat(),
        wanted.to_day and wanted.to_day.isoformat(),
    )
    only = Filters(
        statuses=[wanted.status] if wanted.status else None,
        entity_ids=listing.named(reader, wanted.entity) if wanted.entity else None,
        predicates=[wanted.predicate] if wanted.predicate else None,
        categories=[wanted.category] if wanted.category else None,
        knowledge_types=[wanted.knowledge_type] if wanted.knowledge_type else None,
        sources=[wanted.source] if wanted.source else None,
        from_day=days[0],
        to_day=days[1],
    )
    its = answer(reader, wanted.query, wanted.type, wanted.limit, wanted.min_confidence, only)
    served(reader, its)
    return _head(reader) | {
        "query": wanted.query,
        "said": its.said,
        "from_day": its.from_day or days[0],
        "to_day": its.to_day or days[1],
        "results": its.results,
        "text": as_text(reader, its.results),
    }


def _piece(scored: Scored) -> dict[str, Any]:
    piece = scored.piece
    return {
        "piece_id": piece.piece_id,
        "content": piece.content,
        "knowledge_type": str(piece.knowledge_type),
        "info_type": piece.info_type,
        "tags": piece.tags,
        "entity_id": piece.entity_id,
        "confidence": piece.confidence,
        "score": scored.score,
    }


def _relation(relation: Relation) -> dict[str, Any]:
    edge, target = relation.edge, relation.target
    return {
        "source_id": edge.source_id,
        "edge_type": edge.edge_type,
        "target_id": edge.target_id,
        "target_type": target.node_type,
        "target_label": target.label,
        "piece_id": edge.piece_id,
        "depth": relation.depth,
    }


def _head(reader: Reader) -> dict[str, Any]:
    return {"namespace": reader.namespace, "as_of": reader.as_of}
