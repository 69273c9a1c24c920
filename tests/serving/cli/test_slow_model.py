"""A run whose language model is too slow: nothing of it is silent, and nothing is lost."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import load_settings
from tests.journeys.running import follow
from tests.journeys.test_language_model import CHAT, chat, telling
from tests.resources.model_server import ModelServer, served
from tests.serving.conftest import Ask

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost", "::1"])


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ModelServer]:
    monkeypatch.chdir(tmp_path)
    with served() as server:
        server.script = telling
        for name, value in {
            "OPENAI_API_KEY": "no-key",
            "CAIRN_HOME": str(tmp_path / "home"),
            "CAIRN_MODEL": "openai/slow",
            "CAIRN_MODEL_BASE": server.base,
            "CAIRN_MODEL_TIMEOUT": "0.5",
            "CAIRN_MODEL_CONCURRENCY": "1",
        }.items():
            monkeypatch.setenv(name, value)
        yield server
        server.rest()


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    for day in "34":
        chat(folder, f"hives{day}", [(who, at.replace("03-01", f"03-0{day}"), text)
                                     for who, at, text in CHAT])  # fmt: skip
    return folder


def test_a_run_with_a_model_that_is_too_slow_says_so_and_loses_nothing(
    server: ModelServer,
    logs: Path,
    tmp_path: Path,
    run_cairn: Ask,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server.delay = 1.5
    # Warnings come to a person only where nobody else listens to them, as pytest does.
    monkeypatch.setattr(logging.root, "handlers", [])
    told = run_cairn("run", "--source", logs)
    assert told.code == 0
    assert server.requests == 2
    assert told.err.count("openai/slow has not answered in 0.5 s") == 2
    assert "openai/slow is not asked any more in this run" in told.err
    said = " ".join(told.out.split())
    assert "0 calls, 2 calls without an answer" in said
    assert "Not answered: 2 calls to openai/slow: none within 0.5 s (timeout)." in said
    assert "Not all was asked of the language model" in said

    why = "2 calls to openai/slow: none within 0.5 s (timeout)"
    assert why in run_cairn("status").out
    status = run_cairn("status", "--json").json["language_model"]
    assert status["waits"]
    assert [(one["reason"], one["calls"]) for one in status["unanswered"]] == [("timeout", 2)]
    (found,) = (
        one for one in run_cairn("doctor", "--json").json["checks"] if one["check"] == "model calls"
    )
    assert found["level"] == "warning"
    assert found["found"].startswith(why)
    assert "2 days wait for it" in found["found"]
    assert "2 calls without an answer" in run_cairn("costs").out
    assert run_cairn("dead-letters", "--json").json["total"] == 0

    server.rest()
    server.delay = 0.0
    follow(State(open_home(tmp_path / "home"), load_settings()))
    status = run_cairn("status", "--json").json
    assert not status["language_model"]["waits"]
    assert status["namespaces"][0]["pending_days"] == []
    assert run_cairn("dead-letters", "--json").json["total"] == 0
