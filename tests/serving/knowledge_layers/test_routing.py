"""Which section of a prompt each part goes to."""

from dataclasses import replace

from cairn.serving.knowledge_layers.retrieving import retrieve
from cairn.serving.knowledge_layers.routing import route
from tests.serving.knowledge_layers.examples import PIECES, stores


def parts(active: str | None, metadata_info_type: str = "user_profile") -> dict[str, list[str]]:
    pieces = [*PIECES[:-1], replace(PIECES[-1], info_type="clocks")]
    found = retrieve(stores(pieces=pieces), "tea", "ada", graph_traversal_depth=2)
    return {
        info_type: [
            *(["profile"] if part.metadata else []),
            *(["global"] if part.global_metadata else []),
            *(one.piece.piece_id for one in part.pieces),
            *(f"{one.edge.source_id}-{one.edge.target_id}" for one in part.graph_context),
        ]
        for info_type, part in route(found, active, metadata_info_type).items()
    }


def test_each_part_goes_to_its_section_and_sections_stand_by_name() -> None:
    """An edge with a piece follows it; one without starts at the active entity, or is context."""
    routed = parts("ada")
    assert routed == {
        "clocks": ["p5"],
        "context": ["p4", "p2", "shop-shop", "ben-ada", "ada-ben", "ben-shop"],
        "skills": ["p3"],
        "user_profile": ["profile", "global", "p1", "ada-shop"],
    }
    assert list(routed) == sorted(routed)


def test_the_active_entity_decides_where_edges_without_a_piece_go() -> None:
    assert "ada-shop" in parts(None)["context"]
    assert parts("ben")["user_profile"] == ["profile", "global", "p1", "ben-ada"]


def test_profiles_go_where_they_are_told() -> None:
    routed = parts("ada", "about")
    assert routed["about"] == ["profile", "global"]
    assert routed["user_profile"] == ["p1", "ada-shop"]
