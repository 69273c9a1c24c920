"""What people do on pages: each form tells the inbox something, and goes back to where it stood."""

from collections.abc import Callable, Container
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, ValidationError

from cairn.resources.context import State
from cairn.serving.http.auth import Access
from cairn.serving.http.errors import HttpRefused, NotThere
from cairn.serving.http.pages.login import Form, form_of
from cairn.serving.http.pages.operating import (
    backfill,
    begin,
    compare_prompt,
    connect,
    retry,
    run,
    stop_watching,
    watch,
)
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


@router.post("/")
async def do_first(request: Request) -> Response:
    """Reads the first logs of a home that has none."""
    form = await form_of(request)
    check_token(request, form)
    access = Access(request, request.app.state.memory, request.state.caller)
    await run_in_threadpool(begin, access, form.get("path", [""])[0].strip())
    return RedirectResponse("/", 303)


class SentForm(NamedTuple):
    """What a person sent, once they may."""

    access: Access
    own: str
    """The namespace."""
    said: dict[str, str]
    """Fields that are not empty, by name."""
    ids: list[str]
    """What it is about."""

    @property
    def state(self) -> State:
        """Where it is told."""
        return self.access.memory.state

    @property
    def reader(self) -> Reader:
        """The reader of the namespace."""
        return self.access.reader(parameters.Parameters(namespace=self.own))

    @property
    def id(self) -> str:
        """The one thing that it is about.

        Raises:
            Undecidable: there is none, or there are several.
        """
        if len(self.ids) != 1:
            raise Undecidable("that is said of one thing")
        return self.ids[0]

    def body(self, model: type[Body], **more: object) -> Body:
        """What it says, as the body of a request would.

        Raises:
            ValidationError: it says nothing that can be one.
        """
        said = {**self.said, **more}
        return model.model_validate(
            {name: said[name] for name in model.model_fields if name in said}
        )

    def one_of(self, name: str, known: Container[str], otherwise: str) -> str:
        """A field that says one of some words.

        Raises:
            Undecidable: it says another, or nothing.
        """
        if (word := self.said.get(name, "")) not in known:
            raise Undecidable(otherwise)
        return word


Told = dict[str, str] | None
"""What the page that a form goes back to is asked, in place of what it was."""


def _done(access: Access, namespace: str, action: str, form: Form) -> Response:
    if action not in ACTIONS:
        raise NotThere("there is no such action")
    access.telling()
    own = access.namespace(namespace)
    said = {name: values[0].strip() for name, values in form.items() if values[0].strip()}
    path, _, query = said.pop("back", "").lstrip("/").partition("?")
    try:
        told = ACTIONS[action](SentForm(access, own, said, form.get("ids", [])))
    except ValidationError as wrong:
        raise HttpRefused(400, _in_words(wrong)) from None
    except notifications.Unnotified as error:
        raise Undecidable(str(error)) from None
    query = urlencode(told) if told else query
    return RedirectResponse(
        f"/n/{own}/{quote(path, safe='/%')}".rstrip("/") + (f"?{query}" if query else ""), 303
    )


def _decision(form: SentForm) -> Told:
    decided(form.access, form.own, form.body(bodies.DecisionBody, ids=form.ids))


def _by_rule(form: SentForm) -> Told:
    """Decides alike about all of one kind that are as alike as a person says."""
    rule = {"kind": "", "decision": "", "least": "0", "most": "100"}
    rule = {name: form.said.get(name, unsaid) for name, unsaid in rule.items()}
    kind = form.body(parameters.ReviewParameters).kind
    least, most = _share(rule["least"]), _share(rule["most"])
    meant = [
        one["ids"]
        for one in review(form.reader, kind, AT_ONCE)["items"]
        if rule["decision"] in one["decisions"]
        and one["similarity"] is not None
        and least <= one["similarity"] <= most
    ]
    if "sure" not in form.said:
        return rule | {"meant": str(len(meant))}
    for ids in meant:
        body = {"decision": rule["decision"], "ids": ids}
        decided(form.access, form.own, bodies.DecisionBody.model_validate(body))
    return {"kind": rule["kind"]}


def _share(percent: str) -> float:
    try:
        return float(percent) / 100
    except ValueError:
        raise Undecidable("how alike they are is a number of percent") from None


def _rating(form: SentForm) -> Told:
    verdict = form.one_of("verdict", rating.THUMBS, "a thumb goes up or down")
    rating.rate(find(form.state, form.id, form.own), verdict)


def _attitude(form: SentForm) -> Told:
    verb = form.one_of("verb", ATTITUDES, "that is no attitude")
    topic = requests.topic_of([form.said.get("topic", "")])
    if verb in requests.OF_KNOWN:
        topic = requests.muted_as(form.reader, topic)
    requests.order(form.state, form.own, verb, topic)


def _learn(form: SentForm) -> Told:
    research.learn(form.state, form.own, form.body(bodies.LearnBody).topic)


def _schedule(form: SentForm) -> Told:
    wanted = form.body(bodies.ScheduleBody)
    research.schedule(form.state, form.own, wanted.topic, wanted.interval)


def _search_again(form: SentForm) -> Told:
    research.again(form.reader, form.id)


def _reaction(form: SentForm) -> Told:
    verb = form.one_of("verb", notifications.REACTIONS, "a reaction likes or dislikes")
    notifications.react(form.reader, form.id, verb)


def _notify_again(form: SentForm) -> Told:
    notifications.again(form.reader, form.id)


def _missed(form: SentForm) -> Told:
    wanted = form.body(bodies.MissedBody, missed_in=form.id)
    say_missed(form.reader, wanted.missed_in, wanted.expected)


def _forget(form: SentForm) -> Told:
    everywhere = "everywhere" in form.said
    wanted = bodies.ForgetBody(id=form.said.get("id", ""), everywhere=everywhere, dry_run=False)
    forgotten(form.access, form.own, wanted)


def _run(form: SentForm) -> Told:
    run(form.access, form.own)


def _retry(form: SentForm) -> Told:
    retry(form.access, form.own)


def _backfill(form: SentForm) -> Told:
    backfill(form.access, form.own)


def _compare(form: SentForm) -> Told:
    prompt, talk = form.said.get("prompt", ""), form.said.get("talk", "")
    compare_prompt(form.access, form.reader, prompt, talk)
    return {"prompt": prompt, "talk": talk}


def _watch(form: SentForm) -> Told:
    watch(form.access, form.own, form.said.get("path", ""))


def _connect(form: SentForm) -> Told:
    agent, remove = form.said.get("agent", ""), "remove" in form.said
    connect(form.access, form.own, agent, remove=remove)


def _stop_watching(form: SentForm) -> Told:
    stop_watching(form.access, form.own, form.said.get("path", ""))


OPERATING = frozenset(
    {"run", "retry", "backfill", "watch", "stop-watching", "connect", "compare-prompt"}
)
"""What only whoever runs the server does."""

ACTIONS: dict[str, Callable[[SentForm], Told]] = {
    "decide": _decision, "decide-by-rule": _by_rule, "rate": _rating, "attitude": _attitude,
    "learn": _learn, "schedule": _schedule, "search-again": _search_again, "react": _reaction,
    "notify-again": _notify_again, "missed": _missed, "forget": _forget,
    "run": _run, "retry": _retry, "backfill": _backfill, "watch": _watch,
    "stop-watching": _stop_watching, "connect": _connect, "compare-prompt": _compare,
}  # fmt: skip
"""By the name in its address."""


def _in_words(wrong: ValidationError) -> str:
    """What is wrong, without repeating what was sent."""
    first: Any = wrong.errors(include_url=False, include_input=False)[0]
    limits: dict[str, Any] = first.get("ctx", {})
    words = {
        "missing": "is missing",
        "string_too_short": "says nothing",
        "string_too_long": f"is longer than {limits.get('max_length')} characters",
        "string_pattern_mismatch": "is not of the form that it must have",
        "too_long": f"are more than {limits.get('max_length')}",
        "too_short": "are missing",
    }.get(first["type"])
    place = str(first["loc"][0]) if first["loc"] else "that"
    return f"{place} {words}" if words else first["msg"].removeprefix("Value error, ")
