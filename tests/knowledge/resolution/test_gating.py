import random

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from cairn.knowledge.extraction.introductions import introductions
from cairn.knowledge.resolution.facts import facts
from cairn.knowledge.resolution.gating import Gated, entities
from cairn.knowledge.schema.identity import entity_id
from cairn.knowledge.schema.policy import Policy
from cairn.resources.embedders.choice import load_embedder
from tests.knowledge.said import candidates, contexts, statement, topic, undrawn

WORDLLAMA = load_embedder("wordllama")
POLICY = Policy()
ASKED = "Please fix the login bug in the auth service."
FOUND = "Found that the login bug comes from the auth service clock."


def gated(*rows: dict[str, object], said: pl.DataFrame | None = None) -> Gated:
    proposed = candidates(*rows)
    said = contexts() if said is None else said
    return entities(proposed, introductions(proposed, POLICY), said, WORDLLAMA, POLICY)


def refused(tables: Gated) -> dict[str, tuple[str, str]]:
    rows = tables.rejections.select("name", "gate", "rule").iter_rows()
    return {name: (gate, rule) for name, gate, rule in rows}


def kept(tables: Gated) -> dict[str, int]:
    return dict(tables.entities.select("name", "facts").iter_rows())


def test_a_topic_that_a_person_named_and_an_agent_spoke_of_is_an_entity() -> None:
    tables = gated(
        topic("Login Bug", ASKED.replace("login bug", "Login Bug"), record_id="r1"),
        topic("login bug", ASKED, record_id="r2", at=2),
        topic("login bug", FOUND, record_id="r3", at=3, origin="agent"),
        statement(FOUND, record_id="r3", at=3),
        {"record_id": "r4"},
    )
    entity = tables.entities.filter(pl.col("type") == "topic").row(0, named=True)
    assert entity["entity_id"] == entity_id("n", "topic", "login bug")
    assert (entity["display_name"], entity["aliases"]) == ("login bug", ["Login Bug"])
    assert (entity["introduced_by"], entity["mentions"], entity["facts"]) == ("r1", 3, 1)
    assert tables.rejections.is_empty()


@pytest.mark.parametrize(
    ("who", "introduced"),
    [
        ({"origin": "human"}, True),
        ({"origin": "human", "trigger": "learn_command"}, True),
        ({"origin": "external", "trigger": "learn_command"}, True),
        ({"origin": "external", "trigger": "user_message"}, False),  # a page that an agent read
        ({"origin": "external", "trigger": "user_message", "mode": "full"}, True),  # a search
        ({"origin": "human", "trigger": "enrichment"}, False),
        ({"origin": "external", "trigger": "enrichment"}, False),
        ({"origin": "human", "trigger": None}, False),
        ({"origin": "agent"}, False),
        ({"origin": "tool"}, False),
        ({"origin": "recalled"}, False),
        ({"origin": "system"}, False),
        ({"origin": "human", "mode": "known_only"}, False),
    ],
)
def test_who_may_introduce_a_topic(who: dict[str, object], introduced: bool) -> None:
    said = candidates(topic("login bug", ASKED, **who))
    assert introductions(said, POLICY).height == int(introduced)


@pytest.mark.parametrize(
    ("seen", "introduced"),
    [
        ({"quote_field": "tool_input.command"}, True),
        ({"quote_field": "tool_input.command", "trigger": None}, False),
        ({"quote_field": "tool_input.command", "trigger": "enrichment"}, False),
        ({"quote_field": "text", "origin": "human"}, True),
        ({"quote_field": "text", "origin": "agent"}, False),
        ({"quote_field": "text", "origin": "tool"}, False),
    ],
)
def test_who_may_introduce_a_host(seen: dict[str, object], introduced: bool) -> None:
    said = candidates({"entity_name": "nas", "entity_type": "host", "kind": "entity", **seen})
    assert introductions(said, POLICY).height == int(introduced)


def test_the_first_event_introduces_and_undated_ones_come_last() -> None:
    said = candidates(
        topic("login bug", ASKED, record_id="r0", at=None),
        topic("Login bug", "Login bug", record_id="r3", at=1),
        topic("login bug", ASKED, record_id="r2", at=1),
        topic("login bug", ASKED, record_id="r1", at=2),
    )
    assert introductions(said, POLICY)["record_id"].to_list() == ["r2"]


def test_each_gate_names_what_it_refuses() -> None:
    pasted = "Please fix the login bug in the auth service. Login fails after an hour. " * 3
    pasted += "Tomatoes need sun and rain."
    tables = gated(
        topic("2024-03-01", "on 2024-03-01", record_id="r1"),
        topic("rate limiter", "the rate limiter helps", record_id="r2", origin="agent"),
        topic("Tomatoes", pasted, record_id="r3"),
        topic("auth service", ASKED, record_id="r4"),
        {"record_id": "r5"},
        said=contexts(r3=pasted, r4=ASKED),
    )
    assert refused(tables) == {
        "2024-03-01": ("structural", "date"),
        "rate limiter": ("not_introduced", "only_agent"),
        "Tomatoes": ("semantic", "off_context"),
        "auth service": ("no_fact", "nothing_known"),
    }
    scores = dict(tables.rejections.select("name", "score").iter_rows())
    assert scores["Tomatoes"] < POLICY.min_name_similarity < scores["auth service"]
    assert kept(tables) == {"cairn": 1}


def test_a_good_place_for_a_name_outweighs_a_stray_one() -> None:
    text = "Login fails after an hour. " * 8 + "Tomatoes need sun and rain."
    good = "Water the Tomatoes in the evening."
    tables = gated(
        topic("Tomatoes", text, record_id="r1"),
        topic("Tomatoes", good, record_id="r2"),
        statement("Found that Tomatoes rot when wet.", record_id="r3"),
        said=contexts(r1=text, r2=good),
    )
    assert kept(tables)["tomatoes"] == 1


def test_a_command_keeps_a_name_of_which_nothing_is_known() -> None:
    tables = gated(topic("quantum cooking", "like quantum cooking", extractor="commanded_topic@1"))
    assert kept(tables) == {"quantum cooking": 0}


def test_what_a_fact_names_in_its_words_is_known_by_it() -> None:
    line = {"quote_field": "tool_input.command", "quote": "pip install httpx"}
    name = {**line, "kind": "entity", "predicate": "is", "quote_start": 12, "quote_end": 17}
    tables = gated(
        {**line, "predicate": "executed_command", "object": "pip install httpx", "quote_end": 17},
        {**name, "entity_name": "httpx", "entity_type": "package", "object": "httpx"},
        {**name, "entity_name": "10.0.0.9", "entity_type": "host", "object": "10.0.0.9",
         "record_id": "r2"},
    )  # fmt: skip
    assert kept(tables) == {"cairn": 1, "httpx": 1}
    assert refused(tables) == {"10.0.0.9": ("no_fact", "nothing_known")}


def test_every_candidate_ends_once_as_a_mention_or_with_a_refusal() -> None:
    rows = [
        topic("Login Bug", "Login Bug", record_id="r1"),
        topic("**Login Bug**", "**Login Bug**", record_id="r2"),
        topic("rate limiter", "the rate limiter", record_id="r3", origin="agent"),
        statement(FOUND, record_id="r4"),
        {"record_id": "r5"},
    ]
    tables = gated(*rows)
    ended = tables.entities["mentions"].sum() + tables.rejections["candidates"].sum()
    assert ended == len(rows)


def test_facts_are_about_entities_that_passed() -> None:
    proposed = candidates(
        topic("login bug", ASKED, record_id="r1"),
        topic("clock", "the clock", record_id="r2", origin="agent"),
        statement(FOUND, record_id="r3"),
        {"record_id": "r4"},
    )
    introduced = introductions(proposed, POLICY)
    passed = entities(proposed, introduced, contexts(), WORDLLAMA, POLICY).entities
    about = facts(undrawn(proposed), passed).facts["entity_id"]
    assert set(about) == set(passed["entity_id"])
    assert set(passed["name"]) == {"cairn", "login bug"}


def test_nothing_proposed_gives_empty_tables() -> None:
    tables = gated()
    assert tables.entities.is_empty()
    assert tables.rejections.is_empty()


@given(st.randoms(use_true_random=False))
@settings(max_examples=15, deadline=None)
def test_any_order_of_candidates_gives_the_same_rows(shuffle: random.Random) -> None:
    pick = random.Random(5)
    rows = [
        topic(
            pick.choice(["Login Bug", "login bug", "Clock", "clock", "2024", "rain"]),
            "Login Bug login bug Clock clock 2024 rain", record_id=f"r{i}",
            at=pick.choice([None, 1, 2]), origin=pick.choice(["human", "agent"]),
        )
        for i in range(30)
    ]  # fmt: skip
    rows += [statement(FOUND, record_id=f"q{i}", at=pick.choice([1, 2])) for i in range(4)]
    proposed = candidates(*rows)
    straight = entities(
        proposed, introductions(proposed, POLICY), contexts(r1=ASKED), WORDLLAMA, POLICY
    )
    order = list(range(len(rows)))
    shuffle.shuffle(order)
    introduced = introductions(proposed[order], POLICY)
    mixed = entities(proposed[order], introduced[::-1], contexts(r1=ASKED), WORDLLAMA, POLICY)
    assert_frame_equal(mixed.entities, straight.entities)
    assert_frame_equal(mixed.rejections, straight.rejections)


def test_what_searches_bring_about_a_name_does_not_spell_it() -> None:
    named = topic("Login Bug", "The Login Bug is back", record_id="r1")
    found = {"entity_name": "login bug", "entity_type": "topic", "mode": "known_only"}
    looked_up = [found | {"record_id": f"r{number}"} for number in (2, 3)]
    (entity,) = gated(named, *looked_up).entities.to_dicts()
    assert (entity["display_name"], entity["aliases"], entity["mentions"]) == ("Login Bug", [], 3)
