"""Pages: each shows its own namespace and nothing of another, and no text of a log is markup."""

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from cairn.resources.context import State
from cairn.resources.home.api_keys import add_key
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.resources.home.sources import add_source
from cairn.serving.http.app import create_app
from cairn.serving.http.pages.page import PAGES
from cairn.serving.query.listing import conversations, episodes, facts, learnings
from cairn.serving.read.reader import Reader, open_reader
from cairn.serving.retrieval.open_memory import Memory
from tests.journeys.running import follow
from tests.serving.http.conftest import LOCAL
from tests.serving.two_namespaces import SAID, words

HOSTILE = (
    'I like <script>alert(1)</script> & "mason" bees <img src=x onerror=alert(2)> \u202e\x07tea.'
)
LONG = "w" * 1_000_000


def addresses(reader: Reader) -> list[str]:
    """A path of each page, of things that are there."""
    fact, learning = facts(reader).rows[0], learnings(reader).rows[:1]
    ids = {
        "facts": fact["fact_id"], "entities": fact["entity_id"], "why": fact["fact_id"],
        "learnings": learning[0]["learning_id"] if learning else "",
        "conversations": conversations(reader).rows[0]["conversation_id"],
        "records": episodes(reader).rows[0]["episode_id"],
    }  # fmt: skip
    paths = [re.sub(r"/(\w+)/\{\w+\}", lambda m: f"/{m[1]}/{ids[m[1]]}", p.path) for p in PAGES]
    return ["", "/search?query=cache", *(path for path in paths if not path.endswith("/"))]


@pytest.fixture
def closed(two_app: FastAPI, keys: dict[str, str]) -> Iterator[TestClient]:
    """A browser before a server that wants a key."""
    with TestClient(two_app, base_url=LOCAL, follow_redirects=False) as client:
        yield client


def enter(client: TestClient, key: str) -> None:
    answer = client.post("/login", data={"key": key}, headers={"origin": LOCAL})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


def test_every_page_is_of_its_namespace_alone(
    closed: TestClient, two: State, keys: dict[str, str]
) -> None:
    for name, other in (("ada", "bo"), ("bo", "ada")):
        closed.cookies.clear()
        enter(closed, keys[name])
        mine, theirs = (addresses(open_reader(two, each)) for each in (name, other))
        assert len(mine) == len(PAGES) + 2
        for path in mine:
            page = closed.get(f"/n/{name}{path}")
            assert page.status_code == 200, path
            assert f"/n/{name}" in page.text
            assert not [word for word in words(other) if word in page.text], path
            policy = page.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "script-src" not in policy
            links = re.findall(r'(?:href|src|action)="([^"]*)"', page.text)
            assert all(link.startswith(("/", "#")) for link in links), "of another host"
        for path in theirs:
            for hidden in (f"/n/{other}{path}", f"/n/nobody{path}"):
                refused = closed.get(hidden)
                assert refused.status_code == 404
                assert not [word for word in words(other) if word in refused.text]
        ids = [path for path in theirs if re.search(r"_[0-9a-f]{16}$", path)]
        assert [closed.get(f"/n/{name}{path}").status_code for path in ids] == [404] * len(ids)


def test_a_page_and_its_json_are_the_answer_of_the_api(
    closed: TestClient, keys: dict[str, str]
) -> None:
    enter(closed, keys["ada"])
    told = closed.get("/n/ada/facts.json?limit=2").json()
    answer = closed.get(
        "/v1/facts?limit=2", headers={"authorization": f"Bearer {keys['ada']}"}
    ).json()
    assert told == answer
    page = closed.get("/n/ada/facts?limit=2")
    for fact in told["items"]:
        assert fact["content"] in unescape(page.text)
    more = re.search(r'rel="next" href="([^"]+)"', page.text)
    assert more
    following = closed.get(unescape(more[1]))
    assert following.status_code == 200
    assert told["items"][0]["fact_id"] not in following.text


def test_without_a_key_people_are_asked_for_one_and_programs_refused(
    closed: TestClient, keys: dict[str, str]
) -> None:
    for path in ("/", "/n/ada", "/n/ada/facts.json"):
        asked = closed.get(path)
        assert (asked.status_code, asked.headers["location"]) == (303, "/login")
    assert closed.get("/login").status_code == 200
    assert closed.get("/cairn.css").status_code == 200
    wrong = closed.post("/login", data={"key": "nothing"}, headers={"origin": LOCAL})
    assert (wrong.status_code, "opens nothing" in wrong.text) == (401, True)
    for headers in ({"origin": "https://elsewhere.example"}, {"sec-fetch-site": "cross-site"}):
        foreign = closed.post("/login", data={"key": keys["ada"]}, headers=headers)
        assert foreign.status_code == 403
        assert "set-cookie" not in foreign.headers
    enter(closed, keys["ada"])
    assert closed.get("/v1/facts").status_code == 401, "a cookie opens pages alone"
    note = closed.post("/v1/events", json={"type": "note", "text": "x"})
    assert note.status_code == 401
    assert closed.post("/logout").status_code == 303
    assert closed.get("/n/ada").status_code == 303


def test_a_key_of_several_chooses_among_them(
    closed: TestClient, two: State, keys: dict[str, str]
) -> None:
    enter(closed, keys["ada"])
    assert closed.get("/").headers["location"] == "/n/ada"
    closed.cookies.clear()
    enter(closed, add_key(two.home, [*SAID], read_only=True)[0])
    first = closed.get("/")
    assert all(f'href="/n/{name}"' in first.text for name in SAID)


def test_a_person_decides_on_a_page_and_sees_it_wait(copied: State) -> None:
    with TestClient(create_app(Memory(copied)), base_url=LOCAL) as client:
        fact = facts(open_reader(copied)).rows[0]["fact_id"]
        page = f"/n/samples/facts/{fact}"
        assert "It is true" in client.get(page).text
        form = {"decision": "retract", "ids": fact, "back": f"facts/{fact}"}
        for headers in ({}, {"origin": "https://elsewhere.example"}, {"origin": "null"}):
            foreign = client.post("/n/samples/decisions", data=form, headers=headers)
            assert foreign.status_code == 403
        assert "Waits for the next run" not in client.get(page).text
        ours = {"origin": LOCAL}
        done = client.post("/n/samples/decisions", data=form, headers=ours)
        assert (done.status_code, done.url.path) == (200, page)
        assert "Waits for the next run" in done.text
        follow(copied)
        assert "retracted" in client.get(page).text
        again = client.post("/n/samples/decisions", data=form, headers=ours)
        assert (again.status_code, "is retracted" in again.text) == (409, True)
        away = {"decision": "confirm", "ids": fact, "back": "//elsewhere.example/"}
        gone = client.post("/n/samples/decisions", data=away, headers=ours, follow_redirects=False)
        assert gone.headers["location"] == "/n/samples/elsewhere.example/"


def test_a_read_only_key_decides_nothing(
    closed: TestClient, two: State, keys: dict[str, str]
) -> None:
    reader = open_reader(two, "ada")
    fact = facts(reader).rows[0]["fact_id"]
    enter(closed, add_key(two.home, ["ada"], read_only=True)[0])
    assert "It is true" not in closed.get(f"/n/ada/facts/{fact}").text
    form = {"decision": "retract", "ids": fact}
    refused = closed.post("/n/ada/decisions", data=form, headers={"origin": LOCAL})
    assert refused.status_code == 403
    closed.cookies.clear()
    enter(closed, keys["bo"])
    hidden = closed.post("/n/ada/decisions", data=form, headers={"origin": LOCAL})
    assert hidden.status_code == 404
    own = closed.post("/n/bo/decisions", data=form, headers={"origin": LOCAL})
    assert own.status_code == 404


def test_text_of_logs_is_never_markup(tmp_path: Path) -> None:
    state = State(open_home(tmp_path / "home"), Settings())
    (tmp_path / "logs").mkdir()
    lines = [
        {"role": "user", "content": said, "timestamp": f"2026-03-0{day}T10:00:00Z",
         "conversation_id": "<b>talk</b>"}
        for day, said in ((1, HOSTILE), (2, f"I like {LONG}."))
    ]  # fmt: skip
    (tmp_path / "logs" / "chat.jsonl").write_text("\n".join(map(json.dumps, lines)))
    add_source(state.home, tmp_path / "logs", "default")
    follow(state)
    with TestClient(create_app(Memory(state)), base_url=LOCAL) as client:
        paths = [
            *addresses(open_reader(state)),
            *("/search?query=<script>alert(3)</script>", "/facts?entity=<script>"),
            *("/records/<script>", "/review?kind=<script>"),
        ]
        seen: list[str] = []
        for path in paths:
            page = client.get(f"/n/default{path}")
            assert page.status_code in (200, 400, 404), path
            assert not re.search(r"<(?:script|img|b>talk)|\u202e|\x07", page.text), path
            assert len(page.content) < 200_000, path
            seen.append(page.text)
        assert "&lt;script&gt;alert(1)" in "".join(seen)
        assert client.get("/n/default/conversations").status_code == 200
