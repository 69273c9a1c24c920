"""Routes that have something searched for."""

from typing import Annotated, Any

from fastapi import Query

from cairn.serving.http.auth import Asked
from cairn.serving.http.routes.router import Routes
from cairn.serving.models.answers import Ordered
from cairn.serving.models.bodies import LearnBody, ScheduleBody
from cairn.serving.models.parameters import Parameters
from cairn.serving.write import research

router = Routes(prefix="/v1", tags=["researching"])


@router.post("/learn-prompts", response_model=Ordered, status_code=202)
def learn(asked: Asked, where: Annotated[Parameters, Query()], wanted: LearnBody) -> dict[str, Any]:
    """Have a topic looked into. It is on disk when this answers; searches follow by themselves."""
    state, namespace = asked.memory.state, asked.inbox(where.namespace)
    told = research.learn(state, namespace, wanted.topic, wanted.event_id)
    return told | _provider(asked)


@router.post("/schedules", response_model=Ordered, status_code=202)
def schedule(
    asked: Asked, where: Annotated[Parameters, Query()], wanted: ScheduleBody
) -> dict[str, Any]:
    """Have a topic searched for again and again, or no more. The last word on a topic counts."""
    state, namespace = asked.memory.state, asked.inbox(where.namespace)
    told = research.schedule(state, namespace, wanted.topic, wanted.interval, wanted.event_id)
    return told | _provider(asked)


def _provider(asked: Asked) -> dict[str, bool]:
    return {"provider": asked.memory.state.searches}
