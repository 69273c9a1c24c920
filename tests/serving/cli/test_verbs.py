"""The same verbs on the command line, over HTTP and as tools: one event each, one answer."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from cairn.assets.effects.search import enrich
from cairn.resources.context import State
from cairn.resources.deletion.tombstones import tombstones
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.resources.web.search_provider import Folder
from cairn.serving.http.app import create_app
from cairn.serving.mcp_server.auth import KeyScope
from cairn.serving.retrieval.open_memory import Memory
from tests.homes import copy_home
from tests.journeys.running import follow
from tests.journeys.test_research import QUEUE
from tests.serving.conftest import Ask
from tests.serving.mcp_server.conftest import asking

Say = Callable[..., Any]
"""From a verb and what it is said of to the answer."""

LOCAL = "http://127.0.0.1"
TEA = "# Tea\n\nGreen tea is brewed at 80 degrees.\n"


@pytest.fixture
def two(two_home: Path, tmp_path: Path) -> State:
    return State(open_home(copy_home(two_home, tmp_path / "home")), Settings(namespace="ada"))


def by_http(state: State) -> Say:
    client = TestClient(create_app(Memory(state)), base_url=LOCAL)

    def say(verb: str, **said: Any) -> Any:
        if said:
            return client.post(f"/v1/{verb}", json=said).json()
        return client.get(f"/v1/{verb}").json()

    return say


def by_tool(state: State) -> Say:
    ask = asking(Memory(state), KeyScope(writes=True))
    tools = {"learn-prompts": ("learn", "list_learn_prompts"),
             "schedules": ("schedule", "list_research"),
             "research": ("list_research", "list_research"),
             "forget": ("forget", "forget")}  # fmt: skip

    def say(verb: str, **said: Any) -> Any:
        tell, read = tools[verb]
        told = ask.fields(tell if said else read, **said)
        return told if said else told | {"items": told.get("items", told.get("due"))}

    return say


def test_what_is_asked_for_is_noted_searched_for_and_listed(
    two: State, run_cairn: Ask, tmp_path: Path
) -> None:
    http, tool = by_http(two), by_tool(two)
    told = http("learn-prompts", topic="  green   tea ")
    assert told["written"]
    assert not told["provider"]
    tool("schedules", topic="Rust releases", every="week")
    http("schedules", topic="Go releases", every="week")
    tool("schedules", topic="go releases", every="never")
    assert http("learn-prompts")["items"] == [], "noted, and not yet applied"
    follow(two)
    (waits,) = http("learn-prompts")["items"]
    assert waits["learn_prompt_id"] == told["record_id"]
    assert (waits["prompt_text"], waits["status"]) == ("green tea", "active")
    assert waits["searches_remaining"] == 4
    totals = tool("research")["totals"]
    assert (totals["due"], totals["done"]) == (0, 0)
    assert totals["blocked"] >= 5, "no provider: all is blocked"

    (tmp_path / "tea.md").write_text(TEA)
    enrich(two, Folder(tmp_path, 3))  # says from when on searches may be made
    later = tool("learn-prompts", topic="tea")
    http("schedules", topic="brewing", every="week")
    follow(two, QUEUE)
    enrich(two, Folder(tmp_path, 3))
    follow(two)
    done = {one["learn_prompt_id"]: one["status"] for one in http("learn-prompts")["items"]}
    assert done[later["record_id"]] == "completed"
    listed = run_cairn("--home", two.home.root, "learn", "--namespace", "ada", "--json").json[
        "items"
    ]
    assert {one["learn_prompt_id"]: one["status"] for one in listed} == done
    assert list(done) == [one["learn_prompt_id"] for one in tool("learn-prompts")["items"]]
    research = http("research")
    assert {one["outcome"] for one in research["done"]} <= {"done", "empty"}
    assert "brewing" in {one["query"] for one in research["done"]}
    assert research["totals"] == tool("research")["totals"]
    recurs = {one["topic"] for one in http("schedules")["items"]}
    assert recurs == {"Rust releases", "brewing"}
    assert recurs == {
        one["topic"] for one in tool("schedules")["items"] if one["mode"] == "schedule"
    }


def test_forgetting_is_a_dry_run_unless_it_is_said_otherwise(
    two: State, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One dry run, which takes seconds: what is asked meanwhile, and what both surfaces tell."""
    client = TestClient(create_app(Memory(two)), base_url=LOCAL)
    http, tool = by_http(two), by_tool(two)
    monkeypatch.setattr("cairn.serving.write.dry_run.PATIENCE", 0.0)
    first = http("forget", id="ada-session-1")
    assert (first["ready"], first["lines_removed"], first["counts"]) == (False, 10, None)
    refused = client.post("/v1/forget?namespace=bo", json={"id": "bo-session-3"})
    assert (refused.status_code, "under way" in refused.json()["detail"]) == (503, True)
    monkeypatch.undo()
    # Of more than a hundred rows programs are told what goes; an agent gets some of each effect.
    for say, effects in ((http, {"removed"}), (tool, {"kept", "removed"})):
        while not (dry := say("forget", id="ada-session-1"))["ready"]:
            assert (dry["lines_removed"], dry["counts"]) == (10, None)  # for who asks again
        shown = (dry["namespace"], dry["target_type"], dry["dry_run"])
        assert shown == ("ada", "conversation", True)
        assert dry["counts"]["removed"]["records"] == 10
        assert dry["counts"]["removed"]["conversations"] == 1
        assert dry["counts"]["kept"]["memory"] > 0, "the other session says the same"
        assert {row["effect"] for row in dry["rows"]} == effects
        assert dry["event_id"] is None
    for body, status in (
        ({"id": "ada-session-1"}, 404),
        ({"id": "bo"}, 404),
        ({"id": "bo-session-1", "target_type": "fact"}, 404),
        ({"id": "ada", "target_type": "namespace"}, 404),
        ({"id": "bo-session-1", "dry_run": 0}, 422),
        ({"id": "bo-session-1", "everywhere": True}, 422),
        ({"id": "bo", "target_type": "namespace", "everywhere": True}, 422),
        ({"id": "quincepress", "everywhere": True}, 404),
    ):
        answer = client.post("/v1/forget?namespace=bo", json=body)
        assert answer.status_code == status, body
    assert tombstones(two.home) == {}
    assert not list(two.home.root.glob("*.partial"))

    other = State(open_home(copy_home(two.home.root, tmp_path / "other")), two.settings)
    for home, say in ((two.home, http), (other.home, by_tool(other))):
        told = say("forget", id="ada-session-1", dry_run=False)
        assert told["written"]
        assert told["counts"] is None
        # What it is called in the other namespace says nothing of this one.
        words = say("forget", id="quincepress cache", everywhere=True, dry_run=False)
        assert (words["target_type"], words["lines_removed"]) == ("name", 6)
        whole = say("forget", id="ada", target_type="namespace", dry_run=False)
        assert whole["written"]
        noted = tombstones(home)
        assert noted.keys() == {"ada"}
        assert [one.thing for one in noted["ada"]] == ["conversation", "name", "namespace"]
        assert "quince" not in str(noted)
