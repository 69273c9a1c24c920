"""The route that asks three layers of knowledge."""

from typing import Annotated, Any

from fastapi import Query

from cairn.serving.http.auth import Asked
from cairn.serving.http.routes.router import Routes
from cairn.serving.knowledge_layers.formatting import Formatter
from cairn.serving.knowledge_layers.items import Relation, Scored
from cairn.serving.knowledge_layers.reader import published
from cairn.serving.knowledge_layers.retrieving import retrieve
from cairn.serving.knowledge_layers.routing import route
from cairn.serving.knowledge_layers.stores import Stores
from cairn.serving.models.answers import KnowledgeAnswer
from cairn.serving.models.bodies import KnowledgeBody
from cairn.serving.models.parameters import At
from cairn.serving.read.reader import Reader

router = Routes(prefix="/v1", tags=["asking"])


class Layers:
    """The layers of what is published now, by namespace: what they read of it is read once."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[Reader, Stores]] = {}

    def of(self, reader: Reader) -> Stores:
        """The layers of a reader that looks from the latest event."""
        last = self._last.get(reader.namespace)
        if last is None or last[0].cached is not reader.cached:
            last = self._last[reader.namespace] = reader, published(reader)
        return last[1]


@router.post("/knowledge", response_model=KnowledgeAnswer)
def knowledge(asked: Asked, at: Annotated[At, Query()], wanted: KnowledgeBody) -> dict[str, Any]:
    """Ask the three layers: profiles, pieces near to the query, and the graph around an entity."""
    reader = asked.reader(at)
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
