"""Knowledge in layers from a document: what is right loads, what is not is listed."""

import json
import logging
from typing import Any

import pytest

from cairn.serving.knowledge_layers.items import Edge, KnowledgeType, Metadata, Node, Piece
from cairn.serving.knowledge_layers.loading import Skipped, load
from cairn.serving.knowledge_layers.retrieving import retrieve

SECRET = "the key is AKIA" + "IOSFODNN7" + "QWERTYU"

DOCUMENT: dict[str, Any] = {
    "metadata": {
        "ada": {"entity_type": "person", "properties": {"city": "Ghent"}},
        "global": {"entity_type": "namespace"},
    },
    "pieces": [
        {
            "piece_id": "p1", "content": "Ada drinks tea.", "knowledge_type": "PREFERENCE",
            "info_type": "User_Profile", "tags": ["tea", "cups", "tea"], "entity_id": "ada",
            "embedding_text": "drinks",
        },
        {"content": "Brew at 80 degrees.", "knowledge_type": "Procedure", "tags": None},
        {"piece_id": "p3", "content": "Ada knows Ben.", "info_type": "Gossip"},
    ],
    "graph": {
        "nodes": [
            {"node_id": "ada", "node_type": "person", "label": "Ada"},
            {"node_id": "ben", "node_type": "person"},
        ],
        "edges": [
            {
                "source_id": "ada", "target_id": "ben", "edge_type": "KNOWS",
                "properties": {"piece_id": "p3", "since": 1840},
            },
            {"source_id": "ben", "target_id": "ada", "edge_type": "KNOWS"},
        ],
    },
}  # fmt: skip


def test_a_document_loads_whole() -> None:
    loaded = load(json.dumps(DOCUMENT))
    assert loaded.skipped == ()
    assert loaded.metadata == (
        Metadata("ada", "person", {"city": "Ghent"}),
        Metadata("global", "namespace"),
    )
    first, second, third = loaded.pieces
    assert first == Piece(
        "p1", "Ada drinks tea.", KnowledgeType.PREFERENCE, "user_profile", ("tea", "cups"), "ada",
        "drinks",
    )  # fmt: skip
    assert (second.knowledge_type, second.info_type, second.tags) == ("procedure", "skills", ())
    assert second.piece_id == load(DOCUMENT).pieces[1].piece_id
    assert (third.knowledge_type, third.info_type) == ("fact", "Gossip")
    assert loaded.graph.nodes == (Node("ada", "person", "Ada"), Node("ben", "person", "ben"))
    assert loaded.graph.edges == (
        Edge("ada", "ben", "KNOWS", {"piece_id": "p3", "since": 1840}),
        Edge("ben", "ada", "KNOWS"),
    )
    found = retrieve(loaded.stores(), "drinks", "ada")
    assert {one.piece.piece_id for one in found.pieces} == {"p1", "p3"}
    assert found.global_metadata


@pytest.mark.parametrize(
    ("section", "item", "why"),
    [
        ("pieces", {"piece_id": "p9"}, "content: Field required"),
        ("pieces", {"content": " \n"}, "content: is empty"),
        ("pieces", {"content": 7}, "content: Input should be a valid string"),
        ("pieces", {"content": SECRET}, "holds a secret"),
        ("pieces", {"content": "x", "tags": [SECRET]}, "holds a secret"),
        ("pieces", {"content": "x", "knowledge_type": "rumour"}, "knowledge_type: Input should be"),
        ("pieces", {"content": "x", "tags": "tea"}, "tags: Input should be a valid list"),
        ("pieces", {"content": "x", "entity_id": ""}, "entity_id: is empty"),
        ("pieces", {"content": "half of \ud83d"}, "is no valid JSON"),
        ("pieces", {"content": "x", "tags": [object()]}, "is no valid JSON"),
        ("pieces", {"piece_id": "p1", "content": "Again."}, "stands there before"),
        ("pieces", "Ada drinks tea.", "is no object"),
        ("nodes", {"node_id": "x"}, "node_type: Field required"),
        ("nodes", {"node_id": "ada", "node_type": "cat"}, "stands there before"),
        ("edges", {"source_id": "ada", "edge_type": "KNOWS"}, "target_id: Field required"),
        (
            "edges",
            {"source_id": "ada", "target_id": "eve", "edge_type": "KNOWS"},
            "there is no node 'eve'",
        ),
        (
            "edges",
            {"source_id": "ben", "target_id": "ada", "edge_type": "KNOWS"},
            "stands there before",
        ),
        (
            "edges",
            {
                "source_id": "ada",
                "target_id": "ben",
                "edge_type": "K",
                "properties": {"piece_id": 1},
            },
            "properties.piece_id: Input should be a valid string",
        ),
    ],
)
def test_an_item_that_is_not_right_is_left_out_alone(
    section: str, item: Any, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    document = json.loads(json.dumps(DOCUMENT))
    items = document["pieces"] if section == "pieces" else document["graph"][section]
    items.append(item)
    place = f"{'pieces' if section == 'pieces' else f'graph.{section}'}[{len(items) - 1}]"
    with caplog.at_level(logging.WARNING):
        loaded = load(document)
    assert [one.where for one in loaded.skipped] == [place]
    assert loaded.skipped[0].why.startswith(why)
    assert loaded[:3] == load(DOCUMENT)[:3]
    assert caplog.messages == [f"{place} is left out: {loaded.skipped[0].why}"]


@pytest.mark.parametrize(
    ("profiles", "skipped"),
    [
        ({"": {"entity_type": "person"}}, Skipped("metadata.", "entity_id: is empty")),
        ({"eve": {}}, Skipped("metadata.eve", "entity_type: Field required")),
        (
            {"eve": {"entity_type": "person", "properties": {"password": "hunter2-Tango"}}},
            Skipped("metadata.eve", "holds a secret"),
        ),
        ({"eve": None}, Skipped("metadata.eve", "is no object")),
        ([], Skipped("metadata", "is no object")),
    ],
)
def test_a_profile_that_is_not_right(profiles: Any, skipped: Skipped) -> None:
    loaded = load({"metadata": profiles})
    assert (loaded.metadata, loaded.skipped) == ((), (skipped,))


def test_edges_of_a_node_that_did_not_load_do_not_load_either() -> None:
    document = {"graph": {**DOCUMENT["graph"], "nodes": DOCUMENT["graph"]["nodes"][:1]}}
    loaded = load(document)
    assert loaded.graph.edges == ()
    assert [one.where for one in loaded.skipped] == ["graph.edges[0]", "graph.edges[1]"]


def test_no_warning_tells_a_secret(caplog: pytest.LogCaptureFixture) -> None:
    loaded = load({"metadata": {SECRET: {"entity_type": "person"}}, "pieces": {}, "graphs": []})
    assert [one.why for one in loaded.skipped] == [
        "holds a secret", "is no list", "there is no such section",
    ]  # fmt: skip
    assert "AKIA" not in caplog.text + str(loaded.skipped)


@pytest.mark.parametrize("document", ["[]", "7", "{", b"\xff", "[" * 100_000])
def test_what_is_no_object_is_refused(document: str | bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        load(document)


def test_an_empty_document_holds_nothing() -> None:
    assert load("{}") == load({"metadata": None, "pieces": [], "graph": {}})
    assert load("{}").skipped == ()
