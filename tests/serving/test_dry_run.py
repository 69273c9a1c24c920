"""`cairn dry-run` shows what a file would give, with a reason for what is refused."""

import json
from pathlib import Path

import pytest

from tests.journeys.test_language_model import CHAT, telling
from tests.resources.model_server import served
from tests.serving.conftest import Ask


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "chat.jsonl"
    path.write_text(
        "".join(
            json.dumps({"role": role, "timestamp": time, "content": text, "conversation_id": "x"})
            + "\n"
            for role, time, text in CHAT
        )
    )
    return path


def test_a_session_of_the_samples_gives_facts_and_lessons(
    run_cairn: Ask, samples: Path, tmp_path: Path
) -> None:
    session = min((samples / "codex").rglob("*.jsonl"))
    found = run_cairn("--home", tmp_path / "home", "dry-run", session, "--json").json
    assert {"executed_command", "used_tool"} <= {fact["predicate"] for fact in found["facts"]}
    assert found["entities"][0]["type"] == "project"
    assert found["learnings"]
    assert not list((tmp_path / "home" / "warehouse").iterdir())


@pytest.mark.allow_hosts(["127.0.0.1", "localhost", "::1"])
def test_what_a_model_proposes_is_accepted_or_refused_with_a_reason(
    run_cairn: Ask, chat: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served() as server:
        server.script = telling
        monkeypatch.setenv("OPENAI_API_KEY", "no-key")
        monkeypatch.setenv("CAIRN_MODEL", "openai/gpt-4o-mini")
        monkeypatch.setenv("CAIRN_MODEL_BASE", server.base)
        found = run_cairn("--home", tmp_path / "home", "dry-run", chat, "--json").json
        assert CHAT[0][2] in {fact["content"] for fact in found["facts"]}
        refused = {(row["content"], row["reason"]) for row in found["refused"]}
        assert (CHAT[2][2], "question") in refused
        paid = server.requests
        run_cairn("--home", tmp_path / "home", "dry-run", chat)
        assert server.requests == paid > 0


def test_a_file_of_an_unknown_kind_is_refused_by_name(run_cairn: Ask, tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_text('{"colour": "green"}\n')
    answer = run_cairn("--home", tmp_path / "home", "dry-run", path)
    assert answer.code == 1
    assert "unknown kind of data" in answer.err
