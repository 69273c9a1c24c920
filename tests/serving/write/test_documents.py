"""`cairn ingest`: what is given is known after the next run, and what is not right is told."""

import json
from pathlib import Path
from typing import Any

import pytest

from cairn import Knowledge
from cairn.knowledge.schema.tables import MEMORY, RECORDS
from cairn.resources.context import State
from cairn.resources.deletion.tombstones import note
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.serving.write.deletion import reach, target
from tests.journeys.running import follow
from tests.serving.conftest import Answer, Ask

LAYERS: dict[str, Any] = {
    "metadata": {
        "oda": {"entity_type": "person", "properties": {"name": "Oda", "city": "Ghent"}},
        "global": {"entity_type": "household", "properties": {"timezone": "Europe/Brussels"}},
        "nobody": {"properties": {}},
    },
    "pieces": [
        {"piece_id": "p1", "content": "Oda drinks lapsang, nothing else.", "entity_id": "oda",
         "knowledge_type": "PREFERENCE", "info_type": "style", "tags": ["tea"],
         "embedding_text": "favourite beverage at breakfast"},
        {"content": "Bleed the radiators before the first frost.", "knowledge_type": "procedure"},
        {"content": "In 2019 the cellar was flooded.", "knowledge_type": "episodic"},
        {"content": " "},
        {"content": "The wifi password is hunter2hunter2!"},
    ],
    "graph": {
        "nodes": [{"node_id": "oda", "node_type": "person"},
                  {"node_id": "fern", "node_type": "company", "label": "Fernwick Lamps"}],
        "edges": [{"source_id": "oda", "target_id": "fern", "edge_type": "WORKS_AT",
                   "properties": {"description": "since March"}},
                  {"source_id": "oda", "target_id": "ulf", "edge_type": "KNOWS"}],
    },
}  # fmt: skip
NOTES = "# House\n\n- The boiler was made in 1998.\n- Its filter is changed every June.\n"


@pytest.fixture
def state(tmp_path: Path) -> State:
    return State(open_home(tmp_path / "home"), Settings())


@pytest.fixture
def give(state: State, tmp_path: Path, run_cairn: Ask) -> Any:
    def give(content: str, *arguments: str, name: str = "given.json") -> Answer:
        (tmp_path / name).write_text(content)
        return run_cairn("--home", state.home.root, "ingest", tmp_path / name, *arguments)

    return give


def lines(state: State) -> list[dict[str, Any]]:
    files = sorted(state.home.inbox.rglob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def test_layers_load_and_what_is_not_right_is_listed(
    state: State, give: Any, run_cairn: Ask
) -> None:
    told = give(json.dumps(LAYERS), "--json")
    assert told.code == 0, told.err
    assert told.json["items"] == {"profile": 2, "node": 1, "piece": 3, "edge": 1}
    assert [one["where"] for one in told.json["skipped"]] == [
        "metadata.nobody", "pieces[3]", "pieces[4]", "graph.edges[1]",
    ]  # fmt: skip
    assert "hunter2" not in json.dumps(lines(state)), "secrets reach no disk"
    again = give(json.dumps(LAYERS), "--json").json
    assert (again["new"], again["event_ids"]) == (0, told.json["event_ids"])
    assert len(lines(state)) == told.json["new"] == 7

    follow(state)
    with Knowledge.open(state.home.root, active_entity_id="oda") as knowledge:
        found = knowledge.retrieve("beverage at breakfast", "oda")
        happened = knowledge.retrieve("flooded cellar", knowledge_types=["episodic"])
    pieces = {one.piece.content: one.piece for one in found.pieces}
    first = pieces["Oda drinks lapsang, nothing else."]
    assert (first.knowledge_type, first.info_type, first.tags) == ("preference", "style", ("tea",))
    assert first.confidence == 1.0
    assert "In 2019 the cellar was flooded." in {one.piece.content for one in happened.pieces}
    assert found.metadata is not None
    assert found.metadata.properties["city"] == "Ghent"
    assert found.global_metadata is not None
    assert found.global_metadata.properties["timezone"] == "Europe/Brussels"
    (edge,) = found.graph_context
    assert (edge.edge.edge_type, edge.target.label) == ("WORKS_AT", "Fernwick Lamps")
    why = run_cairn("--home", state.home.root, "why", first.piece_id, "--json").json
    assert "Oda drinks lapsang" in json.dumps(why, ensure_ascii=False)


def test_a_text_that_was_forgotten_is_refused_in_those_words(
    state: State, give: Any, run_cairn: Ask
) -> None:
    assert give("The quincepress is in the attic.", name="a.txt").code == 0
    follow(state)
    (fact,) = state.warehouse.read(MEMORY).collect()["fact_id"]
    note(state.home, reach(state, target(state, fact)).event)
    follow(state, RECORDS.name)
    told = give("The quincepress is in the attic.", name="a.txt")
    assert (told.code, "it was forgotten here" in told.err) == (1, True)
    assert all("quincepress" not in file.read_text() for file in state.home.inbox.rglob("*.jsonl"))


def test_a_text_is_kept_by_sentence_and_its_check_in_tells(
    state: State, give: Any, run_cairn: Ask
) -> None:
    assert give(NOTES, "--about", "boilerhost", "--type", "host", name="house.md").code == 0
    follow(state)

    def cairn(*arguments: str) -> Any:
        return run_cairn("--home", state.home.root, *arguments, "--json").json

    texts = {row["content"]: row for row in cairn("facts")["items"]}
    assert set(texts) == {"The boiler was made in 1998.", "Its filter is changed every June."}
    assert {row["entity"] for row in texts.values()} == {"boilerhost"}
    (check_in,) = cairn("check-ins")["check_ins"]
    assert (check_in["title"], check_in["outcome"], len(check_in["loaded"])) == (
        "house.md", "done", 2,
    )  # fmt: skip
    one = cairn("check-ins", check_in["check_in_id"])
    assert sorted(row["content"] for row in one["made"]) == sorted(texts)


@pytest.mark.parametrize(
    ("content", "name", "arguments", "why"),
    [
        (" \n", "a.txt", (), "there is no text in it"),
        ("token ghp_" + "a1B2" * 9, "a.txt", (), "looks like a secret"),
        ("{", "a.json", (), "no valid JSON"),
        ('{"pages": 3}', "a.json", (), "without metadata, pieces or graph"),
        ('{"pieces": []}', "a.json", (), "nothing that can be taken in"),
        ("Fine.", "a.txt", ("--about", "**a lamp**"), "no name"),
    ],
)
def test_what_cannot_be_taken_in_is_refused(
    content: str, name: str, arguments: tuple[str, ...], why: str, state: State, give: Any
) -> None:
    told = give(content, *arguments, name=name)
    assert (told.code, lines(state)) == (1, [])
    assert why in told.err


def test_secrets_may_be_taken_out_and_a_trial_stores_nothing(state: State, give: Any) -> None:
    text = "The lamp is new. token ghp_" + "a1B2" * 9
    assert give(text, "--redact", "--dry-run", name="a.txt").code == 0
    assert lines(state) == []
    assert give(text, "--redact", name="a.txt").code == 0
    (line,) = lines(state)
    assert line["text"].startswith("The lamp is new. token [redacted")


def test_standard_input_and_bytes_that_are_no_text(
    state: State, tmp_path: Path, run_cairn: Ask
) -> None:
    (tmp_path / "photo").write_bytes(b"\xff\xd8\xff")
    told = run_cairn("--home", state.home.root, "ingest", tmp_path / "photo")
    assert (told.code, told.err.count("no UTF-8 text")) == (1, 1)
    empty = run_cairn("--home", state.home.root, "ingest", "-")
    assert (empty.code, "no text in it" in empty.err) == (1, True)
