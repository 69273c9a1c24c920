"""The route that tells: an event for the inbox."""

from typing import Annotated, Any

from fastapi import Query

from knowledge.identity import record_id
from serving.http.access import Asked
from serving.http.answers import Received
from serving.http.parameters import EventBody, Parameters
from serving.http.routes import Routes
from serving.inbox import add_event

router = Routes(prefix="/v1", tags=["telling"])


@router.post("/events", response_model=Received, status_code=202)
def events(asked: Asked, where: Annotated[Parameters, Query()], event: EventBody) -> dict[str, Any]:
    """Tell something. It is on disk when this answers; the next run makes knowledge of it."""
    namespace = asked.inbox(where.namespace)
    told = event.model_dump(mode="json", exclude_none=True) | {"namespace": namespace}
    received = add_event(asked.memory.state, told)
    return {
        "namespace": namespace,
        "event_id": received.event_id,
        "record_id": record_id(namespace, received.event_id),
        "written": received.written,
        "redactions": received.redactions,
    }
