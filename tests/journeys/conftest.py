"""A home, a folder of logs, and a language model on loopback."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.sources import add_source
from cairn.resources.web.search_provider import Folder
from tests.journeys.hives import CHAT, MODEL, chat, documents, model_settings, telling
from tests.resources.model_server import ModelServer, served


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with served() as server:
        server.script = telling
        yield server


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    chat(folder, "hives", CHAT)
    return folder


@pytest.fixture
def opened(
    tmp_path: Path, logs: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., State]:
    monkeypatch.setenv("OPENAI_API_KEY", "no-key")

    def state(model: str | None = MODEL, base: str = server.base, **more: object) -> State:
        # What somebody cares about most is searched for at once; here only what they ask for.
        settings = model_settings(base, model, **{"policy": {"research_top": 0}, **more})
        opened = State(open_home(tmp_path / "home"), settings)
        add_source(opened.home, logs, "default")
        return opened

    return state


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Documents that a search finds things in."""
    return documents(tmp_path)
