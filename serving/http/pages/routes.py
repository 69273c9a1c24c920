"""The routes of pages: what a query answers, by its template, or as JSON behind `.json`."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from inspect import Parameter, Signature
from typing import Any, NamedTuple, TypeVar, get_origin
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, ValidationError
from pydantic_core import to_json
from starlette.datastructures import QueryParams

from cairn.integrations.agents import AGENTS
from cairn.knowledge.practices.briefs.brief import HEADINGS
from cairn.knowledge.schema.learning_categories import CATEGORIES
from cairn.serving.http.auth import Access, Asked
from cairn.serving.http.errors import HttpRefused
from cairn.serving.http.pages.login import is_page
from cairn.serving.http.pages.operating import (
    PATIENCE,
    RUN,
    agents_here,
    begun,
    compared_prompt,
    listed,
    operates,
    staleness,
)
from cairn.serving.http.pages.page import PAGES, ShownPage
from cairn.serving.http.pages.pictures import lineage, neighbours, picture
from cairn.serving.http.pages.rendering import shown
from cairn.serving.http.pages.tokens import token_of
from cairn.serving.http.routes.write import forgotten
from cairn.serving.models import parameters
from cairn.serving.models.bodies import ForgetBody
from cairn.serving.models.queries import BY_NAME
from cairn.serving.query.conversation import conversation, refused_candidates
from cairn.serving.query.review.queue import REVIEWED
from cairn.serving.query.work import edited_files
from cairn.serving.read.id_lookup import UnknownId
from cairn.serving.read.reader import Reader
from cairn.serving.status.pending import as_rows, pending

RECENT = 10
"""Rows of what came last, on the first page of a namespace."""

FOUND = 20
"""Results of a search."""

CHOSEN_FROM = 50
"""Projects that a search may be narrowed to there."""

AS_JSON = ".json"
"""What stands behind the address of a page for programs."""

BEGUN = "begun"
"""Behind the `?`: who asks was told of something that was under way."""

Endpoint = TypeVar("Endpoint", bound=Callable[..., Response])

router = APIRouter(include_in_schema=False)


def page_at(path: str) -> Callable[[Endpoint], Endpoint]:
    """Serves a page of a namespace, and what it shows as JSON at the same address with `.json`."""

    def add(endpoint: Endpoint) -> Endpoint:
        for behind in (AS_JSON, ""):  # in this order: an id may stand for anything
            router.get(f"/n/{{namespace}}{path}{behind}")(endpoint)
        return endpoint

    return add


@router.get("/")
def first(asked: Asked, request: Request) -> Response:
    """The namespaces; the only one itself; where there is none yet, how the first comes."""
    names = asked.known()
    if len(names) == 1:
        return RedirectResponse(f"/n/{names[0]}", 303)
    return shown(
        "namespaces.html", "Namespaces" if names else "Welcome", names=names, first=RUN,
        token=token_of(request), operates=operates(asked), keyed=asked.caller.key is not None,
    )  # fmt: skip


@page_at("")
def home(asked: Asked, namespace: str) -> Response:
    """What there is of a namespace, how fresh it is, what came last, and what waits."""
    reader = asked.reader(parameters.At(namespace=namespace))
    week = reader.latest - timedelta(days=7)
    told = {
        "status": _answer(reader, "status"),
        "recent": _answer(reader, "recent", limit=RECENT).items,
        "lessons": _answer(reader, "learnings", limit=5, since=week).items,
        "waiting": as_rows(pending(reader.state, reader.namespace)),
        "review": _answer(reader, "review", limit=1).totals,
        "dead_letters": _answer(reader, "dead_letters", limit=1).total,
        "costs": _answer(reader, "costs", limit=1).total,
    }
    return _page(asked, "home.html", namespace, told)


@page_at("/search")
def search(asked: Asked, request: Request, namespace: str) -> Response:
    """What a search finds, and why."""
    given = {name: value for name, value in request.query_params.items() if value}
    reader = asked.reader(parameters.At(namespace=namespace))
    projects = _answer(reader, "projects", limit=100).items
    begun = [one.first_seen for one in projects if one.first_seen]
    span = (reader.latest - min(begun)).days if begun else 0
    back = given.pop("back", "0")
    if span and back.isdecimal() and 0 < int(back[:4]) <= span and "as_of" not in given:
        given["as_of"] = (reader.latest - timedelta(days=int(back[:4]))).isoformat()
    answer = None
    if given.get("query", "").strip():
        wanted = _wanted("search", {"type": "all", "limit": str(FOUND)} | given, namespace)
        answer = BY_NAME["search"].answered(asked.reader(wanted), wanted)
    return _page(
        asked, "search.html", "Search", answer or {"answer": None}, given=given, back=back,
        span=span, categories=CATEGORIES,
        projects=[one.project for one in projects[:CHOSEN_FROM]],
    )  # fmt: skip


@page_at("/forget")
def forget(asked: Asked, namespace: str, id: str = "", everywhere: str = "") -> Response:  # noqa: A002
    """What would go if something were forgotten, before anybody says so."""
    if not id:
        return _forgetting(asked, namespace, None, everywhere)
    try:
        wanted = ForgetBody(id=id, everywhere=bool(everywhere))
    except ValidationError:
        raise HttpRefused(400, "that is no id and no name") from None
    try:
        receipt = forgotten(asked, namespace, wanted, PATIENCE)
    except HttpRefused as refusal:
        if refusal.status != 503:
            raise
        receipt = {"ready": False, "busy": refusal.detail}
    return _forgetting(asked, namespace, receipt, everywhere)


@page_at("/agents")
def agents(asked: Asked, namespace: str) -> Response:
    """Which agents are on this machine, and which are connected."""
    asked.namespace(namespace)
    return _page(asked, "agents.html", "Agents", {"agents": agents_here(asked)}, then=AGENTS)


@page_at("/runs")
def latest_runs(asked: Asked, namespace: str) -> Response:
    """What Dagster ran of a namespace, with links into its UI."""
    found = listed(asked, asked.reader(parameters.At(namespace=namespace)), "runs")
    return _page(asked, "runs.html", "Runs", {"runs": found})


@page_at("/prompts")
def prompts_in_force(asked: Asked, namespace: str, prompt: str = "", talk: str = "") -> Response:
    """What a language model is asked, and what a prompt of one's own gives against Cairn's."""
    reader = asked.reader(parameters.At(namespace=namespace))
    found = listed(asked, reader, "prompts")
    asked_for, told = False, None
    if prompt and talk:
        asked_for, told = compared_prompt(asked, reader.namespace, prompt, talk)
    talks = _answer(reader, "conversations", limit=CHOSEN_FROM).items
    return _page(
        asked, "prompts.html", "Prompts", {"prompts": found, "compared": told},
        prompt=prompt, talk=talk, talks=talks, asked_for=asked_for,
    )  # fmt: skip


def _forgetting(
    asked: Access, namespace: str, receipt: dict[str, Any] | None, everywhere: str
) -> Response:
    asked.telling()
    asked.namespace(namespace)
    return _page(asked, "forget.html", "Forget", {"receipt": receipt}, everywhere=everywhere)


def refused(request: Request, status: int, detail: str) -> Response | None:
    """Why there is no page, as a page; nothing for whoever asked for no page."""
    path = request.url.path
    if not is_page(path) or path.endswith(AS_JSON):
        return None
    known = getattr(request.state, "namespace", None)
    title = "Not there" if status == 404 else "That cannot be done"
    return shown("refused.html", title, status, detail=detail, namespace=known, as_json=None)


def _endpoint(page: ShownPage) -> Callable[..., Response]:
    """The function of the routes of a page."""

    def endpoint(asked: Access, request: Request, namespace: str, **ids: str) -> Response:
        given = _given(page, request)
        wanted = _wanted(page.query, page.given | given, namespace)
        reader = asked.reader(wanted)
        as_json = _as_json(request)
        try:
            answer = page.asks.answered(reader, wanted, *ids.values())
        except UnknownId:
            if not as_json or "conversation_id" not in ids:
                raise
            # An agent may call a conversation whatever it likes.
            ids, as_json = {"conversation_id": f"{ids['conversation_id']}{AS_JSON}"}, False
            answer = page.asks.answered(reader, wanted, *ids.values())
        if as_json:
            return _as_told(answer)
        quoted = {name: quote(id_, safe="") for name, id_ in ids.items()}
        here = f"/n/{namespace}{page.path.format(**quoted)}"
        beside = BESIDES.get(page.template, _nothing)(Asking(asked, reader, answer, ids))
        return _shown(asked, page.template, page.title, answer, here, given=given, **beside)

    names = [part[1:-1] for part in page.path.split("/") if part.startswith("{")]
    endpoint.__name__ = f"page_{page.title}"
    endpoint.__signature__ = Signature(  # pyrefly: ignore[missing-attribute]
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


def _as_json(request: Request) -> bool:
    """Whether what a page shows is wanted as JSON; ids of some things end so, too."""
    return request.scope["route"].path.endswith(AS_JSON)


def _page(
    asked: Access, template: str, title: str, told: BaseModel | dict[str, Any], **beside: Any
) -> Response:
    """A page of the namespace that was asked for, or what it tells as JSON."""
    if _as_json(asked.request):
        return _as_told(told)
    return _shown(asked, template, title, told, quote(asked.request.scope["path"]), **beside)


def _as_told(told: BaseModel | dict[str, Any]) -> Response:
    return Response(to_json(told), media_type="application/json")


def _shown(
    asked: Access,
    template: str,
    title: str,
    told: BaseModel | dict[str, Any],
    here: str,
    **beside: Any,
) -> Response:
    """A page of the namespace that was asked for.

    The template has what is told by its names, of a model as `answer`; `here` is the address of the
    page, `asked_here` with what stands behind the `?`; `waiting()` is what waits for the next run.
    """
    request = asked.request
    namespace = request.state.namespace
    said = [(name, value) for name, value in request.query_params.multi_items() if name != BEGUN]
    behind = f"?{urlencode(said)}" if said else ""
    beside |= told if isinstance(told, dict) else {"answer": told}
    beside.setdefault("waiting", partial(pending, asked.memory.state, namespace))
    return shown(
        template, title, namespace=namespace, token=token_of(request),
        may_tell=asked.caller.may_tell, operates=operates(asked),
        begun=begun(asked, namespace), was_begun=BEGUN in request.query_params, picture=picture,
        keyed=asked.caller.key is not None, here=here,
        asked_here=f"{here}{behind}", as_json=f"{here}{AS_JSON}{behind}", **beside,
    )  # fmt: skip


class Asking(NamedTuple):
    """What a page is made of."""

    access: Access
    reader: Reader
    answer: Any
    """Of the page's query."""
    ids: dict[str, str]
    """Of its address, by name."""

    @property
    def said(self) -> QueryParams:
        """What stands behind the `?`."""
        return self.access.request.query_params


def _nothing(_: Asking) -> dict[str, Any]:
    return {}


def _of_why(asking: Asking) -> dict[str, Any]:
    reader, answer = asking.reader, asking.answer
    # Of facts the answer has the messages; a record, and what brought an entity, is its own quote.
    told = answer.explanation.get("sources", ())
    messages = {one["record_id"]: one["message"] for one in told if one.get("message")}
    if answer.kind == "learning":
        said = reader.places([one.record_id for one in answer.quotes if one.record_id], "text")
        messages = dict(said.select("record_id", "text").iter_rows())
    return {"messages": messages, "lineage": lineage(answer)}


def _of_conversation(asking: Asking) -> dict[str, Any]:
    """The conversation; refused candidates by record, where they are wanted."""
    id_ = asking.ids["conversation_id"]
    refused: dict[str, list[Any]] = {}
    for one in refused_candidates(asking.reader, id_) if "refused" in asking.said else ():
        refused.setdefault(one["record_id"], []).append(one)
    return {"talk": conversation(asking.reader, id_), "refused": refused}


def _of_project(asking: Asking) -> dict[str, Any]:
    reader, project = asking.reader, asking.answer.project
    if project is None:  # then the template shows neither
        return {}
    return {
        "talks": _answer(reader, "conversations", project=project, limit=10),
        "files": edited_files(reader, project),
        "headings": HEADINGS,
    }


def _of_graph(asking: Asking) -> dict[str, Any]:
    names = {node.entity_id: node.name for node in asking.answer.nodes}
    return {"around": neighbours(asking.answer), "names": names}


def _of_review(asking: Asking) -> dict[str, Any]:
    """What a rule would decide about, once somebody had it counted."""
    said = asking.said
    names = ("decision", "least", "most", "meant")
    whole = all(said.get(name, "0").isdecimal() for name in names[1:])
    headings = {name: kind.heading for name, kind in REVIEWED.items()}
    return {
        "rule": {name: said.get(name) if whole else None for name in names}, "headings": headings,
    }  # fmt: skip


def _of_research(asking: Asking) -> dict[str, Any]:
    return {
        "prompts": _answer(asking.reader, "learn_prompts", limit=20),
        "schedules": _answer(asking.reader, "schedules", limit=20),
    }


def _of_changes(asking: Asking) -> dict[str, Any]:
    """What a changed rule, prompt or setting would redo, once that is wanted: it takes seconds."""
    wanted = operates(asking.access) and "stale" in asking.said
    own = asking.reader
    with_rows = "rows" in asking.said
    stale = staleness(own.state, own.namespace, with_rows=with_rows) if wanted else None
    rows = stale and stale["namespaces"].get(own.namespace, {}).get("rows")
    return {"wanted": wanted, "stale": stale, "rows": rows, "wants_rows": with_rows}


BESIDES: dict[str, Callable[[Asking], dict[str, Any]]] = {
    "why.html": _of_why, "conversation.html": _of_conversation, "project.html": _of_project,
    "review.html": _of_review, "graph.html": _of_graph, "research.html": _of_research,
    "changes.html": _of_changes,
}  # fmt: skip
"""What a template needs besides its answer."""


def _given(page: ShownPage, request: Request) -> dict[str, Any]:
    """What an address says, but for empty fields of forms and what only the template reads."""
    asks: type[BaseModel] = page.asks.asked
    said = request.query_params
    known = asks.model_fields
    return {
        name: said.getlist(name) if get_origin(known[name].annotation) is list else value
        for name, value in said.items()
        if value and name in known
    }


def _wanted(name: str, given: dict[str, Any], namespace: str) -> Any:
    """Parameters of a query, as they stand in an address.

    Raises:
        HttpRefused: they are not such as can be asked for.
    """
    asks: type[BaseModel] = BY_NAME[name].asked
    try:
        return asks.model_validate(given | {"namespace": namespace}, strict=False)
    except ValidationError as wrong:
        places = {str(error["loc"][0]) for error in wrong.errors() if error["loc"]}
        named = ", ".join(sorted(places & asks.model_fields.keys()))
        raise HttpRefused(400, f"that cannot be asked for: {named}") from None


def _answer(reader: Reader, name: str, **given: Any) -> Any:
    return BY_NAME[name].answered(reader, _wanted(name, given, reader.namespace))


def _add_routes() -> None:
    # In their order: what is fixed comes before what stands for any id.
    for page in sorted(PAGES, key=lambda page: "{" in page.path):
        # A conversation may have a slash in its id.
        path = page.path.replace("{conversation_id}", "{conversation_id:path}")
        page_at(path)(_endpoint(page))


_add_routes()
