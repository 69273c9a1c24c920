"""`cairn embedder`: what is in force, tried on own logs, switched to, and back."""

import json
import tomllib
from pathlib import Path

import pytest

from cairn.pipelines.follow import follow
from cairn.resources.context import open_state
from cairn.resources.home.sources import add_source
from tests.homes import copy_home
from tests.resources.embedders.tiny import tiny_encoder
from tests.serving.conftest import Ask

WORDS = ("The backup is late.", "Tea is late.", "The NAS sleeps.", "We use Postgres.")


@pytest.fixture(scope="module")
def chatted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a chat of twelve answered requests; no test changes it."""
    place = tmp_path_factory.mktemp("chatted")
    turns = [
        {"role": role, "content": f"{WORDS[number % 4]} {number} {role}", "conversation_id": "c",
         "timestamp": f"2026-03-01T10:{number:02}:{second:02}Z"}
        for number in range(12)
        for second, role in enumerate(("user", "assistant"))
    ]  # fmt: skip
    (place / "chat.jsonl").write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    state = open_state(place / "home")
    add_source(state.home, place / "chat.jsonl", "n")
    follow(state)
    return state.home.root


@pytest.fixture
def home(chatted: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return copy_home(chatted, tmp_path / "home")


def test_one_is_tried_switched_to_and_taken_back(
    run_cairn: Ask, home: Path, tmp_path: Path
) -> None:
    folder = tiny_encoder(tmp_path / "tiny")
    name = f"onnx:{folder}"

    def told(*arguments: str) -> dict[str, object]:
        answer = run_cairn("--home", home, "embedder", *arguments, "--json")
        assert answer.code == 0, answer.err
        return answer.json

    assert told()["embedder"] == "wordllama"
    tried = told("--try", name)
    assert tried["turns"] == 12
    assert 0 <= float(str(tried["recall_then"])) <= 1

    switched = told("--switch", name, "--yes")
    assert int(str(switched["texts"])) > 0
    assert tomllib.loads((home / "cairn.toml").read_text()) == {"policy": {"embedder": name}}
    waits = told()
    assert (waits["embedder"], waits["calibrated"]) == (name, False)
    assert [row["embedder"] for row in waits["namespaces"]] == ["wordllama"]
    assert told("--switch", name, "--yes")["texts"] == 0  # it is kept

    follow(open_state(home))
    assert [row["embedder"] for row in told()["namespaces"]] == [name]
    assert told("--rollback")["embedder"] == "wordllama"
    follow(open_state(home))
    assert [row["embedder"] for row in told()["namespaces"]] == ["wordllama"]


def test_what_cannot_be_done_is_said_and_changes_nothing(
    run_cairn: Ask, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def says(*arguments: str) -> str:
        answer = run_cairn("--home", home, "embedder", *arguments)
        assert answer.code in (1, 2)
        return answer.err

    assert "has no model.onnx" in says("--switch", f"onnx:{tmp_path}")
    assert "unknown embedder 'bert'" in says("--try", "bert")
    assert "nothing was published by another than wordllama" in says("--rollback")
    assert "one of them at a time" in says("--rollback", "--list")
    tiny = f"onnx:{tiny_encoder(tmp_path / 'tiny')}"
    assert "Embed them now?" in run_cairn("--home", home, "embedder", "--switch", tiny).out
    monkeypatch.setenv("CAIRN_POLICY__EMBEDDER", "wordllama")
    assert "CAIRN_POLICY__EMBEDDER sets policy.embedder" in says("--switch", tiny)
    assert not (home / "cairn.toml").exists()
