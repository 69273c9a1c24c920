"""What goes wrong, as problem details (RFC 9457): never a traceback, never text of logs."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any, NamedTuple

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from cairn.resources.home.api_keys import KeyListError
from cairn.resources.home.damage import Damaged
from cairn.resources.limits.day import LimitReached
from cairn.resources.vector_index.protocol import VectorIndexError
from cairn.serving.models.answers import Problem, Wrong
from cairn.serving.read.id_lookup import UnknownId
from cairn.serving.read.pagination import BadCursor
from cairn.serving.read.reader import NothingPublished
from cairn.serving.write.decisions import Undecidable

MEDIA_TYPE = "application/problem+json"
UNREADABLE = "what is stored cannot be read: `cairn doctor` says why"
LONGEST_PLACE = 100
"""Characters of a place in a request that are told: a client may name its fields as it likes."""


class HttpRefused(Exception):  # noqa: N818  what a client is told
    """A request that is not answered, with its status and why."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = headers


class NotThere(HttpRefused):
    """What is asked for is not there; nor is what the caller may not know of."""

    def __init__(self, what: str) -> None:
        super().__init__(404, what)


def problem(
    status: int,
    detail: str,
    headers: Mapping[str, str] | None = None,
    errors: Sequence[Wrong] | None = None,
) -> Response:
    """A response that says what is wrong."""
    body = Problem(
        type="about:blank",
        title=HTTPStatus(status).phrase,
        status=status,
        detail=detail,
        errors=None if errors is None else list(errors),
    )
    content = body.model_dump_json(exclude_none=True)
    return Response(content, status, dict(headers or {}), media_type=MEDIA_TYPE)


class Refusal(NamedTuple):
    """Why a request is not answered."""

    status: int
    detail: str
    headers: Mapping[str, str] | None = None
    errors: Sequence[Wrong] | None = None


AsPage = Callable[[Request, int, str], Response | None]
"""How a person is told that reads pages; None for whoever reads none."""


def _refused(_: Request, error: Any) -> Refusal:
    return Refusal(error.status, error.detail, error.headers)


def _of_starlette(request: Request, error: Any) -> Refusal:
    """A path that is not there, a method that it has not, a body that cannot be read."""
    headers = dict(error.headers or {})
    if error.status_code == 405:
        # Of a path with several routes, starlette names the methods of the first.
        path = getattr(request.scope.get("route"), "path", "")
        methods = request.app.state.document(needs_key=True)["paths"].get(path, {})
        headers["Allow"] = ", ".join(sorted(map(str.upper, methods)))
    detail = {
        404: "there is no such path",
        405: "the path has no such method",
        413: "the body is too large",
    }.get(error.status_code, "the request cannot be read")
    return Refusal(error.status_code, detail, headers)


def _invalid(_: Request, error: Any) -> Refusal:
    """What is wrong with each parameter, without repeating what was sent."""
    wrong = [_wrong(each) for each in error.errors()]
    parts = "part" if len(wrong) == 1 else "parts"
    return Refusal(422, f"{len(wrong)} {parts} of the request cannot be accepted", errors=wrong)


def _wrong(error: Mapping[str, Any]) -> Wrong:
    place, *path = map(str, error["loc"])
    if error["type"] == "json_invalid":
        return Wrong(place="body", name="", detail="no JSON")
    detail = error["msg"].removeprefix("Value error, ")
    return Wrong(place=place, name=".".join(path)[:LONGEST_PLACE], detail=detail)


def _not_now(_: Request, error: Any) -> Refusal:
    if isinstance(error, Damaged):
        return Refusal(503, UNREADABLE)
    what = "the list of keys" if isinstance(error, KeyListError) else "the index"
    return Refusal(503, f"{what} cannot be read: `cairn doctor` says why")


def _limited(_: Request, error: Any) -> Refusal:
    return Refusal(429, str(error), {"retry-after": str(math.ceil(error.seconds))})


def install(app: FastAPI, as_page: AsPage) -> None:
    """Has an app tell problems in this way, and people on pages by a page."""
    problems: tuple[tuple[type[Exception], Callable[[Request, Any], Refusal]], ...] = (
        (HttpRefused, _refused),
        (UnknownId, lambda _, error: Refusal(404, str(error))),
        (BadCursor, lambda _, error: Refusal(400, str(error))),
        (Undecidable, lambda _, error: Refusal(422, str(error))),
        (NothingPublished, lambda _, __: Refusal(404, "nothing is published here yet")),
        (LimitReached, _limited),
        (VectorIndexError, _not_now),
        (KeyListError, _not_now),
        (Damaged, _not_now),
        (RequestValidationError, _invalid),
        (HTTPException, _of_starlette),
    )
    for kind, told in problems:
        app.add_exception_handler(kind, partial(_answer, told, as_page))


def _answer(
    told: Callable[[Request, Any], Refusal], as_page: AsPage, request: Request, error: Any
) -> Response:
    refusal = told(request, error)
    return as_page(request, refusal.status, refusal.detail) or problem(*refusal)
