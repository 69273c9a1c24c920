"""What people do on pages: each form tells the inbox something, and goes back to where it stood."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, ValidationError

from cairn.serving.http.auth import Access
from cairn.serving.http.errors import HttpRefused, NotThere
from cairn.serving.http.pages.login import Form, form_of
from cairn.serving.http.pages.operating import backfill, retry, stop_watching
from cairn.serving.http.pages.tokens import check_token
from cairn.serving.http.routes.write import decided, forgotten
from cairn.serving.models import bodies, parameters
from cairn.serving.query.review.queue import review
from cairn.serving.read.id_lookup import find
from cairn.serving.read.reader import Reader
from cairn.serving.status.pending import ATTITUDES
from cairn.serving.write import notifications, rating, requests, research
from cairn.serving.write.decisions import Undecidable
from cairn.serving.write.missed import say_missed

router = APIRouter(include_in_schema=False)

Body = TypeVar("Body", bound=BaseModel)

AT_ONCE = 1_000
"""Things of the review that one rule decides about, at most."""


@router.post("/n/{namespace}/do/{action}")
async def do(request: Request, namespace: str, action: str) -> Response:
    """Notes what a person says on a page."""
    form = await form_of(request)
    check_token(request, form)
    access = Access(request, request.app.state.memory, request.state.caller)
    return await run_in_threadpool(_done, access, namespace, action, form)


def _done(access: Access, namespace: str, action: str, form: Form) -> Response:
    if action not in ACTIONS:
        raise NotThere("there is no such action")
    access.telling()
    own = access.namespace(namespace)
    said = {name: values[0].strip() for name, values in form.items() if values[0].strip()}
    back = said.pop("back", "")
    try:
        told = ACTIONS[action](access, own, said, form.get("ids", []))
    except ValidationError as wrong:
        raise HttpRefused(400, _in_words(wrong)) from None
    path, _, query = back.lstrip("/").partition("?")
    known = f"?{query}" if query and not told else f"?{urlencode(told)}" if told else ""
    return RedirectResponse(f"/n/{own}/{quote(path)}".rstrip("/") + known, 303)


Told = dict[str, str] | None
"""What the page that a form goes back to is asked, besides what it was."""


def _decision(access: Access, own: str, said: dict[str, str], ids: list[str]) -> Told:
    decided(access, own, _body(bodies.DecisionBody, said | {"ids": ids}))


def _by_rule(access: Access, own: str, said: dict[str, str], _: list[str]) -> Told:
    """Decides alike about all of one kind that are as alike as a person says."""
    kind, decision = said.get("kind", ""), said.get("decision", "")
    least, most = _share(said.get("least", "0")), _share(said.get("most", "100"))
    meant = [
        one
        for one in review(_reader(access, own), kind, AT_ONCE)["items"]
        if decision in one["decisions"]
        and one["similarity"] is not None
        and least <= one["similarity"] <= most
    ]
    if "sure" not in said:
        return {
            "kind": kind, "decision": decision, "least": said.get("least", "0"),
            "most": said.get("most", "100"), "meant": str(len(meant)),
        }  # fmt: skip
    for one in meant:
        body = {"decision": decision, "ids": one["ids"]}
        decided(access, own, _body(bodies.DecisionBody, body))
    return {"kind": kind}


def _share(percent: str) -> float:
    try:
        return float(percent) / 100
    except ValueError:
        raise Undecidable("how alike they are is a number of percent") from None


def _rating(access: Access, own: str, said: dict[str, str], ids: list[str]) -> Told:
    if said.get("verdict") not in rating.THUMBS:
        raise Undecidable("a thumb goes up or down")
    rating.rate(find(access.memory.state, _only(ids), own), said["verdict"])


def _attitude(access: Access, own: str, said: dict[str, str], _: list[str]) -> Told:
    if said.get("verb") not in ATTITUDES:
        raise Undecidable("that is no attitude")
    requests.order(
        access.memory.state, own, said["verb"], requests.topic_of([said.get("topic", "")])
    )


def _learn(access: Access, own: str, said: dict[str, str], _: list[str]) -> Told:
    wanted = _body(bodies.LearnBody, said)
    research.learn(access.memory.state, own, wanted.topic)


def _schedule(access: Access, own: str, said: dict[str, str], _: list[str]) -> Told:
    wanted = _body(bodies.ScheduleBody, said)
    every = None if wanted.every == "never" else wanted.every
    research.schedule(access.memory.state, own, wanted.topic, every)


def _search_again(access: Access, own: str, _: dict[str, str], ids: list[str]) -> Told:
    research.again(_reader(access, own), _only(ids))


def _reaction(access: Access, own: str, said: dict[str, str], ids: list[str]) -> Told:
    if said.get("verb") not in notifications.REACTIONS:
        raise Undecidable("a reaction likes or dislikes")
    _notice(lambda: notifications.react(_reader(access, own), _only(ids), said["verb"]))


def _notify_again(access: Access, own: str, _: dict[str, str], ids: list[str]) -> Told:
    _notice(lambda: notifications.again(_reader(access, own), _only(ids)))


def _notice(do: Callable[[], object]) -> None:
    try:
        do()
    except notifications.Unnotified as error:
        raise Undecidable(str(error)) from None


def _missed(access: Access, own: str, said: dict[str, str], ids: list[str]) -> Told:
    wanted = _body(bodies.MissedBody, {**said, "missed_in": _only(ids)})
    say_missed(_reader(access, own), wanted.missed_in, wanted.expected)


def _forget(access: Access, own: str, said: dict[str, str], _: list[str]) -> Told:
    everywhere = "everywhere" in said
    wanted = bodies.ForgetBody(id=said.get("id", ""), everywhere=everywhere, dry_run=False)
    forgotten(access, own, wanted)


def _retry(access: Access, own: str, _: dict[str, str], __: list[str]) -> Told:
    retry(access, own)


def _backfill(access: Access, own: str, _: dict[str, str], __: list[str]) -> Told:
    backfill(access, own)


def _stop_watching(access: Access, own: str, said: dict[str, str], _: list[str]) -> Told:
    stop_watching(access, own, said.get("path", ""))


ACTIONS: dict[str, Callable[[Access, str, dict[str, str], list[str]], Told]] = {
    "decide": _decision, "decide-by-rule": _by_rule, "rate": _rating, "attitude": _attitude,
    "learn": _learn, "schedule": _schedule, "search-again": _search_again, "react": _reaction,
    "notify-again": _notify_again, "missed": _missed, "forget": _forget,
    "retry": _retry, "backfill": _backfill, "stop-watching": _stop_watching,
}  # fmt: skip
"""By the name in its address; each gets fields of its form by name, and its ids."""


def _reader(access: Access, namespace: str) -> Reader:
    return access.reader(parameters.Parameters(namespace=namespace))


def _body(model: type[Body], said: Mapping[str, object]) -> Body:
    """What a form says, as the body of a request would."""
    return model.model_validate(
        {name: value for name, value in said.items() if name in model.model_fields}
    )


def _only(ids: list[str]) -> str:
    if len(ids) != 1:
        raise Undecidable("that is said of one thing")
    return ids[0]


def _in_words(wrong: ValidationError) -> str:
    """What is wrong, without repeating what was sent."""
    first: Any = wrong.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg'].removeprefix('Value error, ')}"
