"""Routes of declared queries: a query needs no code here."""

from collections.abc import Iterable
from inspect import Parameter, Signature
from typing import Annotated, Any

from fastapi import Path
from fastapi import Query as InAddress
from pydantic import BaseModel

from cairn.serving.http.auth import Access, Asked
from cairn.serving.http.routes.router import Routes
from cairn.serving.models.fields import Model
from cairn.serving.models.parameters import At, Parameters
from cairn.serving.models.queries import QUERIES
from cairn.serving.models.query import Query


def routes(tag: str, queries: Iterable[Query[Any]] = QUERIES) -> Routes:
    """The routes of the queries that have a tag."""
    router = Routes(prefix="/v1", tags=[tag])
    for query in queries:
        if query.tag == tag and query.in_address:
            router.get(query.path, response_model=query.answer)(_endpoint(query))
        if query.tag == tag and query.body:
            router.post(query.path, response_model=query.answer)(_by_body(query, query.body))
    return router


def _endpoint(query: Query[Any]) -> Any:
    """The function of a route that has all in its address."""

    def endpoint(asked: Access, wanted: Parameters, **ids: str) -> Model:
        return query.answered(asked.reader(wanted), wanted, *ids.values())

    given: dict[str, Any] = {"asked": Asked}
    if query.id:
        path = Path(
            pattern=query.id.pattern, description=query.id.about, examples=[query.id.example]
        )
        given[query.id.name] = Annotated[str, path]
    given["wanted"] = Annotated[query.asked, InAddress()]
    return _declared(endpoint, query, query.name, given)


def _by_body(query: Query[Any], body: type[BaseModel]) -> Any:
    """The function of a route that has its words in a body, and moments in the address."""

    def endpoint(asked: Access, at: At, wanted: BaseModel) -> Model:
        return query.answered(asked.reader(at), wanted)

    given = {"asked": Asked, "at": Annotated[At, InAddress()], "wanted": body}
    name = f"{query.name}_by_body" if query.in_address else query.name
    return _declared(endpoint, query, name, given)


def _declared(endpoint: Any, query: Query[Any], name: str, given: dict[str, Any]) -> Any:
    """A function whose signature FastAPI reads as if somebody had written it."""
    endpoint.__name__ = name
    endpoint.__doc__ = "\n\n".join(filter(None, [query.about, query.note]))
    endpoint.__signature__ = Signature(
        [
            Parameter(name, Parameter.KEYWORD_ONLY, annotation=annotation)
            for name, annotation in given.items()
        ]
    )
    return endpoint
