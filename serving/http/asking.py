"""Routes that ask: search, and what belongs into the next prompt."""

from typing import Annotated, Any

from fastapi import APIRouter, Query

from resources.vector_index import Filters
from serving import listing
from serving.http.access import Asked
from serving.http.answers import Context, Results
from serving.http.parameters import At, ContextBody, SearchBody, Searched, SearchParameters
from serving.offering import offer
from serving.reader import Reader
from serving.search import answer

router = APIRouter(prefix="/v1", tags=["asking"])


@router.get("/search", response_model=Results)
def search(asked: Asked, wanted: Annotated[SearchParameters, Query()]) -> dict[str, Any]:
    """Find facts, episodes and learnings, each with where it comes from."""
    return _found(asked.reader(wanted.namespace, wanted.as_of, wanted.true_at), wanted)


@router.post("/search", response_model=Results)
def search_by_body(asked: Asked, at: Annotated[At, Query()], wanted: SearchBody) -> dict[str, Any]:
    """Find the same, by words that stand in no address."""
    return _found(asked.reader(at.namespace, at.as_of, at.true_at), wanted)


@router.post("/context", response_model=Context)
def context(asked: Asked, at: Annotated[At, Query()], said: ContextBody) -> dict[str, Any]:
    """Tell what belongs into the next prompt: by the last two turns, and by the message.

    `streamed` bears on the turns before; make it ready between turns. `known` is what is known of
    the message that is being answered, and whether that is enough to do without a search.
    `memories` are the texts of both that fit the budget beside the turns.
    """
    reader = asked.reader(at.namespace, at.as_of, at.true_at)
    found = offer(reader, said.message, said.turns, budget=said.budget)
    return _head(reader) | {
        "streamed": found.streamed,
        "known": found.known,
        "memories": found.context.streamed,
        "tokens": found.context.tokens,
    }


def _found(reader: Reader, wanted: Searched) -> dict[str, Any]:
    only = Filters(
        statuses=[wanted.status] if wanted.status else None,
        entity_ids=listing.named(reader, wanted.entity) if wanted.entity else None,
        predicates=[wanted.predicate] if wanted.predicate else None,
        categories=[wanted.category] if wanted.category else None,
        sources=[wanted.source] if wanted.source else None,
        knowledge_types=[wanted.knowledge_type] if wanted.knowledge_type else None,
        from_day=wanted.from_day.isoformat() if wanted.from_day else None,
        to_day=wanted.to_day.isoformat() if wanted.to_day else None,
    )
    found = answer(reader, wanted.query, wanted.type, wanted.limit, wanted.min_confidence, only)
    return _head(reader) | {
        "query": wanted.query,
        "said": found.said,
        "from_day": found.from_day or only.from_day,
        "to_day": found.to_day or only.to_day,
        "results": found.results,
    }


def _head(reader: Reader) -> dict[str, Any]:
    return {"namespace": reader.namespace, "as_of": reader.as_of}
