"""A namespace that had its searches of the day is told so, on each surface; the other is not."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Limits, Settings
from cairn.resources.home.usage import forget_use
from cairn.serving.http.app import create_app
from cairn.serving.mcp_server.auth import KeyScope
from cairn.serving.mcp_server.tools import call
from cairn.serving.retrieval.open_memory import Memory
from tests.homes import copy_home
from tests.serving.conftest import Ask
from tests.serving.http.conftest import LOCAL


def test_searches_beyond_the_limit_are_refused_with_a_word(
    two_home: Path, tmp_path: Path, run_cairn: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = copy_home(two_home, tmp_path / "home")
    for namespace in ("ada", "bo"):
        forget_use(open_home(home), namespace)  # what other tests asked the home that they share
    memory = Memory(State(open_home(home), Settings(limits={"ada": Limits(searches=2)})))
    with TestClient(create_app(memory), base_url=LOCAL) as client:
        search = {"query": "cache", "namespace": "ada"}
        assert client.get("/v1/search", params=search).status_code == 200
        said = {"message": "why does the build fail"}
        assert client.post("/v1/context", params={"namespace": "ada"}, json=said).status_code == 200
        refused = client.get("/v1/search", params=search)
        assert refused.status_code == 429
        assert 0 < int(refused.headers["retry-after"]) <= 86_400
        assert refused.json()["detail"].startswith("limits.ada.searches: 2 of 2 today")
        assert client.get("/v1/search", params=search | {"namespace": "bo"}).status_code == 200
        assert client.get("/v1/facts", params={"namespace": "ada"}).status_code == 200
        told = client.get("/metrics").text
        assert 'cairn_limit_used{kind="searches",namespace="ada"} 2.0' in told
        assert 'cairn_limit{kind="searches",namespace="ada"} 2.0' in told

    scope = KeyScope(("ada", "bo"))
    failed = call(memory, scope, "search_memory", search, 24_000)
    assert failed.is_error
    assert "limits.ada.searches: 2 of 2 today" in str(failed.content[0])

    monkeypatch.setenv("CAIRN_LIMITS", '{"*": {"searches": 2}}')
    answer = run_cairn("--home", home, "search", "cache", "--namespace", "ada")
    assert answer.code == 1
    assert "limits.ada.searches: 2 of 2 today: it goes on at 00:00 UTC" in answer.err
    status = run_cairn("--home", home, "status")
    assert "limits.ada.searches: 2 of 2 today; it goes on at 00:00 UTC" in status.out
    assert "limits.bo" not in status.out
