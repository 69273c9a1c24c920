"""The language model behind litellm itself, against a server on loopback."""

import math
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from cairn.resources.home.settings import Settings
from cairn.resources.llm.answer_cache import Answers
from cairn.resources.llm.language_model import LitellmModel
from tests.resources.llm.questions import GOOD
from tests.resources.model_server import ModelServer

Make = Callable[..., LitellmModel]


@pytest.fixture
def make(server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Makes a model: each is a run of its own, over the same file of answers."""
    server.script = lambda _: GOOD
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CAIRN_HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-kiwi")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-kiwi")
    monkeypatch.setattr("cairn.resources.llm.retry_sensor.FIRST_DELAY", 0.01)

    def made(
        now: Callable[[], datetime] | None = None, seconds: float = math.inf, **settings: Any
    ) -> LitellmModel:
        values = {"model": "openai/scripted", "model_base": server.base, "model_timeout": 5}
        clock = {"now": now} if now else {}
        answers = Answers(tmp_path / "answers.sqlite")
        return LitellmModel(Settings(**{**values, **settings}), answers, seconds=seconds, **clock)

    return made


@pytest.fixture
def kept(tmp_path: Path) -> Answers:
    return Answers(tmp_path / "answers.sqlite")
