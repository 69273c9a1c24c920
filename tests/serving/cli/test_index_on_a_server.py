"""With `CAIRN_QDRANT_URL` every surface asks the server, and answers as from the index at home."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from cairn import Knowledge
from cairn.assets.vector_index import run_vector_index
from cairn.resources.context import open_state
from cairn.serving.http.app import create_app
from cairn.serving.mcp_server.auth import KeyScope
from cairn.serving.retrieval.open_memory import Memory
from tests.resources.qdrant_http import QdrantHttp, served
from tests.serving.conftest import Ask
from tests.serving.mcp_server.conftest import asking, text

MESSAGE = "Why does harbor-backup fail at night?"


@pytest.fixture
def server() -> Iterator[QdrantHttp]:
    with served() as server:
        yield server


def _http(place: Path) -> Any:
    with TestClient(create_app(Memory(open_state(place))), base_url="http://127.0.0.1") as client:
        found = client.get("/v1/search", params={"query": MESSAGE, "type": "all"})
        around = client.post("/v1/context", json={"message": MESSAGE})
    assert (found.status_code, around.status_code) == (200, 200)
    return found.json(), around.json()


def _mcp(place: Path) -> str:
    return text(asking(Memory(open_state(place)), KeyScope())("search_memory", query=MESSAGE))


def _library(place: Path) -> Any:
    with Knowledge.open(place, "samples") as knowledge:
        return knowledge(MESSAGE)


def test_all_ask_the_server_and_answer_the_same(
    home: Path,
    tmp_path: Path,
    run_cairn: Ask,
    server: QdrantHttp,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def cli(*arguments: str) -> Any:
        return lambda place: run_cairn("--home", place, *arguments, "--json").json

    surfaces = {
        "search": cli("search", MESSAGE, "--type", "all"),
        "entities": cli("search", "harbor-backup", "--type", "entities"),
        "days": cli("search", "what broke in February", "--type", "episodes"),
        "earlier": cli("search", MESSAGE, "--as-of", "2026-03-01"),
        "context": cli("context", MESSAGE, "--turn", "rsync says permission denied"),
        "http": _http,
        "mcp": _mcp,
        "library": _library,
    }
    at_home = {name: ask(home) for name, ask in surfaces.items()}
    assert at_home["search"]["results"]
    place = tmp_path / "home"
    shutil.copytree(home, place, ignore=lambda _, names: {"index"} & {*names})
    monkeypatch.setenv("CAIRN_QDRANT_URL", server.url)
    run_vector_index(open_state(place))
    for name, ask in surfaces.items():
        before = len(server.asked)
        assert ask(place) == at_home[name], name
        assert any("/points/query/batch" in asked for asked in server.asked[before:]), name
    assert not (place / "index").exists() or not [*(place / "index").iterdir()]
