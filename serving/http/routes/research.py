"""Routes of searches that Cairn makes itself: what was asked for, what is due, what was made."""

from collections.abc import Collection
from typing import Annotated, Any

from fastapi import Query

from serving.http.answers import LearnPromptPage, NotificationPage, Ordered, Research, SchedulePage
from serving.http.auth import Asked
from serving.http.bodies import LearnBody, ScheduleBody
from serving.http.parameters import Paged, Parameters, ResearchParameters
from serving.http.routes.router import Routes
from serving.query import research as researching
from serving.query.notifications import notifications as notifications_of
from serving.read.pagination import Page
from serving.read.reader import Reader
from serving.status.pending import LEARN, NOTICES, RESEARCH, SCHEDULES, pending
from serving.write import research as asking_research

router = Routes(prefix="/v1", tags=["researching"])

NEVER = "never"


@router.get("/learn-prompts", response_model=LearnPromptPage)
def learn_prompts(asked: Asked, wanted: Annotated[Paged, Query()]) -> dict[str, Any]:
    """List what somebody wants to know, the latest first, with what was found through it."""
    reader = asked.reader(wanted.namespace)
    return _page(asked, reader, researching.prompts(reader, wanted.limit, wanted.cursor), LEARN)


@router.post("/learn-prompts", response_model=Ordered, status_code=202)
def learn(asked: Asked, where: Annotated[Parameters, Query()], wanted: LearnBody) -> dict[str, Any]:
    """Have a topic looked into. It is on disk when this answers; searches follow by themselves."""
    state, namespace = asked.memory.state, asked.inbox(where.namespace)
    told = asking_research.learn(state, namespace, wanted.topic, wanted.event_id)
    return told | _provider(asked)


@router.get("/schedules", response_model=SchedulePage)
def schedules(asked: Asked, wanted: Annotated[Paged, Query()]) -> dict[str, Any]:
    """List what is searched for again and again, the next first."""
    reader = asked.reader(wanted.namespace)
    found = researching.schedules(reader, wanted.limit, wanted.cursor)
    return _page(asked, reader, found, SCHEDULES)


@router.post("/schedules", response_model=Ordered, status_code=202)
def schedule(
    asked: Asked, where: Annotated[Parameters, Query()], wanted: ScheduleBody
) -> dict[str, Any]:
    """Have a topic searched for again and again, or no more. The last word on a topic counts."""
    state, namespace = asked.memory.state, asked.inbox(where.namespace)
    every = None if wanted.every == NEVER else wanted.every
    told = asking_research.schedule(state, namespace, wanted.topic, every, wanted.event_id)
    return told | _provider(asked)


@router.get("/research", response_model=Research)
def research(asked: Asked, wanted: Annotated[ResearchParameters, Query()]) -> dict[str, Any]:
    """List what is to be searched for, what was, and what is not known."""
    reader = asked.reader(wanted.namespace)
    due, held, made = researching.report(reader)
    return _head(asked, reader) | {
        "totals": {"due": due.height, "held": held.height, "done": len(made)},
        "due": due.head(wanted.limit).to_dicts(),
        "held": held.head(wanted.limit).to_dicts(),
        "done": made[: wanted.limit],
        "waiting": pending(reader.state, reader.namespace, RESEARCH),
    }


@router.get("/notifications", response_model=NotificationPage)
def notifications(asked: Asked, wanted: Annotated[Paged, Query()]) -> dict[str, Any]:
    """List what is told unasked: what is to be told, what is held back and why, what was told.

    An event of type `reaction` answers one: `reply_to` is its `message_id`.
    """
    reader = asked.reader(wanted.namespace)
    found = notifications_of(reader, wanted.limit, wanted.cursor)
    return _page(asked, reader, found, NOTICES)


def _page(asked: Asked, reader: Reader, found: Page, verbs: Collection[str]) -> dict[str, Any]:
    waiting = pending(reader.state, reader.namespace, verbs)
    return _head(asked, reader) | {"items": found.rows, "next": found.cursor, "waiting": waiting}


def _head(asked: Asked, reader: Reader) -> dict[str, Any]:
    return {"namespace": reader.namespace, "as_of": reader.as_of} | _provider(asked)


def _provider(asked: Asked) -> dict[str, bool]:
    return {"provider": asked.memory.state.settings.search_provider is not None}
