"""The layers over the published samples."""

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from cairn import Knowledge
from cairn.knowledge.llm.fence import CLOSING, NOTICE
from cairn.knowledge.schema.learning_categories import CATEGORIES
from cairn.knowledge.schema.predicates import STRUCTURAL_PREDICATES
from cairn.resources.context import open_state
from cairn.serving.knowledge_layers.items import Metadata
from cairn.serving.knowledge_layers.reader import LEARNT, Following, published, single_values
from cairn.serving.read.reader import Reader, open_reader

Open = Callable[..., Knowledge]


@pytest.fixture
def reader(home: Path) -> Reader:
    return open_reader(open_state(home), "samples")


@pytest.fixture
def opened(home: Path) -> Open:
    return lambda **settings: Knowledge.open(home, "samples", **settings)


@pytest.mark.parametrize("name", ["Mira", "mira", "e_dca7eeeeae24ee22"])
def test_a_profile_is_found_by_name_and_id(reader: Reader, name: str) -> None:
    profile = published(reader).metadata.metadata(name)
    assert profile
    assert (profile.entity_id, profile.entity_type) == ("e_dca7eeeeae24ee22", "person")
    shown = {key: profile.properties[key] for key in ("name", "type", "first_seen", "last_seen")}
    assert shown == {
        "name": "Mira", "type": "person", "first_seen": "2026-02-02", "last_seen": "2026-03-18",
    }  # fmt: skip
    assert profile.properties["facts"] == 17


def test_who_was_merged_has_the_profile_of_the_other(reader: Reader) -> None:
    merged = reader.entities().filter(pl.col("canonical_id") != pl.col("entity_id")).collect()
    assert merged.height
    for row in merged.iter_rows(named=True):
        profile = published(reader).metadata.metadata(row["entity_id"])
        assert profile
        assert profile.entity_id == row["canonical_id"]
    assert published(reader).metadata.metadata("nobody at all") is None


def test_the_profile_of_the_namespace(reader: Reader) -> None:
    assert published(reader).metadata.global_metadata() == Metadata(
        "global",
        "namespace",
        {
            "namespace": "samples",
            "as_of": "2026-03-20",
            "projects": ["harbor-backup", "lantern-shop"],
            "people": ["Mira", "user"],
        },
    )


def test_predicates_that_hold_one_value_are_part_of_a_profile() -> None:
    facts = pl.DataFrame(
        [
            ("a", "port", "8080"),
            ("b", "port", "9090"),
            ("a", "depends_on", "x"),
            ("b", "depends_on", "x"),
            ("b", "depends_on", "y"),
            ("a", "states", "It is old."),
            ("a", "connects_to_host", "nas"),
            ("a", "motto", "m" * 81),
            ("a", "licence", "MIT"),
        ],
        schema=["entity_id", "predicate", "object"],
        orient="row",
    )
    assert single_values(facts).rows() == [
        ("a", "licence", "MIT"),
        ("a", "port", "8080"),
        ("b", "port", "9090"),
    ]


def test_facts_and_learnings_are_searched_and_episodes_if_asked_for(opened: Open) -> None:
    found = opened().retrieve("why does the backup fail when the NAS sleeps", top_k=20)
    kinds = {one.piece.piece_id[0] for one in found.pieces}
    assert kinds == {"f", "l"}
    assert all(0 < one.score <= 1 for one in found.pieces)
    types = ["episodic"]
    episodes = opened().retrieve("why does the backup fail", top_k=20, knowledge_types=types)
    assert {one.piece.knowledge_type for one in episodes.pieces} == {"episodic"}


def test_filters_hold_for_what_was_published(opened: Open, reader: Reader) -> None:
    shop = reader.entities().filter(name="lantern-shop", type="project").collect()["entity_id"][0]
    found = opened().retrieve(
        "which package manager, pnpm or npm", "lantern-shop", 20, graph_traversal_depth=0
    )
    assert {one.piece.entity_id for one in found.pieces} == {shop, None}
    assert found.entity_id == shop
    procedures = opened().retrieve("backup", top_k=20, knowledge_types=["procedure"])
    assert {one.piece.info_type for one in procedures.pieces} == {"skills"}
    tagged = opened().retrieve("backup", top_k=20, tags=["NAS"])
    assert tagged.pieces
    assert all("nas" in map(str.casefold, one.piece.tags) for one in tagged.pieces)
    assert len(opened().retrieve("backup", "user", 3, graph_traversal_depth=0).pieces) == 3


def test_every_category_of_learnings_is_some_knowledge() -> None:
    known = [category for some in LEARNT.values() for category in some]
    assert sorted(known) == sorted(CATEGORIES)


def test_the_graph_has_what_may_be_given_unasked(reader: Reader) -> None:
    """Edges lead to entities that stand for themselves; their facts hold, and surely enough."""
    stores = published(reader)
    known = reader.entities().filter(pl.col("canonical_id") == pl.col("entity_id")).collect()
    edges = stores.graph.edges(known["entity_id"].to_list())
    assert len(edges) > 20
    assert stores.graph.nodes({edge.target_id for edge in edges}).keys() <= set(known["entity_id"])
    facts = (
        reader.memory().filter(pl.col("fact_id").is_in([one.piece_id for one in edges])).collect()
    )
    assert set(facts["status"]) == {"active"}
    assert facts["effective"].min() > 0.5
    assert not set(facts["predicate"]) & STRUCTURAL_PREDICATES
    assert facts["fact_id"].n_unique() == len({edge.piece_id for edge in edges})


def test_an_answer_to_the_user(opened: Open) -> None:
    with opened(active_entity_id="user") as knowledge:
        text = knowledge("how do we back up the NAS?")
        assert text == knowledge("how do we back up the NAS?")
        assert "\n\n[Relationships]\nCONNECTS_TO_HOST → Host:nas\n" in text
        # What a person said is given, what only an agent said is not.
        assert "[procedure] Do not run `uv run harbor prune --keep 7`: that deletes" in text
        assert "It turns out that the backup job fails" not in text
        sections = knowledge.by_info_type("how do we back up the NAS?")
        of_work = knowledge.by_info_type("how do I run the tests of harbor-backup?")
    assert list(sections) == ["context", "skills", "user_profile"]
    assert list(of_work) == ["context", "instructions", "skills", "user_profile"]
    assert of_work["instructions"].count("run the whole test suite before every commit.") == 1
    for said in (text, *sections.values(), *of_work.values()):
        assert said.startswith(f'{NOTICE}\n<cairn-memory namespace="samples" generation="wordllama')
        assert said.endswith(f"\n{CLOSING}")
    assert "\n[Metadata]\nfacts: 4\n" in sections["user_profile"]


def test_opening_leaves_the_environment_as_it_is(opened: Open) -> None:
    before = dict(os.environ)
    opened().close()
    assert dict(os.environ) == before


def test_an_earlier_moment_knows_less(opened: Open) -> None:
    then = opened(as_of=datetime(2026, 2, 10, tzinfo=UTC), active_entity_id="Mira")
    profile = then.retrieve("").global_metadata
    assert profile
    assert profile.properties["as_of"] == "2026-02-10"
    assert "2026-03-18" not in then("moving")


def test_a_new_publication_is_followed_and_none_is_read_twice(reader: Reader) -> None:
    readers = [reader]
    following = Following(lambda: replace(readers[-1]))
    first = following()
    assert following() is first
    readers.append(replace(reader, manifest=replace(reader.manifest, generation="another")))
    second = following()
    assert second is not first
    assert following() is second
    following.close()
