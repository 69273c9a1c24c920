"""Which facts become one."""

import numpy as np
import pytest
from polars.testing import assert_frame_equal

from cairn.knowledge.consolidation.merges import merges
from cairn.knowledge.consolidation.similar_facts import similar_facts
from cairn.knowledge.schema.policy import Policy
from tests.knowledge.rows import day, evidence, facts
from tests.knowledge.toy_embedder import ToyEmbedder

POLICY = Policy()
SAYS = "The nightly backup of the photo archive runs on the old server"


def decided(known, events=()):
    return merges(known, evidence(*events), similar_facts(known, ToyEmbedder(), POLICY), POLICY)


def merged(*rows, events=()):
    found = decided(facts(*rows), events)
    return dict(found.select("winner_id", "loser_ids").iter_rows())


def pair(**second):
    return (
        {"fact_id": "f1", "content": SAYS, "base_confidence": 0.8},
        {"fact_id": "f2", "content": f"{SAYS} now", "base_confidence": 0.6, **second},
    )


def test_the_more_confident_takes_the_other_up_when_the_later_came():
    found = decided(facts(*pair(first_seen=day(4))))
    row = found.row(0, named=True)
    assert (row["winner_id"], row["loser_ids"]) == ("f1", ["f2"])
    assert row["decided_at"] == day(4)
    assert 0.85 < row["similarity"] < 1


def test_a_persons_words_stand_before_an_agents():
    agents = {"base_confidence": 0.8, "trust": "agent"}
    said = ({"fact_id": "f1", "content": SAYS, **agents}, pair()[1])
    assert merged(*said) == {"f2": ["f1"]}
    both = [{**row, "trust": "agent"} for row in said]  # nobody is believed, and they say the same
    assert merged(*both) == {"f1": ["f2"]}


@pytest.mark.parametrize(
    "second",
    [
        {"entity_id": "e2"},
        {"predicate": "discovery"},
        {"base_confidence": 0.45},
        {"content": SAYS.replace("runs on the old", "never runs on the old")},
        {"content": SAYS.replace("old server", "old server 2")},
        {"content": "The cat sleeps"},
    ],
    ids=["entity", "predicate", "confidence", "polarity", "number", "meaning"],
)
def test_what_differs_keeps_facts_apart(second):
    assert merged(*pair(**second)) == {}


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("We don't use Redis and we don't use Kafka.", "We use Redis and we use Kafka."),
        ("I like tea and I hate coffee.", "I hate tea and I like coffee."),
        ("We lint the API, we don't lint the docs.", "We don't lint the API, we lint the docs."),
        ("I promised not to tell Ann.", "I did not promise to tell Ann."),
        ("The queue is not empty.", "The queue is full."),
    ],
)
def test_what_is_said_clause_by_clause_keeps_facts_apart(one, two):
    first, second = pair()
    assert merged({**first, "content": one}, {**second, "content": two}) == {}


def test_names_and_structural_facts_never_merge():
    for predicate in ("used_tool", "connects_to_host", "targets_system"):
        rows = [{**row, "predicate": predicate} for row in pair()]
        assert merged(*rows) == {}


def test_neither_is_sure_enough():
    unsure = [{**row, "base_confidence": 0.6} for row in pair()]
    assert merged(*unsure) == {}


def test_facts_that_contradict_stay_apart():
    event = {"evidence_id": "v1", "fact_id": "f1", "source_id": "f2", "kind": "contradiction"}
    assert merged(*pair(), events=[event]) == {}


def test_there_are_no_chains():
    # Each says the same as the next, the ends do not.
    rows = [
        {"fact_id": "f1", "content": "My old server runs at night", "base_confidence": 0.7},
        {"fact_id": "f2", "content": "The old server runs at night", "base_confidence": 0.8},
        {"fact_id": "f3", "content": "Your old server runs at night", "base_confidence": 0.9},
    ]
    assert merged(*rows) == {"f3": ["f2"]}
    assert merged(*rows[:2]) == {"f2": ["f1"]}


def test_the_same_words_are_one_however_little_alike():
    for left, right in (("Slices an onion", "Slicing the onion"), ("Uses npm", "Using npm")):
        rows = ({"fact_id": "f1", "content": left}, {"fact_id": "f2", "content": right})
        assert merged(*rows) == {"f1": ["f2"]}


def test_any_order_of_rows():
    rows = facts(
        *(
            {"fact_id": f"f{at}", "content": SAYS + " now" * (at % 3), "base_confidence": 0.7}
            for at in range(12)
        )
    )
    order = np.random.default_rng(1).permutation(rows.height)
    first = decided(rows)
    assert first.height
    assert_frame_equal(first, decided(rows[order]))
