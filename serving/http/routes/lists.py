"""Routes that list what is remembered, and tell one thing of it."""

from typing import Annotated, Any

from fastapi import Query

from serving.http.answers import (
    ConversationPage,
    EntityPage,
    EpisodePage,
    FactPage,
    InterestPage,
    LearningPage,
    RecentPage,
)
from serving.http.auth import Asked
from serving.http.errors import NotThere
from serving.http.models import OneEntity, OneEpisode, OneFact, OneLearning
from serving.http.parameters import (
    At,
    EntityId,
    EntityParameters,
    EpisodeId,
    FactId,
    FactParameters,
    LearningId,
    LearningParameters,
    RecentParameters,
    TalkParameters,
    Turning,
)
from serving.http.routes.router import Routes
from serving.query import listing
from serving.query.interests import interests as interests_of
from serving.read.pagination import Page
from serving.read.reader import Reader
from serving.status.pending import ATTITUDES, pending

router = Routes(prefix="/v1", tags=["browsing"])


@router.get("/facts", response_model=FactPage)
def facts(asked: Asked, wanted: Annotated[FactParameters, Query()]) -> dict[str, Any]:
    """List facts: those that hold first; of them sentences before attributes, then by support."""
    reader = _reader(asked, wanted)
    only = listing.Facts(
        wanted.entity, wanted.predicate, wanted.status, wanted.knowledge_type,
        wanted.min_confidence, wanted.structural, wanted.since, wanted.until,
    )  # fmt: skip
    return _page(reader, listing.facts(reader, only, wanted.limit, wanted.cursor))


@router.get("/facts/{fact_id}", response_model=OneFact)
def fact(asked: Asked, fact_id: FactId, at: Annotated[At, Query()]) -> dict[str, Any]:
    """Tell one fact, with its first sources."""
    return _one(listing.fact(_reader(asked, at), fact_id), "fact")


@router.get("/entities", response_model=EntityPage)
def entities(asked: Asked, wanted: Annotated[EntityParameters, Query()]) -> dict[str, Any]:
    """List entities, those with the most facts first."""
    reader = _reader(asked, wanted)
    only = listing.Entities(wanted.type, wanted.name)
    return _page(reader, listing.entities(reader, only, wanted.limit, wanted.cursor))


@router.get("/entities/{entity_id}", response_model=OneEntity)
def entity(asked: Asked, entity_id: EntityId, at: Annotated[At, Query()]) -> dict[str, Any]:
    """Tell one entity, what it took up, and how many facts it has."""
    return _one(listing.entity(_reader(asked, at), entity_id), "entity")


@router.get("/learnings", response_model=LearningPage)
def learnings(asked: Asked, wanted: Annotated[LearningParameters, Query()]) -> dict[str, Any]:
    """List learnings, the surest first."""
    reader = _reader(asked, wanted)
    only = listing.Learnings(
        wanted.category, wanted.tag, wanted.conversation, wanted.min_confidence, wanted.since,
        wanted.until,
    )  # fmt: skip
    return _page(reader, listing.learnings(reader, only, wanted.limit, wanted.cursor))


@router.get("/learnings/{learning_id}", response_model=OneLearning)
def learning(asked: Asked, learning_id: LearningId, at: Annotated[At, Query()]) -> dict[str, Any]:
    """Tell one learning, with its quotes."""
    return _one(listing.learning(_reader(asked, at), learning_id), "learning")


@router.get("/episodes", response_model=EpisodePage)
def episodes(asked: Asked, wanted: Annotated[TalkParameters, Query()]) -> dict[str, Any]:
    """List episodes, the latest first."""
    reader = _reader(asked, wanted)
    return _page(reader, listing.episodes(reader, _talks(wanted), wanted.limit, wanted.cursor))


@router.get("/episodes/{episode_id}", response_model=OneEpisode)
def episode(asked: Asked, episode_id: EpisodeId, at: Annotated[At, Query()]) -> dict[str, Any]:
    """Tell one episode, and where its request stands."""
    return _one(listing.episode(_reader(asked, at), episode_id), "episode")


@router.get("/conversations", response_model=ConversationPage)
def conversations(asked: Asked, wanted: Annotated[TalkParameters, Query()]) -> dict[str, Any]:
    """List conversations, the latest first."""
    reader = _reader(asked, wanted)
    return _page(reader, listing.conversations(reader, _talks(wanted), wanted.limit, wanted.cursor))


@router.get("/recent", response_model=RecentPage)
def recent(asked: Asked, wanted: Annotated[RecentParameters, Query()]) -> dict[str, Any]:
    """List what came last: facts that were first said, learnings, episodes."""
    reader = _reader(asked, wanted)
    found = listing.recent(reader, wanted.kind, wanted.since, wanted.limit, wanted.cursor)
    return _page(reader, found)


@router.get("/interests", response_model=InterestPage)
def interests(asked: Asked, wanted: Annotated[Turning, Query()]) -> dict[str, Any]:
    """List what the person cares about, the most first, with what made it."""
    reader = _reader(asked, wanted)
    waiting = pending(reader.state, reader.namespace, ATTITUDES)
    found = interests_of(reader, wanted.limit, wanted.cursor)
    return _page(reader, found) | {"waiting": waiting}


def _reader(asked: Asked, at: At) -> Reader:
    return asked.reader(at.namespace, at.as_of, at.true_at)


def _talks(wanted: TalkParameters) -> listing.Talks:
    return listing.Talks(wanted.conversation, wanted.project, wanted.since, wanted.until)


def _page(reader: Reader, found: Page) -> dict[str, Any]:
    head = {"namespace": reader.namespace, "as_of": reader.as_of}
    return head | {"items": found.rows, "next": found.cursor}


def _one(found: dict[str, Any] | None, kind: str) -> dict[str, Any]:
    """One thing.

    Raises:
        NotThere: there is none.
    """
    if found is None:
        raise NotThere(f"no {kind} has that id")
    return found
