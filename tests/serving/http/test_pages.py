"""Pages: each shows its own namespace and nothing of another, and no text of a log is markup."""

import json
import re
import socket
import time
from collections.abc import Generator, Iterator
from html import unescape
from pathlib import Path

import dagster as dg
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx2 import Response

from cairn.assets.engine.namespaces import NAMESPACES, make_known
from cairn.pipelines.planning.instance import instance_of
from cairn.pipelines.runner import QUIET
from cairn.resources.context import State
from cairn.resources.home.api_keys import add_key
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.resources.home.sources import add_source
from cairn.serving.http.app import create_app
from cairn.serving.http.pages.actions import ACTIONS, OPERATING
from cairn.serving.http.pages.page import PAGES
from cairn.serving.query.listing import FactFilter, conversations, episodes, facts, learnings
from cairn.serving.read.reader import Reader, open_reader
from cairn.serving.retrieval.open_memory import Memory
from cairn.serving.runtime.services import note_ui
from cairn.serving.status.pending import pending
from tests.homes import copy_home
from tests.journeys.running import follow
from tests.serving.http.conftest import LOCAL
from tests.serving.two_namespaces import SAID, words

HOSTILE = (
    'I like <script>alert(1)</script> & "mason" bees <img src=x onerror=alert(2)> \u202e\x07tea.'
)
LONG = "w" * 300_000
TALK = "<b>talk</b>?of=#1&100%/../x"


def addresses(reader: Reader) -> list[str]:
    """A path of each page, of things that are there."""
    fact, learning = facts(reader).rows[0], learnings(reader).rows[:1]
    ids = {
        "facts": fact["fact_id"], "entities": fact["entity_id"], "why": fact["fact_id"],
        "learnings": learning[0]["learning_id"] if learning else "",
        "conversations": conversations(reader).rows[0]["conversation_id"],
        "records": episodes(reader).rows[0]["episode_id"], "graph": fact["entity_id"],
    }  # fmt: skip
    paths = [re.sub(r"/(\w+)/\{\w+\}", lambda m: f"/{m[1]}/{ids[m[1]]}", p.path) for p in PAGES]
    return [
        "",
        "/search?query=cache",
        f"/forget?id={ids['facts']}",
        *(path for path in paths if not path.endswith("/")),
    ]


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


@pytest.mark.usefixtures("commands_here")
def test_every_page_is_of_its_namespace_alone(
    closed: TestClient, two: State, keys: dict[str, str]
) -> None:
    for name, other in (("ada", "bo"), ("bo", "ada")):
        closed.cookies.clear()
        enter(closed, keys[name])
        mine, theirs = (addresses(open_reader(two, each)) for each in (name, other))
        assert len(mine) == len(PAGES) + 3
        for path in mine:
            page = closed.get(f"/n/{name}{path}")
            assert page.status_code == 200, path
            assert f"/n/{name}" in page.text
            assert not [word for word in words(other) if word in page.text], path
            policy = page.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            links = re.findall(r'(?:href|src|action)="([^"]*)"', page.text)
            assert all(link.startswith(("/", "#")) for link in links), "of another host"
            (as_json,) = re.findall(r'href="([^"]+)">This page as JSON', page.text) or ("",)
            if path == "/search":
                continue
            told = closed.get(unescape(as_json))
            assert (told.status_code, told.headers["content-type"]) == (200, "application/json")
            assert as_json.partition("?")[0] == f"/n/{name}{path.partition('?')[0]}.json"
            assert not [word for word in words(other) if word in told.text], path
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


def sent(
    client: TestClient, page: str, action: str, back: str = "", **said: str | list[str]
) -> Response:
    """What comes of a form that stands on a page, sent as a browser would."""
    token = re.search(r'name="token" value="(\w+)"', client.get(page).text)
    assert token, f"no form stands on {page}"
    namespace = page.split("/")[2]
    form = {**said, "token": token[1], "back": back}
    return client.post(f"/n/{namespace}/do/{action}", data=form, headers={"origin": LOCAL})


@pytest.fixture
def person(copied: State) -> Iterator[TestClient]:
    """A browser on the machine itself."""
    with TestClient(create_app(Memory(copied)), base_url=LOCAL) as client:
        yield client


def undoing(client: TestClient, page: str) -> dict[str, str]:
    """What the last button of a page sends that undoes a decision."""
    forms = re.findall(
        r'name="decision" value="undo"><input type="hidden" name="ids" value="(\w+)"',
        client.get(f"/n/samples/{page}").text,
    )
    return {"decision": "undo", "ids": forms[-1]}


Story = Generator[None]
"""What a person does on pages and then sees there: at each `yield` the next run comes."""


def a_decision_is_seen_to_wait_and_is_taken_back(state: State, person: TestClient) -> Story:
    fact = facts(open_reader(state)).rows[0]["fact_id"]
    page = f"/n/samples/facts/{fact}"
    assert "It is true" in person.get(page).text
    said = {"decision": "retract", "ids": fact}
    done = sent(person, page, "decide", f"facts/{fact}", **said)
    assert (done.status_code, done.url.path) == (200, page)
    assert "Waits for the next run" in done.text
    taking_back = undoing(person, "review")
    undo = sent(person, "/n/samples/review", "decide", "review", **taking_back)
    assert undo.text.count("undo: ") == 1, "it waits, as what it undoes does"
    again = sent(person, "/n/samples/review", "decide", **undoing(person, "review"))
    assert again.status_code == 200, "an undo is undone alike"
    yield
    assert "retracted" in person.get(page).text
    assert f"facts/{fact}" in person.get("/n/samples/changes").text
    again = sent(person, page, "decide", **said)
    assert (again.status_code, "is retracted" in again.text) == (409, True)
    assert taking_back["ids"] in person.get("/n/samples/decisions").text
    done = sent(person, "/n/samples/decisions", "decide", **taking_back)
    assert done.status_code == 200
    yield
    assert "retracted" not in person.get(page).text
    away = sent(person, page, "decide", "//elsewhere.example/", decision="confirm", ids=fact)
    assert away.history[0].headers["location"] == "/n/samples/elsewhere.example"


def what_was_taken_back_is_decided_again(state: State, person: TestClient) -> Story:
    fact = facts(open_reader(state)).rows[1]["fact_id"]
    page = f"/n/samples/facts/{fact}"
    sent(person, page, "decide", decision="retract", ids=fact)
    sent(person, "/n/samples/review", "decide", **undoing(person, "review"))
    yield
    assert "retracted" not in person.get(page).text
    assert sent(person, page, "decide", decision="retract", ids=fact).status_code == 200
    yield
    assert "retracted" in person.get(page).text


def what_is_said_on_pages_is_told_the_inbox(state: State, person: TestClient) -> Story:
    reader = open_reader(state)
    entity = facts(reader).rows[0]["entity_id"]
    name = facts(reader).rows[0]["entity"]
    learning = learnings(reader).rows[0]["learning_id"]
    record = episodes(reader).rows[0]
    talk = f"/n/samples/conversations/{record['conversation_id']}"
    thing = f"/n/samples/entities/{entity}"
    said = (
        (f"/n/samples/learnings/{learning}", "rate", {"verdict": "up", "ids": learning}, "👍"),
        (thing, "attitude", {"verb": "mute", "topic": name}, f"mute {name}"),
        (thing, "attitude", {"verb": "like", "topic": name}, f"like {name}"),
        ("/n/samples/utility", "attitude", {"verb": "mute", "topic": learning}, f"mute {learning}"),
        ("/n/samples/research", "learn", {"topic": "worm compost"}, "learn worm compost"),
        ("/n/samples/research", "schedule", {"topic": "frost", "every": "week"}, "frost"),
        (talk, "missed", {"expected": "The shed has a lock.", "ids": record["episode_id"]},
         "The shed has a lock."),
    )  # fmt: skip
    for page, action, form, told in said:
        done = sent(person, page, action, **form)
        assert (done.status_code, told in unescape(done.text)) == (200, True), action
    for page, action, form in (
        ("/n/samples/research", "learn", {"topic": "x" * 300}),
        ("/n/samples/research", "schedule", {"topic": "frost", "every": "often"}),
        (thing, "attitude", {"verb": "adore", "topic": name}),
        (thing, "attitude", {"verb": "mute", "topic": "nothere"}),
        (talk, "missed", {"expected": "It is so.", "ids": "r_0000000000000000"}),
        (thing, "nothing", {}),
    ):
        refused = sent(person, page, action, **form)
        assert refused.status_code in (400, 404, 422), action
        assert "<h1>" in refused.text
    yield
    assert "The shed has a lock." in person.get("/n/samples/facts?limit=100").text
    labelled = person.get("/n/samples/missed.json").json()
    assert [(one["record_id"], one["expected"]) for one in labelled["items"]] == [
        (record["episode_id"], "The shed has a lock.")
    ]
    assert labelled["items"][0]["text"]
    assert not labelled["waiting"]
    sent(person, talk, "forget", id=record["episode_id"])
    yield
    assert not person.get("/n/samples/missed.json").json()["items"]
    assert "The shed has a lock." not in person.get("/n/samples/facts?limit=100").text


def one_rule_decides_about_many_once_they_are_counted(_: State, person: TestClient) -> Story:
    pairs = person.get("/n/samples/review.json?kind=pairs").json()["items"]
    rule = {"kind": "pairs", "decision": "keep_apart", "least": "0", "most": "100"}
    page = "/n/samples/review?kind=pairs"
    counted = sent(person, page, "decide-by-rule", "review?kind=pairs", **rule)
    assert f"Decide about {len(pairs)} pair" in counted.text
    assert "Waits for the next run" not in counted.text
    none = sent(person, page, "decide-by-rule", **rule | {"least": "100", "most": "100"})
    assert "meant=0" in str(none.url)
    done = sent(person, page, "decide-by-rule", "review?kind=pairs", **rule, sure="1")
    assert done.text.count("keep apart: ") == len(pairs)
    assert 'class="message decided"' not in done.text, "nothing waits for a word any more"
    yield
    assert not person.get("/n/samples/review.json?kind=pairs").json()["items"]


def what_waits_falls_to_nothing(_: State, person: TestClient) -> Story:
    yield  # the rule of another story is counted first
    kinds = set[str]()
    while items := person.get("/n/samples/review.json").json()["items"]:
        one = items[0]
        kinds.add(one["kind"])
        ids = [one["review_id"]] if "dismiss" in one["decisions"] else one["ids"]
        form = {"decision": one["decisions"][0], "ids": ids}
        told = sent(person, "/n/samples/review", "decide", "review", **form)
        assert told.status_code == 200
    assert kinds == {"entities", "operations"}
    assert "Nothing waits for you" in told.text
    (letter,) = person.get("/n/samples/dead-letters.json").json()["items"]
    page = person.get("/n/samples/dead-letters").text
    assert '{"role":"assistant"' in unescape(page), "the line as it stands"
    gone = {"decision": "dismiss", "ids": letter["review_id"]}
    told = sent(person, "/n/samples/dead-letters", "decide", "dead-letters", **gone)
    assert "Everything was read and done" in told.text
    yield
    assert not any(person.get("/n/samples/review.json").json()["totals"].values())
    home = person.get("/n/samples").text
    assert "for your word" not in home
    assert "could not be read" not in home


def what_was_corrected_leads_to_what_is_true(state: State, person: TestClient) -> Story:
    yield
    old = facts(open_reader(state), FactFilter(predicate="states")).rows[5]["fact_id"]
    page = f"/n/samples/facts/{old}"
    true = {"decision": "correct", "ids": old, "text": "The greenhouse door is repainted in May."}
    sent(person, page, "decide", **true)
    yield
    there = re.search(r'put it right: <a href="([^"]+)"', person.get(page).text)
    assert there
    new = person.get(there[1]).text
    assert "The greenhouse door is repainted in May." in new
    assert f"/n/samples/facts/{old}" in new, "in the place of"
    assert "no longer holds" not in new


def test_what_is_done_on_pages_waits_for_the_next_run_and_is_seen_after_it(
    copied: State, person: TestClient
) -> None:
    """All stories in one home: a run is most of what each takes."""
    stories = [
        story(copied, person)
        for story in (
            one_rule_decides_about_many_once_they_are_counted,
            a_decision_is_seen_to_wait_and_is_taken_back,
            what_was_taken_back_is_decided_again,
            what_is_said_on_pages_is_told_the_inbox,
            what_waits_falls_to_nothing,
            what_was_corrected_leads_to_what_is_true,
        )
    ]
    while stories := [story for story in stories if next(story, "told") != "told"]:
        follow(copied)


@pytest.mark.usefixtures("commands_here")
def test_something_is_forgotten_after_its_receipt_was_shown(two_home: Path, tmp_path: Path) -> None:
    """What a run makes of that is told by the story of the inbox."""
    state = State(open_home(copy_home(two_home, tmp_path / "home")), Settings())
    fact = facts(open_reader(state, "ada")).rows[0]["fact_id"]
    page = f"/n/ada/forget?id={fact}"
    with TestClient(create_app(Memory(state)), base_url=LOCAL) as person:
        end = time.monotonic() + 300  # a busy machine is slow
        while "Look again" in (told := person.get(page).text):
            assert time.monotonic() < end
            time.sleep(0.2)
        assert "Forget it for good" in told
        assert "removed" in told
        assert not pending(state, "ada"), "nothing goes before somebody says so"
        sent(person, page, "forget", id=fact)
        assert pending(state, "ada")


def test_a_form_counts_only_where_it_was_shown(copied: State, person: TestClient) -> None:
    fact = facts(open_reader(copied)).rows[0]["fact_id"]
    page = f"/n/samples/facts/{fact}"
    token = re.search(r'name="token" value="(\w+)"', person.get(page).text)
    assert token
    form = {"decision": "retract", "ids": fact, "token": token[1]}
    ours = {"origin": LOCAL}
    for headers, said in (
        ({}, form),
        ({"origin": "https://elsewhere.example"}, form),
        ({"origin": "null"}, form),
        (ours | {"sec-fetch-site": "cross-site"}, form),
        (ours, form | {"token": "0" * 64}),
        (ours, form | {"token": "é"}),
        (ours, {name: value for name, value in form.items() if name != "token"}),
    ):
        refused = person.post("/n/samples/do/decide", data=said, headers=headers)
        assert refused.status_code == 403
    assert "Waits for the next run" not in person.get(page).text


def test_a_key_opens_only_what_is_its_own(
    closed: TestClient, two: State, keys: dict[str, str]
) -> None:
    fact = facts(open_reader(two, "ada")).rows[0]["fact_id"]
    said = {"ids": fact, "decision": "retract", "id": fact, "verb": "like", "topic": "tea",
            "verdict": "up", "expected": "It is so.", "every": "week", "kind": "pairs",
            "path": "/", "sure": "1"}  # fmt: skip
    before = [len(pending(two, name)) for name in SAID]
    enter(closed, keys["bo"])
    for action in ACTIONS:
        form = said | {"token": _token(closed, "bo")}
        there = closed.post(f"/n/ada/do/{action}", data=form, headers={"origin": LOCAL})
        assert there.status_code == 404, action
        if action in OPERATING:
            own = closed.post(f"/n/bo/do/{action}", data=form, headers={"origin": LOCAL})
            assert own.status_code == 403, "whoever runs the server does that"
        if "ids" in form and action in ("decide", "rate", "missed", "forget"):
            own = closed.post(f"/n/bo/do/{action}", data=form, headers={"origin": LOCAL})
            assert own.status_code in (404, 422), action
    foreign = said | {"token": _token(closed, "bo")}
    closed.cookies.clear()
    enter(closed, keys["ada"])
    stolen = closed.post("/n/ada/do/decide", data=foreign, headers={"origin": LOCAL})
    assert stolen.status_code == 403, "a token is of one key"
    token = _token(closed, "ada")
    closed.cookies.clear()
    enter(closed, add_key(two.home, ["ada"], read_only=True)[0])
    for page in (f"/facts/{fact}", "/research", "/review", "/interests", "/sources"):
        main = closed.get(f"/n/ada{page}").text.partition("<main")[2]
        assert main
        assert "<button" not in main
    for action in ACTIONS:
        form = said | {"token": token}
        refused = closed.post(f"/n/ada/do/{action}", data=form, headers={"origin": LOCAL})
        assert refused.status_code == 403
    assert closed.get(f"/n/ada/forget?id={fact}").status_code == 403
    assert [len(pending(two, name)) for name in SAID] == before


def test_whoever_runs_the_server_adds_sources_and_connects_agents(
    person: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user, logs = tmp_path / "user", tmp_path / "logs <b>"
    (user / ".claude").mkdir(parents=True)
    logs.mkdir()
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    page = "/n/samples/sources"
    watched = sent(person, page, "watch", "sources", path=str(logs))
    assert str(logs) in unescape(watched.text)
    for path, why in (
        ("logs", "whole path"), (str(logs / "no"), "no such file"), ("/\0", "null"),
        ("~nobody-here/logs", "nobody"),
    ):  # fmt: skip
        refused = sent(person, page, "watch", path=path)
        assert (refused.status_code, why in refused.text) == (422, True), path

    page, settings = "/n/samples/agents", user / ".claude" / "settings.json"
    assert "on this machine, not connected" in person.get(page).text
    told = sent(person, page, "connect", "agents", agent="claude-code")
    assert "samples" in settings.read_text()
    assert str(settings) in told.text
    assert "Disconnect it" in told.text
    settings.write_text("{ broken")
    assert sent(person, page, "connect", agent="claude-code").status_code == 503
    settings.unlink()
    assert sent(person, page, "connect", agent="claude-code", remove="1").status_code == 200
    assert not settings.exists()
    assert sent(person, page, "connect", agent="vim").status_code == 404


@dg.asset(partitions_def=NAMESPACES)
def broken() -> None:
    raise ValueError("no <b> here")


@pytest.mark.usefixtures("commands_here")
def test_whoever_runs_the_server_sees_what_dagster_ran(
    person: TestClient, copied: State, closed: TestClient, keys: dict[str, str]
) -> None:
    with instance_of(copied.home) as instance:
        make_known(instance, ["samples"])
        job = dg.Definitions([broken], jobs=[dg.define_asset_job("all")]).resolve_job_def("all")
        job.execute_in_process(
            instance=instance, partition_key="samples", raise_on_error=False, run_config=QUIET
        )
    with socket.create_server(("127.0.0.1", 0)) as ui:
        port = ui.getsockname()[1]
        note_ui(copied.home, port)
        end = time.monotonic() + 300  # a busy machine is slow
        while "is being asked" in (page := person.get("/n/samples/runs").text):
            assert time.monotonic() < end
            time.sleep(0.2)
    assert f'<a href="http://127.0.0.1:{port}/runs/' in page
    assert "broken: ValueError: no &lt;b&gt; here" in page
    enter(closed, keys["bo"])
    assert closed.get("/n/bo/runs").status_code == 403


def _token(client: TestClient, namespace: str) -> str:
    found = re.search(r'name="token" value="(\w+)"', client.get(f"/n/{namespace}/research").text)
    assert found
    return found[1]


def test_a_page_refuses_as_a_page_what_cannot_be_asked(person: TestClient) -> None:
    for path, status in (
        ("/facts?limit=many", 400), ("/facts?cursor=none", 400), ("/facts?limit=1&limit=x", 400),
        ("/records/%00", 404), ("/graph/e_nothing", 404), ("/project?project=nothing", 404),
        ("/search?query=x&as_of=then", 400), ("/search?query=x&back=9999999999999999999", 200),
        ("/costs?by=day", 200), ("/costs?by=day&by=model", 200), ("/costs?by=moon", 400),
        ("/changes?since=99&until=0", 200), ("/changes?since=-1", 400), ("/nothing", 404),
        ("/review?meant=x&least=<b>", 200), ("/forget?id=" + "x" * 3_000, 400),
    ):  # fmt: skip
        page = person.get(f"/n/samples{path}")
        assert page.status_code == status, path
        assert page.headers["content-type"].startswith("text/html"), path
        assert "default-src 'none'" in page.headers["content-security-policy"]
    told = person.get("/n/samples/facts.json?limit=many")
    assert (told.status_code, told.headers["content-type"]) == (400, "application/problem+json")


@pytest.mark.usefixtures("commands_here")
def test_text_of_logs_is_never_markup(tmp_path: Path) -> None:
    state = State(open_home(tmp_path / "home"), Settings())
    (tmp_path / "logs").mkdir()
    lines = [
        {"role": "user", "content": said, "timestamp": f"2026-03-0{day}T10:00:00Z",
         "conversation_id": talk}
        for day, said, talk in (
            (1, HOSTILE, TALK), (2, f"I like {LONG}.", TALK), (3, "I like plums.", "talk.json")
        )
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
            assert not re.search(r"<(?:script(?! src=\"/)|img|b>talk)|\u202e|\x07", page.text), path
            assert len(page.content) < 200_000, path
            seen.append(page.text)
        assert "&lt;script&gt;alert(1)" in "".join(seen)
        links = re.findall(r'<li><a href="(/n/default/conversations/[^"]+)"', "".join(seen))
        assert {"talk.json" in link for link in links} == {True, False}
        for link in {unescape(link) for link in links}:
            assert "/../" not in link, "a browser would cut it"
            page = client.get(link)
            assert page.status_code == 200
            ours = re.findall(r'href="(/n/default/conversations/[^"]+)"', page.text)
            assert ours
            for own in map(unescape, ours):
                assert "/../" not in own
                assert client.get(own).status_code == 200, own
        missed = {
            "expected": "Tea is drunk.",
            "ids": episodes(open_reader(state)).rows[0]["episode_id"],
        }
        back = re.search(r'name="back" value="(conversations/[^"]+)"', page.text)
        assert back
        done = sent(client, links[0], "missed", unescape(back[1]), **missed)
        assert (done.status_code, "Tea is drunk." in done.text) == (200, True)
