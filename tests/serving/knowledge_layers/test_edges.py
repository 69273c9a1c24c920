"""Facts between entities as edges."""

import polars as pl

from cairn.serving.knowledge_layers.edges import OF_A_NODE, entity_edges

ENTITIES = pl.DataFrame(
    [
        ("shop", "lantern-shop", "project", "shop", 9),
        ("mira", "mira", "person", "mira", 8),
        ("nas", "nas", "host", "nas", 3),
        ("nas_system", "nas", "system", "nas_system", 5),
        ("old_nas", "storage", "host", "nas", 1),
        ("pytest", "pytest", "tool", "pytest", 7),
        ("ssh", "ssh", "topic", "ssh", 2),
    ],
    schema=["entity_id", "name", "type", "canonical_id", "mentions"],
    orient="row",
)


def edges(
    *facts: tuple[str, str, str, float], records: str | None = None
) -> list[tuple[str, str, str, str]]:
    frame = pl.DataFrame(
        [
            (f"f{row}", *fact, list((records or "r" * len(facts))[row]))
            for row, fact in enumerate(facts)
        ],
        schema=["fact_id", "entity_id", "predicate", "object", "effective", "source_record_ids"],
        orient="row",
    )
    found = entity_edges(frame, ENTITIES)
    again = entity_edges(frame.sample(fraction=1, shuffle=True, seed=1), ENTITIES.reverse())
    assert again.equals(found)
    return found.select("source_id", "edge_type", "target_id", "fact_id").rows()


def test_a_name_leads_to_the_entity_of_its_type() -> None:
    assert edges(
        ("shop", "connects_to_host", "NAS", 0.9),
        ("shop", "targets_system", "nas", 0.8),
        ("shop", "connects_to_host", "storage", 0.7),
        ("shop", "connects_to_host", "elsewhere", 0.6),
    ) == [
        ("shop", "CONNECTS_TO_HOST", "nas", "f0"),
        ("shop", "TARGETS_SYSTEM", "nas_system", "f1"),
        ("shop", "CONNECTS_TO_HOST", "nas", "f2"),
    ]


def test_a_value_that_is_a_name_leads_to_the_most_mentioned_of_that_name() -> None:
    assert edges(
        ("mira", "works_on", "Lantern-Shop.", 0.9),
        ("mira", "backs_up_to", "NAS", 0.8),
        ("mira", "knows", "Mira", 0.7),
        ("mira", "port", "8080", 0.7),
    ) == [
        ("mira", "WORKS_ON", "shop", "f0"),
        ("mira", "BACKS_UP_TO", "nas_system", "f1"),
    ]


def test_a_sentence_about_several_leads_from_each_to_the_others() -> None:
    said = "We use SSH for the shop."
    assert edges(
        ("shop", "states", said, 0.9),
        ("ssh", "states", said.upper(), 0.8),
        ("mira", "discovery", said, 0.8),
        ("mira", "states", "ssh", 0.8),
    ) == [("shop", "MENTIONS", "ssh", "f0"), ("ssh", "MENTIONS", "shop", "f1")]


def test_the_same_sentence_of_two_records_is_no_edge() -> None:
    said = [("shop", "states", "It works.", 0.9), ("ssh", "states", "It works.", 0.8)]
    assert edges(*said, records="rs") == []
    assert len(edges(*said, records="rr")) == 2


def test_of_a_hub_the_surest_edges() -> None:
    facts = [("shop", f"relation_{row:02}", "mira", row / 100) for row in range(60, 90)]
    found = edges(*facts)
    assert [edge for _, edge, _, _ in found] == [f"RELATION_{row}" for row in range(89, 79, -1)]
    assert len(found) == OF_A_NODE
