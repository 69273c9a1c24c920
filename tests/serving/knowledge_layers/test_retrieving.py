"""One question to three layers: profiles, search, and the graph around an entity."""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.serving.knowledge_layers.cache import HeldPieces
from cairn.serving.knowledge_layers.items import Edge, Node, Piece, Retrieved, Scored
from cairn.serving.knowledge_layers.retrieving import retrieve
from tests.serving.knowledge_layers.examples import EDGES, NODES, PIECES, PROFILES, stores


def scores(found: Retrieved) -> dict[str, float]:
    return {one.piece.piece_id: one.score for one in found.pieces}


def steps(found: Retrieved) -> list[tuple[str, str, int]]:
    return [(one.edge.source_id, one.edge.target_id, one.depth) for one in found.graph_context]


def test_profiles_pieces_and_graph_come_together() -> None:
    found = retrieve(stores(), "tea", "ada")
    assert found.metadata == PROFILES[0]
    assert found.global_metadata == PROFILES[1]
    assert scores(found).keys() == {"p1", "p3", "p4", "p5"}
    assert steps(found) == [("ada", "ben", 1), ("ada", "shop", 1)]


class Unasked(HeldPieces):
    """Pieces that nobody may search."""

    def search(self, query: str, top_k: int, **_: object) -> Sequence[Scored]:
        raise AssertionError(query)


@pytest.mark.parametrize("query", ["", " \n"])
def test_an_empty_query_skips_the_search_alone(query: str) -> None:
    found = retrieve(stores()._replace(pieces=Unasked(PIECES)), query, "ada")
    assert scores(found) == {"p4": 1.0}
    assert found.metadata


def test_each_step_halves_and_thirds_the_score() -> None:
    """ada → ben → shop: p4 on the first edge, p2 on the second; the way back is a cycle."""
    found = retrieve(stores(), "", "ada", graph_traversal_depth=9)
    assert scores(found) == {"p4": 1.0, "p2": 0.5}
    assert steps(found) == [
        ("shop", "shop", 2), ("ben", "ada", 2), ("ada", "ben", 1), ("ada", "shop", 1),
        ("ben", "shop", 2),
    ]  # fmt: skip
    assert retrieve(stores(), "", "ada", graph_traversal_depth=0).graph_context == ()


def test_a_piece_found_twice_has_its_higher_score() -> None:
    assert scores(retrieve(stores(), "workshop in Ghent", "ada"))["p4"] == 1.0
    by_search = scores(retrieve(stores(), "repairs"))["p2"]
    assert by_search > 0.5
    found = retrieve(stores(), "repairs", "ada", graph_traversal_depth=2)
    assert scores(found)["p2"] == by_search


SIMULATION = [
    Piece("start", "It saves a third of the run to begin from a converged RANS field.",
          tags=("turbulence",), embedding_text="how to warm start a large eddy simulation"),
    Piece("mesh", "The mesh is refined at walls.", tags=("grid",)),
    Piece("like", "She prefers one package over another.", entity_id="ada"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("query", "first", "least"),
    [
        ("large eddy simulation warm start", "start", 0.85),
        ("turbulence", "start", 0.6),
        ("which package does she prefer?", "like", 0.6),
        ("are walls meshed finely?", "mesh", 0.6),
    ],
)
def test_pieces_are_searched_by_vector_word_tag_and_embedding_text(
    query: str, first: str, least: float
) -> None:
    found = HeldPieces(SIMULATION).search(query, 5)
    assert found[0].piece.piece_id == first
    assert found[0].score >= least


def test_where_no_piece_is_near_there_is_none() -> None:
    assert HeldPieces(SIMULATION).search("will it rain in Oslo on Friday", 5) == []


def test_what_is_not_there_is_no_error() -> None:
    assert retrieve(stores(), "tea", "nobody").graph_context == ()
    assert retrieve(stores(), "tea", "gone").graph_context == ()
    assert retrieve(stores(), "xylophone", "nobody").pieces == ()
    assert retrieve(stores([], [], [], []), "tea", "ada") == Retrieved("ada")


@pytest.mark.parametrize(
    ("filters", "ids"),
    [
        ({}, {"p1", "p3", "p4", "p5"}),
        ({"knowledge_types": ["preference", "procedure"]}, {"p1", "p3"}),
        ({"knowledge_types": []}, set()),
        ({"tags": ["TEA"]}, {"p1", "p3"}),
        ({"tags": ["tea", "drinks"]}, {"p1"}),
        ({"about_it": True}, {"p1", "p3", "p4"}),
        ({"top_k": 1}, {"p1", "p4"}),
        ({"top_k": 0}, {"p4"}),
    ],
)
def test_filters(filters: dict[str, Any], ids: set[str]) -> None:
    """p4 lies on an edge: the number of pieces of a search does not bound it, its type does."""
    assert scores(retrieve(stores(), "tea", "ada", **filters)).keys() == ids


@pytest.mark.parametrize(
    "wrong", [{"knowledge_types": ["rumour"]}, {"top_k": -1}, {"graph_traversal_depth": -1}]
)
def test_wrong_bounds_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"rumour|below 0"):
        retrieve(stores(), "tea", "ada", **wrong)


def test_scores_of_any_store_end_within_0_and_1() -> None:
    class Wild:
        def search(self, query: str, top_k: int, **_: object) -> Sequence[Scored]:
            return [Scored(Piece(id_, id_), score) for id_, score in
                    [("a", 7.0), ("b", -1.0), ("c", float("nan"))]]  # fmt: skip

        def pieces(self, piece_ids: object) -> dict[str, Piece]:
            return {}

        def close(self) -> None: ...

    found = retrieve(stores()._replace(pieces=Wild()), "tea", "ada")
    assert scores(found) == {"a": 1.0, "b": 0.0, "c": 0.0}


NAMES = st.sampled_from("abcdef")


@given(
    nodes=st.sets(NAMES),
    edges=st.lists(st.tuples(NAMES, NAMES, st.sampled_from(["R", "S"]), st.none() | NAMES)),
    depth=st.integers(0, 7),
    order=st.randoms(use_true_random=False),
)
def test_the_walk_ends_and_any_order_gives_the_same(
    nodes: set[str], edges: list[tuple[str, str, str, str | None]], depth: int, order: Random
) -> None:
    """Against the definition: distance of a node = fewest steps; an edge is one step more."""
    pieces = [Piece(name, name) for name in "abc"]
    known = [Node(name, "thing", name) for name in sorted(nodes)]
    made = [
        Edge(source, target, kind, {"piece_id": piece} if piece else {})
        for source, target, kind, piece in edges
    ]
    found = retrieve(stores([], pieces, known, made), "", "a", graph_traversal_depth=depth)
    distance = {"a": 0} if "a" in nodes else {}
    for step in range(1, depth + 1):
        for source, target, *_ in edges:
            if distance.get(source, depth) < step and target in nodes:
                distance.setdefault(target, step)
    expected = {
        (source, target, kind, piece or "", distance[source] + 1)
        for source, target, kind, piece in edges
        if distance.get(source, depth) < depth and target in nodes
    }
    seen = [
        (r.edge.source_id, r.edge.target_id, r.edge.edge_type, r.edge.piece_id or "", r.depth)
        for r in found.graph_context
    ]
    assert len(seen) == len(set(seen))
    assert set(seen) == expected
    nearest: dict[str, int] = {}
    for *_, piece, step in expected:
        if piece in {"a", "b", "c"}:
            nearest[piece] = min(step, nearest.get(piece, step))
    assert scores(found) == {piece: 1 / step for piece, step in nearest.items()}
    for items in (pieces, known, made):
        order.shuffle(items)
    again = retrieve(stores([], pieces, known, made), "", "a", graph_traversal_depth=depth)
    assert again == found


def test_results_stand_in_order() -> None:
    found = retrieve(stores(PROFILES, PIECES[::-1], NODES, EDGES[::-1]), "Ada drinks tea", "ada")
    assert [one.piece.piece_id for one in found.pieces] == ["p4", "p1", "p5", "p3"]
