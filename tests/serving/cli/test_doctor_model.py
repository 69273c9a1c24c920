"""`cairn doctor --model`: one small question, and what comes of it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cairn.resources.llm.answer_cache import Answers
from tests.resources.model_server import ModelServer, error, served
from tests.serving.conftest import Ask

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost", "::1"])

PRICED = "openai/gpt-4o-mini"
ANSWER = json.dumps(
    {"things": [{"thing": thing, "colour": "green"} for thing in ("grass", "snow", "lemon")]}
)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ModelServer]:
    monkeypatch.chdir(tmp_path)
    with served() as server:
        server.script = lambda _: {"content": ANSWER, "tokens": (300, 50, 0)}
        monkeypatch.setenv("OPENAI_API_KEY", "no-key")
        monkeypatch.setenv("CAIRN_MODEL", PRICED)
        monkeypatch.setenv("CAIRN_MODEL_BASE", server.base)
        monkeypatch.setenv("CAIRN_MODEL_MAX_RETRIES", "0")
        yield server
        server.rest()


@pytest.fixture
def doctor(run_cairn: Ask, tmp_path: Path) -> Ask:
    return lambda *arguments: run_cairn("--home", tmp_path / "home", "doctor", *arguments)


def test_it_tells_speed_form_context_and_price(
    server: ModelServer, doctor: Ask, tmp_path: Path
) -> None:
    server.delay = 0.1
    told = doctor("--model", "--json").json
    (one,) = told["models"]
    assert (one["outcome"], one["form"], one["context"]) == ("done", "schema", 128_000)
    assert 0 < one["tokens_a_second"] <= 500
    assert (one["read_price"], one["written_price"]) == (0.15, 0.6)
    assert one["cost"] == pytest.approx(300 * 0.15e-6 + 50 * 0.6e-6)
    (found,) = told["checks"]
    assert found["level"] == "ok"
    for words in ("tokens a second", "held to their schema", "holds 128,000 tokens",
                  "0.15 dollars per million tokens read"):  # fmt: skip
        assert words in found["found"]
    # It is paid, and asked each time: no answer of it is kept.
    doctor("--model")
    answers = Answers(tmp_path / "home" / "answers.sqlite")
    assert answers.ledger()["prompt"].to_list() == ["small_question"] * 2
    assert answers.of_namespace("default") == []


def test_the_form_is_found_out_anew(server: ModelServer, doctor: Ask) -> None:
    takes: dict[str, bool] = {"json_schema": False}

    def script(_: str) -> Any:
        form = server.asked[-1].get("response_format", {}).get("type", "plain")
        if takes.get(form, True):
            return {"content": ANSWER, "tokens": (300, 50, 0)}
        refused = error(400)
        refused.set_data('{"error": {"message": "response_format json_schema: not supported"}}')
        return refused

    server.script = script
    assert "held to JSON, not to their schema" in doctor("--model").out
    takes["json_schema"] = True
    assert "held to their schema" in doctor("--model").out


def test_a_slow_model_is_told_how_long_it_would_take(
    server: ModelServer, doctor: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.delay = 0.2
    monkeypatch.setenv("CAIRN_MODEL_TIMEOUT", "4")
    out = " ".join(doctor("--model").out.split())
    assert "a long answer may take" in out
    assert "model_timeout is 4 s: set it higher" in out


FAILING = {
    "nobody is there": ({"CAIRN_MODEL_BASE": "http://127.0.0.1:9/v1"}, "ConnectError", "running"),
    "slow": ({"CAIRN_MODEL_TIMEOUT": "0.1"}, "has not answered", "set it higher"),
    "no key": ({"OPENAI_API_KEY": ""}, "did not answer", "OPENAI_API_KEY"),
    "none": ({"CAIRN_MODEL": ""}, "none is set", "CAIRN_MODEL"),
}


@pytest.mark.parametrize(("settings", "found", "advice"), FAILING.values(), ids=FAILING)
def test_what_is_wrong_is_an_error_with_advice(
    settings: dict[str, str], found: str, advice: str, server: ModelServer, doctor: Ask,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    server.delay = 0.6
    for name, value in settings.items():
        monkeypatch.setenv(name, value) if value else monkeypatch.delenv(name)
    told = doctor("--model", "--json")
    (check,) = told.json["checks"]
    assert (told.code, check["level"]) == (1, "error")
    assert found in check["found"]
    assert advice in check["advice"]
