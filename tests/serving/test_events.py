"""What only happened is told nowhere unasked, and wherever it is asked for."""

import json
from pathlib import Path

import polars as pl
import pytest
from fastapi.testclient import TestClient

from cairn.knowledge.consolidation.verdicts.standing import IN_FORCE
from cairn.knowledge.schema.fact_types import is_event
from cairn.knowledge.schema.predicates import EVENT_PREDICATES, STRUCTURAL_PREDICATES
from cairn.knowledge.schema.tables import EPISODES, FACT_SOURCES
from cairn.resources.context import open_state
from cairn.serving.http.app import create_app
from cairn.serving.knowledge_layers.knowledge import Knowledge
from cairn.serving.mcp_server.auth import Asked, KeyScope
from cairn.serving.mcp_server.tools import TOOLS
from cairn.serving.models.queries import QUERIES
from cairn.serving.read.reader import Reader, open_reader
from cairn.serving.retrieval.open_memory import Memory
from cairn.serving.status.totals import totals
from tests.serving.conftest import Ask
from tests.serving.mcp_server.conftest import fields

QUESTION = "uv run pytest in harbor-backup on the nas"
"""Its words are those of many a command that was run."""

PROJECT = "harbor-backup"
KNOWN = ("error: the backup failed", "lantern-shop")


@pytest.fixture(scope="module")
def reader(home: Path) -> Reader:
    return open_reader(open_state(home))


@pytest.fixture(scope="module")
def happened(reader: Reader) -> dict[str, str]:
    """Events by id, with what each says."""
    rows = reader.memory().filter(is_event()).select("fact_id", "content").collect()
    assert rows.height > 100
    return dict(rows.iter_rows())


@pytest.fixture(scope="module")
def ids(reader: Reader, happened: dict[str, str]) -> dict[str, str]:
    """Of each kind something on which events hang."""
    sources = reader.table(FACT_SOURCES, ["fact_id", "record_id", "conversation_id"])
    mine = sources.filter(pl.col("fact_id").is_in(list(happened))).collect()
    most = {
        name: mine[name].value_counts().sort("count", name, descending=True)[name][0]
        for name in ("record_id", "conversation_id")
    }
    entities = reader.entities().filter(name=PROJECT, type="project").collect()
    learning = reader.learnings().select("learning_id").collect().item(0, 0)
    fact = reader.memory().filter(~is_event()).select("fact_id").collect().item(0, 0)
    episodes = reader.table(EPISODES).filter(conversation_id=most["conversation_id"]).collect()
    return most | {
        "entity_id": entities["entity_id"][0], "learning_id": learning, "fact_id": fact,
        "episode_id": episodes["episode_id"][0], "id": most["record_id"],
    }  # fmt: skip


def by_http(home: Path, ids: dict[str, str], *, events: bool) -> dict[str, str]:
    client = TestClient(create_app(Memory(open_state(home))), base_url="http://127.0.0.1")
    needed = {"query": QUESTION, "error": KNOWN[0], "entity": PROJECT}
    told: dict[str, str] = {}
    for query in (each for each in QUERIES if each.in_address):
        fields = query.asked.model_fields
        given = {name: value for name, value in needed.items() if name in fields}
        given |= {"limit": "20"} if "limit" in fields else {}
        if events:
            if "events" not in fields:
                continue
            given["events"] = "true"
        answer = client.get(f"/v1{query.path.format(**ids)}", params=given)
        assert answer.status_code == 200, (query.name, answer.text)
        told[query.name] = answer.text
    bodies = {
        "search": {"query": QUESTION, "limit": 100} | ({"events": True} if events else {}),
        "context": {"message": QUESTION, "turns": [QUESTION]},
        "knowledge": {"query": QUESTION, "entity": PROJECT, "top_k": 100,
                      "graph_traversal_depth": 2},
    }  # fmt: skip
    for name in ["search"] if events else bodies:
        answer = client.post(f"/v1/{name}", json=bodies[name])
        assert answer.status_code == 200, answer.text
        told[f"POST {name}"] = answer.text
    return told


def by_tool(home: Path, ids: dict[str, str], *, events: bool) -> dict[str, str]:
    needed: dict[str, object] = {
        "query": QUESTION, "error": KNOWN[0], "message": QUESTION, "turns": [QUESTION],
        "entity": PROJECT, "id": ids["record_id"], "limit": 20,
    }  # fmt: skip
    asked = Asked(Memory(open_state(home)), KeyScope())
    told: dict[str, str] = {}
    for tool in TOOLS.values():
        if not tool.reads or (events and "events" not in tool.offered):
            continue
        given = {name: value for name, value in needed.items() if name in tool.offered}
        also = {"events": True} if events else {}
        told[tool.name] = json.dumps(fields(tool.answer(asked, given | also, 1_000_000)))
    return told


def by_command(ask: Ask, ids: dict[str, str], *, events: bool) -> dict[str, str]:
    known = {
        "facts": ["--entity", PROJECT, "--limit", "100"],
        "memory": ["1", "--limit", "100"],
        "search": [QUESTION, "--limit", "100"],
        "show": [ids["entity_id"]],
        "show record": [ids["record_id"]],
        "show conversation": [ids["conversation_id"]],
        "why": [ids["record_id"]],
        "why --uses": [ids["record_id"], "--uses"],
        "query entity": ["entity", ids["entity_id"]],
        "query graph": ["graph", ids["entity_id"]],
    }
    unasked = {
        "entities": [], "memory all": [], "learnings": [], "interests": [], "notifications": [],
        "research": [], "status": [], "metrics": [], "brief": [PROJECT],
        "context": [QUESTION, "--turn", QUESTION], "lesson": ["--error", KNOWN[0]],
        "query recent": ["recent", "--limit", "100"],
    }  # fmt: skip
    also = ["--events"] if events else []
    told: dict[str, str] = {}
    for name, words in (known if events else known | unasked).items():
        answer = ask(name.split()[0], *words, *also, "--json")
        assert answer.code == 0, (name, answer.err)
        told[name] = answer.out
    return told


def predicates(found: object) -> set[str]:
    """Names under which something is listed or counted."""
    if isinstance(found, dict):
        said = {str(found["predicate"])} if isinstance(found.get("predicate"), str) else set[str]()
        return said.union(map(str, found), *map(predicates, found.values()))
    return set[str]().union(*map(predicates, found)) if isinstance(found, list) else set()


def test_no_surface_tells_an_event_unasked(
    home: Path, ask: Ask, ids: dict[str, str], happened: dict[str, str]
) -> None:
    for told in (
        by_http(home, ids, events=False),
        by_tool(home, ids, events=False),
        by_command(ask, ids, events=False),
    ):
        for name, text in told.items():
            assert [id_ for id_ in happened if id_ in text] == [], name
            assert predicates(json.loads(text)) & STRUCTURAL_PREDICATES == set(), name


def test_every_surface_that_can_tells_them_when_asked(
    home: Path, ask: Ask, ids: dict[str, str], happened: dict[str, str]
) -> None:
    surfaces = (
        by_http(home, ids, events=True),
        by_tool(home, ids, events=True),
        by_command(ask, ids, events=True),
    )
    for told in surfaces:
        for name, text in told.items():
            listed = any(id_ in text for id_ in happened)
            assert listed or predicates(json.loads(text)) & EVENT_PREDICATES, name
    http, tools, commands = map(set, surfaces)
    assert http == {"search", "POST search", "facts", "about", "entity", "graph", "why", "uses"}
    assert tools == {"search_memory", "get_entity", "explain_fact"}
    assert commands >= {"facts", "memory", "search", "show", "why", "why --uses"}


def test_the_library_tells_none_in_any_layer(home: Path, reader: Reader) -> None:
    structural = pl.col("predicate").is_in(list(STRUCTURAL_PREDICATES))
    happened = reader.memory().filter(is_event(), structural).collect()["content"].to_list()
    with Knowledge.open(home, active_entity_id=PROJECT) as knowledge:
        parts = [knowledge(QUESTION), *knowledge.by_info_type(QUESTION).values()]
        parts.append(knowledge.brief(PROJECT)["text"])
    assert any(parts)
    for text in parts:
        assert [said for said in happened if said in text] == []


def test_counts_of_facts_are_without_them(reader: Reader, happened: dict[str, str]) -> None:
    counts = totals(reader)
    in_force = reader.memory().filter(pl.col("status").is_in(IN_FORCE)).collect().height
    assert counts["facts"] + counts["deprecated_facts"] == in_force - len(happened)
    entities = reader.entities().collect()
    known = reader.memory().filter(~is_event()).collect()
    assert entities["facts"].sum() == known.height
    assert not set(known["fact_id"]) & set(happened)


def test_a_predicate_of_events_asks_for_them(ask: Ask) -> None:
    found = ask("search", "pytest", "--predicate", "executed_command", "--json").json["results"]
    assert {one["predicate"] for one in found} == {"executed_command"}
    none = ask("search", "pytest", "--events", "--category", "bug_fix", "--json").json["results"]
    assert all(one["kind"] != "fact" for one in none)
