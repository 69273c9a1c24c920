"""Which entities are one thing, and which stay apart whatever they look like."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from benchmarks.entity_pairs import merged, own_pairs, scores
from cairn.knowledge.resolution.comparison_keys import read_name
from cairn.knowledge.resolution.resolution import RULES, entity_merges
from cairn.knowledge.schema.policy import Policy
from cairn.resources.embedders.choice import load_embedder
from tests.knowledge.rows import day, entities, facts
from tests.knowledge.toy_embedder import ToyEmbedder

POLICY = Policy()


def found(*names, told=(), **decisions):
    """Who stands for whom, by name, and why; the earlier of `names` have more mentions."""
    rows = entities(
        *(
            {"entity_id": f"e{at}", "display_name": name, "mentions": 100 - at}
            for at, name in enumerate(names)
        )
    )
    stated = facts(*({"fact_id": f"f{at}", "content": c} for at, c in enumerate(told)))
    pairs = {
        side: pl.DataFrame(
            [("n", f"e{names.index(a)}", f"e{names.index(b)}") for a, b in chosen],
            schema=["namespace", "left_id", "right_id"],
            orient="row",
        )
        for side, chosen in decisions.items()
    }
    merges = entity_merges(rows, stated, ToyEmbedder(), POLICY, **pairs)
    shown = dict(rows.select("entity_id", "display_name").iter_rows())
    return {
        shown[entity]: (shown[canonical], rule)
        for entity, canonical, rule in merges.select(
            "entity_id", "canonical_id", "rule"
        ).iter_rows()
    }


def test_labelled_names_with_what_ships():
    pairs = own_pairs()
    rules = merged(pairs, load_embedder(POLICY.embedder), POLICY)
    told = scores([rule is not None for rule in rules], pairs)
    assert told["wrong"] == 0
    assert told["recall"] > 0.88


def test_the_most_mentioned_stands_for_the_others_from_when_the_later_came():
    rows = entities(
        {"entity_id": "e1", "display_name": "backup-job", "mentions": 2, "first_seen": day(1)},
        {"entity_id": "e2", "display_name": "backup job", "mentions": 5, "first_seen": day(3)},
    )
    row = entity_merges(rows, facts(), ToyEmbedder(), POLICY).row(0, named=True)
    assert (row["entity_id"], row["canonical_id"]) == ("e1", "e2")
    assert (row["rule"], row["reason"]) == ("same_words", RULES["same_words"])
    assert row["decided_at"] == day(3)


@pytest.mark.parametrize(
    ("said", "one"),
    [
        ("Kingfisher, also known as KF, reads the orders.", True),
        ("KF is short for Kingfisher.", True),
        ("Is KF short for Kingfisher?", False),
        ("KF is not short for Kingfisher.", False),
        ("KF is short for Kingfisher reports.", False),
        ("Kingfisher (KF) reads the orders.", False),
        ("KF = Kingfisher", False),
    ],
)
def test_what_a_statement_says_of_two_names(said, one):
    assert found("Kingfisher", "KF", told=[said]) == (
        {"KF": ("Kingfisher", "stated")} if one else {}
    )


def test_initials_of_two_names_are_of_none_unless_a_statement_says_so():
    names = ("Go to Market", "Google Tag Manager", "GTM")
    assert found(*names) == {}
    assert found(*names, told=["Go to Market (GTM) starts in June."]) == {
        "GTM": ("Go to Market", "acronym")
    }


def test_a_kind_behind_a_name_where_a_statement_says_that_it_is_one():
    assert found("Moneybox", "Moneybox service") == {}
    told = facts({"fact_id": "f1", "entity_id": "e0", "content": "Moneybox is our ledger service."})
    rows = entities(
        {"entity_id": "e0", "display_name": "Moneybox", "mentions": 3},
        {"entity_id": "e1", "display_name": "Moneybox service"},
    )
    assert entity_merges(rows, told, ToyEmbedder(), POLICY)["rule"].to_list() == ["containment"]


LAMP = {"maker": "Orlo Lighting", "price": "49.90", "colour": "green"}


@pytest.mark.parametrize(
    ("left", "right", "told", "one"),
    [
        ("Solveig desk lamp deluxe", "Solveig desk lamp", {}, True),
        ("Solveig desk lamp (old version)", "Orlo lighting Solveig desk lamp", {}, True),
        ("Solveig desk lamp 3", "Solveig desk lamp 4", {}, False),
        ("Solveig desk lamp", "Solveig floor lamp", {}, False),
        ("Solveig desk lamp", "Ragnhild desk lamp", {}, False),
        ("Orlo desk lamp Solveig", "Solveig desk lamp", {"price": "12.00"}, False),
    ],
)
def test_records_are_one_where_the_rare_words_of_their_names_agree(left, right, told, one):
    rows = entities(
        {"entity_id": "e1", "display_name": left}, {"entity_id": "e2", "display_name": right}
    )
    told = [
        {"fact_id": f"f{entity}{key}", "entity_id": entity, "predicate": key, "object": value}
        for entity, values in (("e1", LAMP), ("e2", LAMP | told))
        for key, value in values.items()
    ]
    merges = entity_merges(rows, facts(*told), ToyEmbedder(), POLICY)
    assert merges["rule"].to_list() == (["like_record"] if one else [])


def test_a_name_alone_is_too_little_for_a_record():
    assert found("Orlo desk lamp Solveig", "Solveig desk lamp") == {}


def test_attributes_that_differ_keep_equal_names_apart():
    rows = entities(
        {"entity_id": "e1", "display_name": "Harbor Cafe"},
        {"entity_id": "e2", "display_name": "Harbor-Cafe"},
    )
    told = [
        {"fact_id": f"f{at}", "entity_id": f"e{at}", "predicate": "phone", "object": number}
        for at, number in ((1, "555-0100"), (2, "555-0199"))
    ]
    assert entity_merges(rows, facts(*told), ToyEmbedder(), POLICY).is_empty()
    assert entity_merges(rows, facts(), ToyEmbedder(), POLICY).height == 1


def test_people_decide_over_rules():
    names = ("backup job", "backup-job", "Backup Job!", "Room 101", "Room 102")
    assert found(*names, together=[("Room 101", "Room 102")])["Room 102"] == (
        "Room 101", "decided",
    )  # fmt: skip
    steps = [("Room 102", "Room 101"), ("Room 102", "backup-job")]
    assert found("Room 101", "Room 102", "backup-job", together=steps) == {
        "Room 102": ("Room 101", "decided"),
        "backup-job": ("Room 101", "decided"),
    }
    # Whoever could be either of two that are kept apart is neither.
    assert found(*names, apart=[("backup-job", "Backup Job!")]) == {}
    assert found(
        *names, apart=[("backup-job", "Backup Job!")], together=[("backup job", "backup-job")]
    ) == {"backup-job": ("backup job", "decided")}
    assert "backup-job" not in found(*names, apart=[("backup job", "backup-job")])


def test_a_topic_is_an_observed_thing_only_where_the_name_can_mean_no_other():
    rows = entities(
        {"entity_id": "e1", "display_name": "kubernetes", "type": "system", "mentions": 9},
        {"entity_id": "e2", "display_name": "k8s"},
        {"entity_id": "e3", "display_name": "lantern-shop", "type": "project", "mentions": 9},
        {"entity_id": "e4", "display_name": "Lantern-Shop"},
        {"entity_id": "e5", "display_name": "docs", "type": "project"},
        {"entity_id": "e6", "display_name": "docs"},
        {"entity_id": "e7", "display_name": "read", "type": "tool"},
        {"entity_id": "e8", "display_name": "read"},
    )
    merges = entity_merges(rows, facts(), ToyEmbedder(), POLICY)
    assert dict(merges.select("entity_id", "canonical_id").iter_rows()) == {"e2": "e1", "e4": "e3"}
    assert merges["rule"].to_list() == ["alias", "same_name"]


def test_namespaces_and_types_never_mix():
    rows = entities(
        {"entity_id": "e1", "display_name": "Postgres"},
        {"entity_id": "e2", "display_name": "PostgreSQL", "namespace": "other"},
        {"entity_id": "e3", "display_name": "PostgreSQL", "type": "package"},
        {"entity_id": "e4", "display_name": "backup job"},
        {"entity_id": "e5", "display_name": "backup-job", "type": "project"},
    )
    assert entity_merges(rows, facts(), ToyEmbedder(), POLICY).is_empty()


PARTS = st.sampled_from(
    ["the", "backup", "back", "up", "job", "jobs", "k8s", "Kubernetes", "cluster", "Postgres",
     "PostgreSQL", "database", "1", "2", "3.11", "3.12", "A", "B", "II", "room", "C++", "C", "BJ"]
)  # fmt: skip
NAMES = st.lists(
    st.tuples(st.lists(PARTS, min_size=1, max_size=4), st.sampled_from([" ", "-", "_", "  "])),
    min_size=2,
    max_size=14,
).map(lambda rows: sorted({joint.join(parts) for parts, joint in rows}))


TYPES = st.sampled_from(["topic", "system", "person", "host"])


@settings(max_examples=12, deadline=None)
@given(st.lists(st.tuples(NAMES, TYPES), min_size=4, max_size=6), st.integers(0, 5))
def test_any_names(worlds, seed):
    """Each world is a namespace: a call of many costs what a call of one does."""
    dice = np.random.default_rng(seed)
    rows = entities(
        *(
            {
                "namespace": f"n{world}", "entity_id": f"e{world}_{at}", "display_name": name,
                "type": type_, "mentions": int(dice.integers(1, 4)),
            }
            for world, (names, type_) in enumerate(worlds)
            for at, name in enumerate(names)
        )
    )  # fmt: skip
    told = facts(
        *(
            {"namespace": f"n{world}", "fact_id": f"f{world}_{at}", "content": content}
            for world in range(len(worlds))
            for at, content in enumerate(
                ["The backup job (BJ) runs.", "room 1, also known as room 2, is open."]
            )
        )
    )
    merges = entity_merges(rows, told, ToyEmbedder(), POLICY)
    # No chains, and each entity goes to one.
    assert not set(merges["entity_id"]) & set(merges["canonical_id"])
    assert merges["entity_id"].is_unique().all()
    # What must not differ does not.
    shown = {id_: read for id_, *read in rows.select("entity_id", "display_name", "type").rows()}
    for one, other in merges.select("entity_id", "canonical_id").iter_rows():
        literals = [read_name(*shown[id_]).literals for id_ in (one, other)]
        assert sorted(literals[0]) == sorted(literals[1])
    # Any order of rows.
    order = dice.permutation(rows.height)
    assert_frame_equal(merges, entity_merges(rows[order], told[::-1], ToyEmbedder(), POLICY))
