"""`cairn brief`: what to know of a project before work on it starts."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from cairn.knowledge.ingest.speakers import spoken
from cairn.resources.context import open_state
from cairn.serving.http.app import create_app
from cairn.serving.knowledge_layers.knowledge import Knowledge
from cairn.serving.mcp_server.auth import KeyScope
from cairn.serving.mcp_server.tools import call
from cairn.serving.read.id_lookup import UnknownId
from cairn.serving.retrieval.open_memory import Memory
from tests.serving.conftest import Ask
from tests.serving.mcp_server.conftest import asking, text


def test_a_brief_tells_how_to_work_within_its_budget(ask: Ask, home: Path) -> None:
    told = ask("brief", "lantern-shop", "--json").json
    assert told["project"] == "lantern-shop"
    kinds = [line["kind"] for line in told["lines"]]
    assert {"practice", "recent"} <= set(kinds)
    assert told["tokens"] <= 400
    assert all(line["text"] in told["text"] for line in told["lines"])
    assert '<cairn-memory namespace="samples"' in told["text"]
    few = ask("brief", "lantern-shop", "--budget", "120", "--json").json
    assert 0 < len(few["lines"]) < len(told["lines"])
    assert few["tokens"] <= 120
    printed = ask("brief", "lantern-shop").out
    assert {who for who, _ in spoken(printed)} == {"recalled"}, "whoever pastes it"
    shown = " ".join(printed.split())
    assert "How to work here" in shown
    assert told["lines"][0]["text"] in shown
    fenced = ask("brief", "lantern-shop", "--text").out
    assert fenced.strip() == told["text"].strip()
    with Knowledge.open(home) as knowledge:
        assert knowledge.brief("lantern-shop")["text"] == told["text"]


def test_a_path_in_a_project_names_it(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ask("brief", "/srv/lantern-shop/src", "--json").json["project"] == "lantern-shop"
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    last = ask("brief")
    assert "this is the project that was worked on last" in " ".join(last.out.split())
    passed_on = ask("brief", "--text")
    assert (passed_on.code, passed_on.out) == (0, ""), "an agent is told of no other project"


UNKNOWN = "no project is called 'lantern-shpo' (did you mean lantern-shop?); worked on last: "


def test_a_project_that_is_not_known_is_an_error_that_names_those_that_are(
    ask: Ask, home: Path
) -> None:
    for words in (
        ["brief", "lantern-shpo"],
        ["lesson", "--error", "x", "--project", "lantern-shpo"],
    ):
        told = ask(*words, "--json")
        assert (told.code, told.out) == (1, "")
        assert UNKNOWN in told.err
        assert "harbor-backup" in told.err
    memory = Memory(open_state(home))
    client = TestClient(create_app(memory), base_url="http://127.0.0.1")
    for path in ("brief?", "lesson?error=x&"):
        answer = client.get(f"/v1/{path}project=lantern-shpo")
        assert answer.status_code == 404
        assert UNKNOWN in answer.json()["detail"]
    for tool, given in (("get_brief", {}), ("get_lesson", {"error": "x"})):
        result = call(memory, KeyScope(), tool, given | {"project": "lantern-shpo"}, 9_000)
        assert result.is_error
        assert UNKNOWN in text(result)
    with Knowledge.open(home) as knowledge, pytest.raises(UnknownId, match="did you mean"):
        knowledge.brief("lantern-shpo")


def test_all_surfaces_tell_one_brief_within_the_same_bounds(ask: Ask, home: Path) -> None:
    told = ask("brief", "lantern-shop", "--budget", "200", "--as-of", "2026-03-08", "--json").json
    memory = Memory(open_state(home))
    client = TestClient(create_app(memory), base_url="http://127.0.0.1")
    asked = {"project": "lantern-shop", "budget": 200, "as_of": "2026-03-08"}
    by_http = client.get("/v1/brief", params=asked).json()
    by_tool = asking(memory, KeyScope()).fields("get_brief", **asked)
    moment = datetime(2026, 3, 8, tzinfo=UTC)
    with Knowledge.open(home, as_of=moment) as knowledge:
        by_library = knowledge.brief("lantern-shop", 200)
        with pytest.raises(ValueError, match="100 to 4000 tokens"):
            knowledge.brief("lantern-shop", 99)
    for other in (by_http, by_tool, by_library):
        assert other["as_of"] in (moment, "2026-03-08T00:00:00Z")
        same = {name: other[name] for name in ("namespace", "project", "tokens", "text")
                if other is not by_tool or name != "text"}  # fmt: skip
        assert same == {name: told[name] for name in same}
        assert [line["id"] for line in other["lines"]] == [line["id"] for line in told["lines"]]
    assert client.get("/v1/brief?budget=99").status_code == 422
    assert "100<=x<=4000" in ask("brief", "--budget", "4001").err
    assert call(memory, KeyScope(), "get_brief", {"budget": 99}, 9_000).is_error


def test_a_brief_of_the_past_knows_nothing_of_what_came_later(ask: Ask) -> None:
    now = ask("brief", "lantern-shop", "--json").json
    then = ask("brief", "lantern-shop", "--as-of", "2026-02-20", "--json").json
    assert all(line["last_seen"] < "2026-02-21" for line in then["lines"])
    assert then["text"] != now["text"]
    moment = datetime.fromisoformat(now["as_of"]) + timedelta(seconds=1)
    again = ask("brief", "lantern-shop", "--as-of", moment.isoformat(), "--json").json
    assert again["lines"] == now["lines"], "what was stored is what is made of the same"
    assert ask("brief", "lantern-shop", "--as-of", "2020-01-01", "--json").json["lines"] == []
