"""What a brief tells of is explained by its id: counts, runs, and words with file and line."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from cairn.resources.context import open_state
from cairn.serving.http.app import create_app
from cairn.serving.mcp_server.auth import KeyScope
from cairn.serving.retrieval.open_memory import Memory
from tests.serving.conftest import Ask
from tests.serving.mcp_server.conftest import asking, text

MISSING = "/bin/bash: line 1: harbor: command not found"


@pytest.fixture
def ids(ask: Ask) -> dict[str, str]:
    """By kind, the first line of a brief that is counted."""
    lines = ask("brief", "harbor-backup", "--json").json["lines"]
    first = {line["kind"]: line["id"] for line in reversed(lines)}
    (fix,) = ask("lesson", "--error", MISSING, "--json").json["fixes"]
    return {"practice": first["practice"], "fix": fix["id"], "project_fact": first["place"]}


def test_a_practice_tells_its_runs_and_which_of_them_passed(ask: Ask, ids: dict[str, str]) -> None:
    told = ask("show", ids["practice"], "--json").json
    row = told["practice"]
    assert (row["task"], row["command"]) == ("test", "uv run pytest")
    passed = [run["passed"] for run in told["runs"]]
    assert (passed.count(True), passed.count(False)) == (row["passed"], row["failed"])
    assert all(run["file"] and run["line"] for run in told["runs"])
    assert told["sources"][0]["quote"].startswith("uv run pytest")
    shown = " ".join(ask("show", ids["practice"]).out.split())
    assert f"{row['runs']} runs in {row['conversations']} conversations" in shown
    then = ask("show", ids["practice"], "--as-of", "2026-02-04", "--json").json["practice"]
    assert 0 < then["runs"] < row["runs"], "runs that came later are not known yet"
    early = ask("show", ids["practice"], "--as-of", "2026-02-01")
    assert early.code == 1
    assert "nothing was known of w_" in early.err


def test_a_fix_tells_the_failure_and_what_ended_it(ask: Ask, ids: dict[str, str]) -> None:
    told = ask("show", ids["fix"], "--json").json
    assert (told["fix"]["wins"], told["fix"]["losses"]) == (1, 0)
    assert [row["outcome"] for row in told["failures"]] == ["fixed"]
    quotes = ask("why", ids["fix"], "--json").json["quotes"]
    assert MISSING in quotes[0]["quote"]
    assert quotes[1]["quote"] == "uv run harbor drill --target photos"
    assert all(quote["file"] and quote["line"] for quote in quotes)
    assert "ended it once" in " ".join(ask("lesson", "--error", MISSING).out.split())


def test_every_surface_explains_them_and_none_lets_them_be_decided(
    ask: Ask, ids: dict[str, str], home: Path
) -> None:
    memory = Memory(open_state(home))
    client = TestClient(create_app(memory), base_url="http://127.0.0.1")
    for kind, id_ in ids.items():
        by_http = client.get(f"/v1/why/{id_}").json()
        assert (by_http["kind"], by_http["id"]) == (kind, id_)
        assert by_http["quotes"]
        by_tool = asking(memory, KeyScope())("explain_fact", id=id_)
        assert not by_tool.is_error, text(by_tool)
        assert by_http["text"].splitlines()[0] in text(by_tool)
        assert by_http["quotes"][0]["record_id"] in text(by_tool)
        for words in (["rate", id_, "up"], ["retract", id_], ["confirm", id_]):
            refused = ask(*words)
            assert refused.code == 1
            assert f"show {id_}` tells where" in refused.err
        assert "forget the records that it rests on" in ask("forget", id_, "--dry-run").err
