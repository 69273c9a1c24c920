"""Routes of declared queries: a query needs no code here."""

from collections.abc import Iterable
from inspect import Parameter, Signature
from typing import Annotated, Any

from fastapi import Path
from fastapi import Query as InAddress

from cairn.serving.http.auth import Access, Asked
from cairn.serving.http.errors import NotThere
from cairn.serving.http.routes.router import Routes
from cairn.serving.models.fields import Model
from cairn.serving.models.parameters import Parameters
from cairn.serving.models.queries import QUERIES
from cairn.serving.models.query import Query
from cairn.serving.read.id_lookup import UnknownId


def routes(tag: str, queries: Iterable[Query[Any]] = QUERIES) -> Routes:
    """The routes of the queries that have a tag."""
    router = Routes(prefix="/v1", tags=[tag])
    for query in queries:
        if query.tag == tag:
            router.get(query.path, response_model=query.answer)(_endpoint(query))
    return router


def _endpoint(query: Query[Any]) -> Any:
    """A function whose signature FastAPI reads as if somebody had written it."""

    def endpoint(asked: Access, wanted: Parameters, **ids: str) -> Model:
        try:
            return query.answered(asked.reader(wanted), wanted, *ids.values())
        except UnknownId as unknown:
            raise NotThere(str(unknown)) from None

    given = {"asked": Asked}
    if query.id:
        path = Path(
            pattern=query.id.pattern, description=query.id.about, examples=[query.id.example]
        )
        given[query.id.name] = Annotated[str, path]
    given["wanted"] = Annotated[query.asked, InAddress()]
    endpoint.__name__ = query.name
    endpoint.__doc__ = "\n\n".join(filter(None, [query.about, query.note]))
    endpoint.__signature__ = Signature(  # pyright: ignore[reportFunctionMemberAccess]
        [
            Parameter(name, Parameter.KEYWORD_ONLY, annotation=annotation)
            for name, annotation in given.items()
        ]
    )
    return endpoint
