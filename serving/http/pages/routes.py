"""The routes of pages: what a query answers, by its template, or as JSON behind `.json`."""

from collections.abc import Callable
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any, get_origin
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel, ValidationError

from cairn.resources.limits.day import LimitReached
from cairn.serving.http.auth import Access, Asked
from cairn.serving.http.errors import HttpRefused, NotThere
from cairn.serving.http.pages.login import form_of
from cairn.serving.http.pages.page import PAGES, ShownPage
from cairn.serving.http.pages.rendering import HEADERS, html
from cairn.serving.models import parameters
from cairn.serving.models.bodies import DecisionBody
from cairn.serving.models.queries import BY_NAME
from cairn.serving.query.conversation import conversation
from cairn.serving.read.id_lookup import UnknownId
from cairn.serving.read.pagination import BadCursor
from cairn.serving.read.reader import Reader
from cairn.serving.status.pending import pending
from cairn.serving.write.deciding import WantedDecision, decide
from cairn.serving.write.decisions import Undecidable

MENU = [page for page in PAGES if page.menu]
CSS, ICON = (Path(__file__).with_name(name) for name in ("cairn.css", "cairn.svg"))
RECENT = 10
"""Rows of what came last, on the first page of a namespace."""

router = APIRouter(include_in_schema=False)


@router.get("/")
def first(asked: Asked) -> Response:
    """The namespaces; the only one itself."""
    names = asked.known()
    if len(names) == 1:
        return RedirectResponse(f"/n/{names[0]}", 303)
    return _page("namespaces.html", "Namespaces", names=names, keyed=asked.caller.key is not None)


@router.get("/cairn.css")
def css() -> Response:
    """What pages look like."""
    return Response(CSS.read_bytes(), media_type="text/css")


@router.get("/cairn.svg")
def icon() -> Response:
    """A cairn."""
    return Response(ICON.read_bytes(), media_type="image/svg+xml")


@router.get("/n/{namespace}")
def home(asked: Asked, namespace: str) -> Response:
    """What there is of a namespace, how fresh it is, what came last, and what waits."""
    return _told(lambda: _home(asked, namespace), namespace)


def _home(asked: Access, namespace: str) -> Response:
    reader = asked.reader(parameters.At(namespace=namespace))
    recent = _answer(reader, "recent", {"limit": RECENT})
    return _page(
        "home.html", namespace, namespace=namespace, answer=_answer(reader, "status", {}),
        recent=recent, decided=_answer(reader, "decisions", {}), pages=PAGES,
        as_json=f"/v1/status?{urlencode({'namespace': namespace})}",
        keyed=asked.caller.key is not None,
    )  # fmt: skip


@router.get("/n/{namespace}/search")
def search(asked: Asked, request: Request, namespace: str) -> Response:
    """What a search finds, and why."""

    def made() -> Response:
        reader = asked.reader(parameters.At(namespace=namespace))
        given = dict(request.query_params)
        answer = None
        if given.get("query", "").strip():
            answer = _answer(reader, "search", {"type": "all", "limit": 20} | given)
        return _page(
            "search.html", "Search", namespace=namespace, answer=answer, asked=given,
            as_json=f"/v1/search?{urlencode(given | {'namespace': namespace})}",
            keyed=asked.caller.key is not None,
        )  # fmt: skip

    return _told(made, namespace)


@router.post("/n/{namespace}/decisions")
async def decisions(request: Request, namespace: str) -> Response:
    """Notes what a person decided about facts or entities, and goes back to where they were."""
    form = await form_of(request)
    access = Access(request, request.app.state.memory, request.state.caller)

    def made() -> Response:
        access.telling()
        own = access.namespace(namespace)
        said = {name: values[0].strip() for name, values in form.items() if values[0].strip()}
        back = said.pop("back", "")
        body = DecisionBody.model_validate(said | {"ids": form.get("ids", [])})
        wanted = body.model_dump(exclude_none=True)
        decide(access.memory.state, WantedDecision(**wanted), own)
        return RedirectResponse(f"/n/{own}/{quote(back.lstrip('/'))}", 303)

    return await run_in_threadpool(_told, made, namespace)


def _endpoint(page: ShownPage, *, as_json: bool) -> Callable[..., Response]:
    """The function of the route of a page."""

    def endpoint(asked: Access, request: Request, namespace: str, **ids: str) -> Response:
        given = _given(page, request)

        def made() -> Response:
            wanted = _wanted(page.query, page.given | given, namespace)
            reader = asked.reader(wanted)
            answer = page.asks.answered(reader, wanted, *ids.values())
            if as_json:
                return Response(answer.model_dump_json(), media_type="application/json")
            here, asks = request.url.path, urlencode(given, doseq=True)
            return _page(
                page.template, page.title, namespace=namespace, answer=answer, given=given,
                here=here, as_json=f"{here}.json" + (f"?{asks}" if asks else ""),
                keyed=asked.caller.key is not None, **_besides(page, asked, reader, answer, ids),
            )  # fmt: skip

        return _told(made, namespace)

    names = [part[1:-1] for part in page.path.split("/") if part.startswith("{")]
    endpoint.__name__ = f"page_{page.title}"
    endpoint.__signature__ = Signature(  # pyright: ignore[reportFunctionMemberAccess]
        [
            Parameter("asked", Parameter.KEYWORD_ONLY, annotation=Asked),
            Parameter("request", Parameter.KEYWORD_ONLY, annotation=Request),
            *(
                Parameter(name, Parameter.KEYWORD_ONLY, annotation=str)
                for name in ("namespace", *names)
            ),
        ]
    )
    return endpoint


def _besides(
    page: ShownPage, access: Access, reader: Reader, answer: Any, ids: dict[str, str]
) -> dict[str, Any]:
    """What a template needs besides its answer."""
    if page.query == "messages":
        return {"talk": conversation(reader, ids["conversation_id"])}
    may_decide = access.caller.may_tell
    if page.query == "review":
        return {"may_decide": may_decide}
    if page.template != "why.html":
        return {}
    # Of facts the answer has the messages; a record, and what brought an entity, is its own quote.
    told = answer.explanation.get("sources", ())
    messages = {one["record_id"]: one["message"] for one in told if one.get("message")}
    if answer.kind == "learning":
        said = reader.places([one.record_id for one in answer.quotes if one.record_id], "text")
        messages = dict(said.select("record_id", "text").iter_rows())
    points = [(one.occurred_at, one.confidence) for one in answer.history]
    if answer.fact:
        points.append((reader.as_of, answer.fact.confidence))
    waiting = [one for one in pending(reader.state, reader.namespace) if answer.id in one.ids]
    return {
        "messages": messages, "points": points, "waiting": waiting, "may_decide": may_decide,
    }  # fmt: skip


def _given(page: ShownPage, request: Request) -> dict[str, Any]:
    """What stands behind the `?`, as the API reads it: a list may come as one value or several."""
    query = request.query_params
    fields = page.asks.asked.model_fields
    lists = {name for name, field in fields.items() if get_origin(field.annotation) is list}
    return {
        name: query.getlist(name) if name in lists else value
        for name, value in query.items()
        if value
    }


def _wanted(name: str, given: dict[str, Any], namespace: str) -> Any:
    """Parameters of a query, as they stand in an address."""
    asks: type[BaseModel] = BY_NAME[name].asked
    return asks.model_validate(given | {"namespace": namespace}, strict=False)


def _answer(reader: Reader, name: str, given: dict[str, Any]) -> Any:
    return BY_NAME[name].answered(reader, _wanted(name, given, reader.namespace))


def _told(make: Callable[[], Response], namespace: str) -> Response:
    """A page, or why there is none: as a page, too."""
    status, detail = 404, ""
    try:
        return make()
    except UnknownId as unknown:
        detail = str(unknown)
    except NotThere as missing:
        return _page("refused.html", "Not there", 404, detail=missing.detail)
    except HttpRefused as refused:
        status, detail = refused.status, refused.detail
    except Undecidable as undecidable:
        status, detail = 409, str(undecidable)
    except LimitReached as reached:
        status, detail = 429, str(reached)
    except (BadCursor, ValidationError, ValueError) as wrong:
        status = 400
        detail = "that cannot be asked for" if isinstance(wrong, ValidationError) else str(wrong)
    return _page("refused.html", "Not there", status, detail=detail, namespace=namespace)


def _page(template: str, title: str, status: int = 200, **given: Any) -> Response:
    shown = {"namespace": None, "as_json": "", "keyed": False} | given
    return HTMLResponse(html(template, title=title, menu=MENU, **shown), status, HEADERS)


for _one in PAGES:
    for _suffix, _as_json in ((".json", True), ("", False)):
        router.get(f"/n/{{namespace}}{_one.path}{_suffix}")(_endpoint(_one, as_json=_as_json))


@router.get("/n/{namespace}/{path:path}")
def nothing() -> Response:
    """Of what is no page, people are told so on one."""
    return _page("refused.html", "Not there", 404, detail="there is no such page")
