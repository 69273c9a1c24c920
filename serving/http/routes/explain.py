"""Routes that follow how things hang together: the graph, and lineage both ways."""

from typing import Annotated, Any

from fastapi import Path, Query

from serving.http.answers import Graph, Uses, Why
from serving.http.auth import Asked
from serving.http.errors import NotThere
from serving.http.parameters import AnyId, At, EntityId, GraphParameters, RecordId
from serving.http.routes.router import Routes
from serving.query import graph as graphs
from serving.query import lineage
from serving.read.reader import Reader

router = Routes(prefix="/v1", tags=["tracing"])

ANY_ID = Path(
    alias="id",
    description="Of a fact, entity, learning, episode, conversation, record, candidate, …",
    examples=["f_1c0ad2398567ecbb"],
)


@router.get("/graph/{entity_id}", response_model=Graph)
def graph(
    asked: Asked, entity_id: EntityId, wanted: Annotated[GraphParameters, Query()]
) -> dict[str, Any]:
    """Tell what lies around an entity, along its relations in either direction."""
    reader = asked.reader(wanted.namespace, wanted.as_of, wanted.true_at)
    found = graphs.around(
        reader, entity_id, wanted.depth, wanted.limit, structural=wanted.structural
    )
    return _told(reader, found, "no entity has that id")


@router.get("/why/{id}", response_model=Why)
def why(asked: Asked, id_: Annotated[AnyId, ANY_ID], at: Annotated[At, Query()]) -> dict[str, Any]:
    """Tell why something is here: fact → quote → record → file and line, and all that is known."""
    reader = asked.reader(at.namespace, at.as_of, at.true_at)
    return _told(reader, lineage.why(reader, id_), "nothing has that id")


@router.get("/uses/{record_id}", response_model=Uses)
def uses(asked: Asked, record_id: RecordId, at: Annotated[At, Query()]) -> dict[str, Any]:
    """Tell what depends on a record: its episode, facts, learnings, entities it introduced."""
    reader = asked.reader(at.namespace, at.as_of, at.true_at)
    return _told(reader, lineage.uses(reader, record_id), "no record has that id")


def _told(reader: Reader, found: dict[str, Any] | None, otherwise: str) -> dict[str, Any]:
    """What was found, and of what.

    Raises:
        NotThere: nothing was.
    """
    if found is None:
        raise NotThere(otherwise)
    return {"namespace": reader.namespace, "as_of": reader.as_of} | found
