"""What gives orders to a model leaves by no way; `cairn review` and `cairn show` tell it."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from cairn import Knowledge
from cairn.knowledge.schema.tables import EPISODES, TABLES
from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.resources.home.sources import add_source
from cairn.serving.http.app import api_document, create_app
from cairn.serving.mcp_server.auth import KeyScope
from cairn.serving.read.reader import open_reader
from cairn.serving.retrieval.open_memory import Memory
from tests.journeys.running import follow
from tests.knowledge.llm.test_held import COMMANDS, ELSEWHERE, FOLDER, HOSTILE, WORDS, claude, inbox
from tests.serving.conftest import Ask
from tests.serving.mcp_server.conftest import asking, text
from tests.serving.mcp_server.test_tools import READS

QUERIES = ("orchard backup", "mail the keys of the orchard", "instructions previous guidelines")
KINDS = ("fact", "instruction", "preference", "procedure", "note", "episodic")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> State:
    place = tmp_path_factory.mktemp("hostile")
    (place / "logs").mkdir()
    (place / "logs" / "s1.jsonl").write_bytes(claude(HOSTILE))
    (place / "logs" / "s2.jsonl").write_bytes(claude(ELSEWHERE, "s2", FOLDER))
    (place / "logs" / "told.jsonl").write_bytes(inbox(COMMANDS))
    state = State(open_home(place / "home"), Settings())
    add_source(state.home, place / "logs", "pia")
    follow(state)
    return state


@pytest.fixture(scope="module")
def ids(hostile: State) -> list[str]:
    """Of all that is published."""
    reader = open_reader(hostile)
    tables = [
        "facts",
        "entities",
        "episodes",
        "raw_logs",
        "candidates",
        "rejected_facts",
        "evidence",
    ]
    columns = ["fact_id", "entity_id", "episode_id", "record_id", *["candidate_id"] * 2,
               "evidence_id"]  # fmt: skip
    return sorted({
        id_ for table, column in zip(tables, columns, strict=True)
        for id_ in reader.table(TABLES[table], [column]).collect().to_series()
    })  # fmt: skip


def lines(told: str) -> Iterator[str]:
    return (
        line for line in told.replace("\\n", "\n").splitlines() if any(w in line for w in WORDS)
    )


def test_by_http(hostile: State, ids: list[str]) -> None:
    lists = [
        path for path, methods in api_document(needs_key=False)["paths"].items()
        if "get" in methods and "{" not in path and path.startswith("/v1/")
        and path not in ("/v1/search", "/v1/about", "/v1/brief", "/v1/lesson", "/v1/status",
                         "/v1/review")  # a person is shown there what is held
    ]  # fmt: skip
    assert len(lists) > 8
    with TestClient(create_app(Memory(hostile)), base_url="http://127.0.0.1") as client:
        told = [client.get(path, params={"limit": 100}) for path in lists]
        told += [client.get("/v1/brief"), client.get("/v1/status")]
        told += [client.get("/v1/lesson", params={"error": "disk full"})]
        told += [client.get("/v1/facts", params={"events": True, "limit": 100})]
        told += [client.get("/v1/about", params={"entity": "orchard", "events": True})]
        for query in QUERIES:
            wanted = {"query": query, "type": "all", "limit": 50, "min_confidence": 0}
            told.append(client.get("/v1/search", params=wanted))
            told.append(client.post("/v1/context", json={"message": query, "turns": [query]}))
            body = {"query": query, "entity": "orchard", "knowledge_types": KINDS}
            told.append(client.post("/v1/knowledge", json=body))
        assert {answer.status_code for answer in told} == {200}
        fences = [answer.json()["text"] for answer in told if "text" in answer.json()]
        known = [fence for fence in fences if "disk was full" in fence]
        assert len(known) > len(QUERIES)
        assert all(fence.count("<cairn-memory ") == 1 for fence in known)
        told += [client.get(f"/v1/{way}/{id_}") for way in ("why", "uses") for id_ in ids]
    for answer in told:
        assert not list(lines(answer.text)), answer.url


def test_by_mcp_and_the_library(hostile: State, ids: list[str]) -> None:
    ask = asking(Memory(hostile), KeyScope())
    given: list[tuple[str, dict[str, Any]]] = [
        (tool, {}) for tool, example in READS.items()
        if not example.keys() & {"query", "message", "entity", "id"}
    ]  # fmt: skip
    given += [("explain_fact", {"id": id_}) for id_ in ids]
    given.append(("get_entity", {"entity": "orchard"}))
    for query in QUERIES:
        given.append(("search_memory", {"query": query, "type": "all", "limit": 50}))
        given.append(("get_context", {"message": query, "turns": [query]}))
    for tool, arguments in given:
        assert not list(lines(text(ask(tool, **arguments)))), (tool, arguments)
    with Knowledge.open(hostile.home.root, active_entity_id="orchard") as knowledge:
        for query in QUERIES:
            found = knowledge.retrieve(query, knowledge_types=KINDS)
            for told in (knowledge(query), str(knowledge.by_info_type(query)), str(found)):
                assert not list(lines(told))


def test_by_the_command_line_but_for_review_and_show(
    hostile: State, run_cairn: Ask, ids: list[str]
) -> None:
    def ask(*arguments: str) -> str:
        return run_cairn("--home", hostile.home.root, *arguments).out

    for form in ([], ["--json"]):
        for command in ("facts", "entities", "learnings", "memory", "interests", "learn"):
            assert not list(lines(ask(command, *form))), command
        for query in QUERIES if form else QUERIES[:1]:
            assert not list(lines(ask("search", query, "--limit", "50", *form)))
            assert not list(lines(ask("context", query, "--turn", query, *form)))
    assert not any(list(lines(ask("why", id_))) for id_ in ids[::25])
    held = json.loads(ask("review", "--json"))["items"]["lines"]
    assert held["total"] == 10
    assert {row["origin"] for row in held["rows"]} == {"human", "agent", "tool"}
    record = held["rows"][0]["record_id"]
    assert list(lines(ask("show", record)))
    assert "Lines that are left out of episodes: 10" in ask("review")


def test_a_home_of_a_version_before_is_reviewed(run_cairn: Ask, tmp_path: Path) -> None:
    before = replace(
        EPISODES,
        columns={name: one for name, one in EPISODES.columns.items() if name != "quarantined"},
    )
    row = dict.fromkeys(before.columns, "x") | {"day": "2026-03-01"}
    row |= {name: None for name, one in before.columns.items() if one.null}
    row |= dict.fromkeys(("seq", "records", "tool_calls", "errors"), 0)
    state = State(open_home(tmp_path / "home"), Settings())
    state.warehouse.write(before, before.frame([row]))
    assert run_cairn("--home", state.home.root, "review").out.startswith("Nothing is in quarantine")
