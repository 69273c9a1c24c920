"""Two namespaces never see each other: on each route, with each kind of key."""

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx2 import Response

from cairn.resources.context import State
from cairn.resources.home.api_keys import add_key
from cairn.serving.http.guard import PUBLIC
from cairn.serving.query import listing
from cairn.serving.read.reader import open_reader
from tests.serving.hooks.payloads import started
from tests.serving.http.conftest import DOCUMENT, LOCAL, Ask
from tests.serving.two_namespaces import SAID

OF = {
    f"{method.upper()} {path}": (method, path)
    for path, methods in DOCUMENT["paths"].items()
    for method in methods
}
"""Every route of the API."""


@dataclass(frozen=True)
class Things:
    """What there is to ask for in a namespace."""

    topic: str
    host: str
    cwd: str
    fact_id: str
    entity_id: str
    learning_id: str
    record_id: str
    conversation_id: str

    @property
    def own(self) -> list[str]:
        """What nobody else may see."""
        return [self.topic, self.host, self.cwd, self.fact_id, self.entity_id, self.learning_id,
                self.record_id, self.conversation_id]  # fmt: skip


NOTHING = Things("zebra", "192.0.2.1", "/srv/zebra", *(f"{kind}_{'0' * 16}" for kind in "felrc"))


@dataclass(frozen=True)
class Asked:
    """How a route is asked for some things: what stands in its path, after it, and in its body."""

    id: Callable[[Things], str] | None = None
    params: Callable[[Things], dict[str, Any]] = lambda _: {}
    body: Callable[[Things], dict[str, Any]] | None = None
    agent: str | None = None
    """It stands in the path."""
    whole_server: bool = False
    """It names no namespace."""
    repeats: bool = False
    """The answer repeats what it was told."""


ASKED = {
    "GET /v1/search": Asked(
        params=lambda of: {"query": f"{of.topic} cache", "type": "all"}, repeats=True
    ),
    "POST /v1/search": Asked(body=lambda of: {"query": of.topic, "type": "entities"}, repeats=True),
    "POST /v1/context": Asked(
        body=lambda of: {"turns": [of.topic], "message": of.topic}, repeats=True
    ),
    "POST /v1/knowledge": Asked(body=lambda of: {"query": of.topic, "entity": of.entity_id}),
    "GET /v1/facts": Asked(params=lambda of: {"events": True, "limit": 100}),
    "GET /v1/brief": Asked(),
    "GET /v1/utility": Asked(),
    "GET /v1/lesson": Asked(
        params=lambda of: {"error": f"error: {of.topic} not found"}, repeats=True
    ),
    "GET /v1/facts/{fact_id}": Asked(lambda of: of.fact_id),
    "GET /v1/entities": Asked(params=lambda of: {"name": of.host}),
    "GET /v1/entities/{entity_id}": Asked(lambda of: of.entity_id),
    "GET /v1/about": Asked(params=lambda of: {"entity": of.entity_id}),
    "GET /v1/learnings": Asked(),
    "GET /v1/learnings/{learning_id}": Asked(lambda of: of.learning_id),
    "GET /v1/episodes": Asked(),
    "GET /v1/episodes/{episode_id}": Asked(lambda of: of.record_id),
    "GET /v1/conversations": Asked(),
    "GET /v1/conversations/{conversation_id}": Asked(lambda of: of.conversation_id),
    "GET /v1/conversations/{conversation_id}/messages": Asked(lambda of: of.conversation_id),
    "GET /v1/records/{record_id}": Asked(lambda of: of.record_id),
    "GET /v1/review": Asked(),
    "GET /v1/decisions": Asked(),
    "POST /v1/decisions": Asked(
        body=lambda of: {"decision": "retract", "ids": [of.fact_id]}, repeats=True
    ),
    "GET /v1/projects": Asked(),
    "GET /v1/missed": Asked(),
    "POST /v1/missed": Asked(body=lambda of: {"missed_in": of.record_id, "expected": "It is so."}),
    "GET /v1/changes": Asked(),
    "GET /v1/dead-letters": Asked(),
    "GET /v1/costs": Asked(),
    "GET /v1/sources": Asked(),
    "GET /v1/recent": Asked(),
    "GET /v1/status": Asked(),
    "GET /v1/interests": Asked(),
    "GET /v1/graph/{entity_id}": Asked(lambda of: of.entity_id),
    "GET /v1/why/{id}": Asked(lambda of: of.fact_id),
    "GET /v1/uses/{record_id}": Asked(lambda of: of.record_id),
    "POST /v1/events": Asked(body=lambda of: {"type": "note", "text": of.topic}, repeats=True),
    "POST /v1/hooks/{agent}": Asked(body=lambda of: started("codex", "s-1", of.cwd), agent="codex"),
    "GET /v1/learn-prompts": Asked(),
    "POST /v1/learn-prompts": Asked(body=lambda of: {"topic": of.topic}, repeats=True),
    "GET /v1/schedules": Asked(),
    "POST /v1/schedules": Asked(body=lambda of: {"topic": of.topic, "every": "3d"}, repeats=True),
    "GET /v1/research": Asked(),
    "GET /v1/notifications": Asked(),
    "POST /v1/forget": Asked(body=lambda of: {"id": of.fact_id, "dry_run": False}),
    "GET /v1/namespaces": Asked(whole_server=True),
    "GET /health": Asked(whole_server=True),
    "GET /health/ready": Asked(whole_server=True),
    "GET /metrics": Asked(whole_server=True),
}


def send(
    client: TestClient, route: str, of: Things, namespace: str | None = None, **more: Any
) -> Response:
    method, path = OF[route]
    how = ASKED[route]
    path = path.replace("{agent}", how.agent or "")
    if how.id:
        path = re.sub(r"\{\w+\}", how.id(of), path)
    named = {} if namespace is None else {"namespace": namespace}
    body = {"json": how.body(of)} if how.body else {}
    return client.request(method.upper(), path, params=how.params(of) | named, **body, **more)


@pytest.fixture(scope="session")
def things(two: State) -> dict[str, Things]:
    def of(name: str) -> Things:
        reader = open_reader(two, name)
        (fact,) = listing.facts(reader, listing.FactFilter(predicate="connects_to_host")).rows
        told = listing.fact(reader, fact["fact_id"])
        return Things(
            SAID[name][1], SAID[name][2], f"/home/{name}/code/{SAID[name][0]}",
            fact["fact_id"], fact["entity_id"],
            listing.learnings(reader).rows[0]["learning_id"],
            listing.episodes(reader).rows[0]["episode_id"] if told else "",
            listing.episodes(reader).rows[0]["conversation_id"],
        )  # fmt: skip

    return {name: of(name) for name in SAID}


@pytest.fixture(autouse=True)
def _nothing_noted(two: State) -> Iterator[None]:
    """What one test says waits for the next run, and lists show that: to no other test."""
    yield
    for folder in two.home.inbox.iterdir():
        if folder.is_dir():
            shutil.rmtree(folder)


def test_every_route_is_asked_here() -> None:
    assert set(ASKED) == set(OF)


@pytest.mark.parametrize("route", ASKED)
def test_each_sees_its_own_and_nothing_of_the_other(
    route: str, ask: Ask, things: dict[str, Things]
) -> None:
    for name, other in (("ada", "bo"), ("bo", "ada")):
        answers = [send(ask(name), route, things[name])]
        if not ASKED[route].whole_server:
            answers.append(send(ask(name), route, things[name], namespace=name))
        for answer in answers:
            assert answer.status_code in (200, 202), answer.text
            assert not [word for word in things[other].own if word in answer.text]
            assert f'"{other}"' not in answer.text
        if OF[route][0] == "get" and route not in ("GET /health", "GET /health/ready"):
            assert f'"{name}"' in answers[0].text


@pytest.mark.parametrize("route", ASKED)
def test_what_is_of_the_other_is_not_there(route: str, ask: Ask, things: dict[str, Things]) -> None:
    """Just as what nobody has: neither status nor words tell one from the other."""
    ada, bos = ask("ada"), things["bo"]
    if not ASKED[route].whole_server:
        refused = send(ada, route, bos, namespace="bo")
        assert refused.status_code == 404
        assert refused.content == send(ada, route, bos, namespace="nobody").content
        assert refused.content == send(ada, route, NOTHING, namespace="nobody").content
    if ASKED[route].id:
        missing = send(ada, route, bos)
        assert missing.status_code == 404
        assert missing.content == send(ada, route, NOTHING).content
    else:
        told = send(ada, route, bos).text
        unseen = bos.own[1:] if ASKED[route].repeats else bos.own
        assert not [word for word in unseen if word in told]


@pytest.mark.parametrize("route", ASKED)
def test_nobody_is_answered_without_a_key(
    route: str, ask: Ask, things: dict[str, Things], keys: dict[str, str]
) -> None:
    public = OF[route][1] in PUBLIC
    for header in (None, "", "Bearer", "Bearer ", f"Bearer {keys['ada']}x", f"Basic {keys['ada']}",
                   keys["ada"], "Bearer é"):  # fmt: skip
        headers = {} if header is None else {"authorization": header.encode("latin-1")}
        for namespace in ("ada", "nobody"):
            named = None if ASKED[route].whole_server else namespace
            answer = send(ask(None), route, things["ada"], named, headers=headers)
            assert answer.status_code == (200 if public else 401)
            assert public or answer.headers["www-authenticate"] == "Bearer"
            assert not [word for word in things["ada"].own if word in answer.text]


def test_a_path_that_is_not_there_needs_a_key_too(ask: Ask) -> None:
    assert ask(None).get("/v1/nothing").status_code == 401
    assert ask("ada").get("/v1/nothing").status_code == 404


def test_a_cursor_tells_nothing_and_opens_nothing(ask: Ask) -> None:
    for path in ("facts", "entities", "episodes", "conversations", "recent"):
        cursor = ask("bo").get(f"/v1/{path}", params={"limit": 1}).json()["next"]
        given = ask("ada").get(f"/v1/{path}", params={"cursor": cursor})
        invented = ask("ada").get(f"/v1/{path}", params={"cursor": f"WyI{'A' * 40}"})
        assert given.status_code == 400
        assert given.content == invented.content


def test_metrics_name_no_other_namespace(ask: Ask, things: dict[str, Things]) -> None:
    send(ask("bo"), "GET /v1/search", things["bo"])
    send(ask("ada"), "GET /v1/search", things["ada"], namespace="bo")
    told = ask("ada").get("/metrics").text
    assert 'namespace="ada"' in told
    assert "bo" not in [line.partition('namespace="')[2].partition('"')[0]
                        for line in told.splitlines()]  # fmt: skip
    assert 'cairn_rows{kind="facts",namespace="ada"} 5.0' in told


def test_an_event_of_the_other_is_not_written(
    two: State, ask: Ask, things: dict[str, Things]
) -> None:
    def lines(name: str) -> int:
        return sum(
            len(file.read_bytes().splitlines()) for file in (two.home.inbox / name).glob("*")
        )

    before = lines("bo")
    event = {"type": "note", "text": "x", "event_id": "4f7c1fbe-0f0a-4c2e-9a0f-6d1d3c1f2b7a"}
    assert ask("ada").post("/v1/events?namespace=bo", json=event).status_code == 404
    assert lines("bo") == before
    # An id that the other has used is as new as any.
    assert ask("bo").post("/v1/events", json=event).json()["written"]
    assert ask("ada").post("/v1/events", json=event).json()["written"]


def test_a_key_of_both_must_say_which(two: State, two_app: FastAPI) -> None:
    secret, _ = add_key(two.home, ["ada", "bo", "empty"], read_only=True)
    client = TestClient(two_app, base_url=LOCAL, headers={"authorization": f"Bearer {secret}"})
    unsaid = client.get("/v1/facts")
    assert (unsaid.status_code, unsaid.json()["detail"]) == (
        400,
        "choose with `namespace`: ada, bo",
    )
    for name in SAID:
        found = client.get("/v1/facts", params={"namespace": name}).json()
        assert {row["namespace"] for row in found["items"]} == {name}
    assert client.get("/v1/facts", params={"namespace": "empty"}).status_code == 404
    named = [each["namespace"] for each in client.get("/v1/namespaces").json()["namespaces"]]
    assert named == ["ada", "bo"]
    told = client.post("/v1/events?namespace=ada", json={"type": "note", "text": "x"})
    assert (told.status_code, "read-only" in told.json()["detail"]) == (403, True)
