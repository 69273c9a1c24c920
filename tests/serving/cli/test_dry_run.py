"""`cairn dry-run` shows what a file would give, with a reason for what is refused."""

import json
from pathlib import Path

import polars as pl
import pytest

from cairn.knowledge.assembly.trace import proposed
from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import load_settings
from cairn.resources.home.sources import add_source
from cairn.serving.cli.prompt_trial import read_files, tables_of
from tests.journeys.hives import CHAT, looked_up, telling
from tests.journeys.hives import chat as chat_file
from tests.journeys.running import UNPUBLISHED, follow
from tests.journeys.test_language_model import LESSON, TAUGHT, teaching
from tests.resources.model_server import Said, served
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
    session = max((samples / "codex").rglob("*.jsonl"))
    found = run_cairn("--home", tmp_path / "home", "dry-run", session, "--json").json
    assert {"executed_command", "used_tool"} <= {fact["predicate"] for fact in found["facts"]}
    assert found["entities"][0]["type"] == "project"
    assert found["learnings"]
    by_rule = [row for row in found["candidates"] if row["what"] == "fact"]
    assert all(row["quote"] and row["extractor"] and row["record_id"] for row in by_rule)
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
        refused = {(row["content"], row["reason"]) for row in found["rejected"]}
        assert (CHAT[2][2], "question") in refused


def test_every_candidate_is_accepted_or_refused_at_the_gate_of_its_name(
    samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    state = State(open_home(tmp_path / "home"), load_settings())
    tables = tables_of(state, read_files(state, sorted(samples.rglob("*.jsonl"))).records, None)
    rows = proposed(tables, state.policy)
    said = rows.filter(pl.col("what") != "lesson")
    tried = ("candidates", "known_only_candidates", "theme_facts")
    assert said.height == sum(tables[name].height for name in tried)
    kept = said.filter(pl.col("reason").is_null())
    assert kept.filter(what="fact").height == tables["fact_sources"]["candidate_id"].n_unique()
    gates = set(said["reason"].str.extract(r"^(\w+): ").drop_nulls())
    assert gates == set(tables["rejections"]["gate"])


def contents(home: Path) -> dict[str, bytes]:
    """Every file of a home but the answers, which are kept."""
    files = (path for path in home.rglob("*") if path.is_file())
    return {str(p): p.read_bytes() for p in files if not p.name.startswith("answers.sqlite")}


@pytest.mark.allow_hosts(["127.0.0.1", "localhost", "::1"])
def test_nothing_is_stored_and_what_was_asked_costs_nothing_when_it_is_taken_in(
    run_cairn: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rules and the model find lessons in the file; each draft is there, with why it is refused."""
    (tmp_path / "logs").mkdir()
    chat_file(tmp_path / "logs", "outbox", LESSON)
    file = tmp_path / "logs" / "outbox.jsonl"
    with file.open("a") as stream:
        stream.write("{cut\n")

    def said(question: str) -> Said:
        taught = json.loads(str(teaching(question)))
        vague = {**TAUGHT, "title": "Be careful", "what": "x", "why": "", "when": "", "how": ""}
        if taught.get("lessons"):
            taught["lessons"].append({**vague, "evidence": [1]})
        return json.dumps(taught)

    with served() as server:
        server.script = said
        monkeypatch.setenv("OPENAI_API_KEY", "no-key")
        monkeypatch.setenv("CAIRN_MODEL", "openai/gpt-4o-mini")
        monkeypatch.setenv("CAIRN_MODEL_BASE", server.base)
        monkeypatch.setenv("CAIRN_TIMEZONE", "Europe/Berlin")
        home = tmp_path / "home"
        state = State(open_home(home), load_settings())
        follow(state)  # an empty home, published
        before = contents(home)
        found = run_cairn("--home", home, "dry-run", file, "--json").json
        assert contents(home) == before
        assert [row["source_line"] for row in found["unreadable"]] == [4]
        lessons = [row for row in found["candidates"] if row["what"] == "lesson"]
        assert [(row["about"], row["content"]) for row in lessons] == [("pattern", TAUGHT["title"])]
        refused = {row["content"]: row for row in found["rejected"] if row["what"] == "lesson"}
        assert refused["Be careful"]["extractor"].startswith("learning_model/learning_pattern@")
        assert refused["Be careful"]["reason"] == "only an agent says so"
        (silent,) = [row for row in refused.values() if row["content"].startswith("none in")]
        assert silent["reason"].startswith("no_categories: ")
        paid = server.requests
        told = run_cairn("--home", home, "dry-run", file)
        assert "line 4, byte" in told.out
        assert "0 calls paid now" in told.out
        assert server.requests == paid > 0, "nor is it asked again by another trial"

        add_source(state.home, tmp_path / "logs", "default", "Europe/Berlin")
        follow(State(open_home(home), load_settings()), UNPUBLISHED)
        assert server.requests == paid > 0
        server.script = lambda _: "no"
        lost = run_cairn("--home", home, "dry-run", file, "--namespace", "other", "--json").json
        assert {row["outcome"] for row in lost["unanswered"]} == {"failed"}
        assert {row["reason"] for row in lost["unanswered"]} == {"no_json"}


def test_a_file_of_an_unknown_kind_is_refused_by_name(run_cairn: Ask, tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_text('{"colour": "green"}\n')
    answer = run_cairn("--home", tmp_path / "home", "dry-run", path)
    assert answer.code == 1
    assert "unknown kind of data" in answer.err


@pytest.mark.allow_hosts(["127.0.0.1", "localhost", "::1"])
def test_what_the_system_looked_up_is_tried_with_the_names_that_the_home_knows(
    run_cairn: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    chat_file(logs, "hives", CHAT)
    with served() as server:
        server.script = telling
        monkeypatch.setenv("OPENAI_API_KEY", "no-key")
        monkeypatch.setenv("CAIRN_MODEL", "openai/gpt-4o-mini")
        monkeypatch.setenv("CAIRN_MODEL_BASE", server.base)
        state = State(open_home(tmp_path / "home"), load_settings())
        add_source(state.home, logs, "default")
        follow(state, UNPUBLISHED)
        looked_up(tmp_path, "later", "2026-03-09", "The bees dance to show the way.")
        file = tmp_path / "later.jsonl"
        found = run_cairn("--home", tmp_path / "home", "dry-run", file, "--json").json
        assert [fact["content"] for fact in found["facts"]] == ["The bees dance to show the way."]
        found = run_cairn("--home", tmp_path / "new", "dry-run", file, "--json").json
        assert found["facts"] == []
