"""Slots that hold one value at a time, found in how their values follow each other."""

import pytest

from cairn.knowledge.consolidation.similar_facts import similar_facts
from cairn.knowledge.nlp.statements.cardinality import filled
from cairn.knowledge.nlp.statements.inferred_cardinality import learned_slots
from cairn.knowledge.schema.policy import Policy
from tests.knowledge.rows import day, fact_sources, facts
from tests.knowledge.toy_embedder import ToyEmbedder

SAYS = "The nightly report of this project goes to {}"
TURNS = ("Slack", "Slack", "Teams", "Teams")


def proposed(*projects, says=SAYS, policy=Policy()):  # noqa: B008  frozen
    """Of the values that each project states, one a day, in a conversation of its own each."""
    rows, sources = {}, []
    for at, values in enumerate(projects):
        for hour, value in enumerate(values):
            fact = f"f{at}{value}"
            rows[fact] = {"fact_id": fact, "entity_id": f"e{at}", "content": says.format(value)}
            sources.append(
                {"fact_id": fact, "record_id": f"r{at}{hour}", "conversation_id": f"s{at}{hour}",
                 "occurred_at": day(hour)}
            )  # fmt: skip
    known = facts(*rows.values())
    similar = similar_facts(known, ToyEmbedder(), policy)
    return learned_slots(known, fact_sources(*sources), similar, policy)


def test_values_that_follow_each_other_in_three_entities_are_proposed():
    row = proposed(TURNS, TURNS, TURNS).row(0, named=True)
    assert row["slot"] == "night report of project goe to *"
    assert (row["entities"], row["values"], row["conversations"]) == (3, 6, 12)
    assert row["chance"] == pytest.approx(1 / 27)
    assert row["examples"] == [SAYS.format("Slack"), SAYS.format("Teams")]


def test_what_chance_explains_is_not_proposed():
    assert proposed(TURNS, TURNS).is_empty(), "two entities"
    once = ("Slack", "Teams")
    assert proposed(*[once] * 6).is_empty(), "one of two always comes first"


def test_a_value_that_returns_behind_another_speaks_against_the_slot():
    assert proposed(TURNS, TURNS, TURNS, ("Slack", "Teams", "Slack")).is_empty()


def test_what_is_decided_is_not_proposed_nor_what_holds_many():
    slot = proposed(TURNS, TURNS, TURNS)["slot"].item()
    for setting in ("single_valued", "many_valued"):
        policy = Policy.model_validate({setting: (slot,)})
        assert proposed(TURNS, TURNS, TURNS, policy=policy).is_empty()
    taken_up = Policy(single_valued=(slot,))
    assert filled("states", "", SAYS.format("Slack"), taken_up) == (slot, "slack")
    likes = "The old owner of this project likes {}"
    assert proposed(TURNS, TURNS, TURNS, says=likes).is_empty()
