"""The current view: confidence, status and provenance of facts, alone and merged."""

import numpy as np
import pytest
from polars.testing import assert_frame_equal

from cairn.knowledge.consolidation.confidence import confidence_updates
from cairn.knowledge.consolidation.memory import MemoryInput, memory
from cairn.knowledge.consolidation.memory_entities import memory_entities
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import ENTITIES, ENTITY_MERGES, MERGES
from tests.knowledge.rows import START, day, episodes, evidence, fact_sources, facts

POLICY = Policy()
ENTITY = ENTITIES.frame(
    [
        {
            "entity_id": "e", "namespace": "n", "name": "cairn", "display_name": "Cairn",
            "type": "project", "aliases": [], "introduced_by": "r", "mentions": 1, "facts": 1,
        }
    ]
)  # fmt: skip


def grounds(rows, sources=(), events=(), decisions=(), heard=()):
    known, seen = facts(*rows), evidence(*events)
    return MemoryInput(
        known,
        fact_sources(*sources),
        episodes(*heard),
        ENTITY,
        seen,
        confidence_updates(known, seen, POLICY),
        MERGES.frame(
            {
                "merge_id": f"m{at}", "namespace": "n", "decision": "auto_merge",
                "winner_id": winner, "loser_ids": losers, "similarity": 0.9, "reason": "words",
                "decided_at": day(9),
            }
            for at, (winner, losers) in enumerate(decisions)
        ),
    )  # fmt: skip


def view(*args, embedded=("f1", "f2", "f3"), **kwargs):
    rows = memory(grounds(*args, **kwargs), embedded, POLICY).to_dicts()
    return {row["fact_id"]: row for row in rows}


def source(fact, record, conversation, when=START):
    return {
        "fact_id": fact, "record_id": record, "conversation_id": conversation, "occurred_at": when,
    }  # fmt: skip


def test_status_follows_the_vector():
    rows = [{"fact_id": "f1"}, {"fact_id": "f2"}, {"fact_id": "f3", "predicate": "used_tool"}]
    status = {name: row["status"] for name, row in view(rows, embedded=["f1"]).items()}
    assert status == {"f1": "active", "f2": "pending_embed", "f3": "active"}


def test_conversations_that_a_fact_was_drawn_from_are_its_evidence():
    heard = [
        {"episode_id": f"p{n}", "conversation_id": f"s{n}", "text": "It works"} for n in range(3)
    ]
    rows = [{"fact_id": "f1", "derived_from": ["p0", "p1"]}]
    row = view(rows, [source("f1", "r0", "s0")], heard=heard)["f1"]
    assert row["evidence_count"] == 2
    assert row["derived_from"] == ["p0", "p1"]


def test_a_taken_up_fact_that_was_drawn_from_episodes_restates_nothing():
    heard = [
        {"episode_id": f"p{n}", "conversation_id": f"s{n}", "text": "It works"} for n in range(2)
    ]
    rows = [{"fact_id": "f1"}, {"fact_id": "f2", "derived_from": ["p0", "p1"]}]
    sources = [source("f1", "r0", "s0"), source("f2", "p1", "s1", day(1))]
    row = view(rows, sources, heard=heard, decisions=[("f1", ["f2"])])["f1"]
    assert row["confidence"] == 0.8
    assert row["evidence_count"] == 2
    assert row["derived_from"] == ["f2", "p0", "p1"]


def test_confidence_is_that_of_the_last_event_and_episodes_are_provenance():
    event = {
        "evidence_id": "v1", "fact_id": "f1", "kind": "episode", "source_id": "p1",
        "occurred_at": START,
    }  # fmt: skip
    row = view([{"fact_id": "f1"}], [source("f1", "r1", "s1")], [event])["f1"]
    assert row["confidence"] == pytest.approx(0.81)
    assert row["derived_from"] == ["p1"]
    assert row["evidence_count"] == 2
    assert row["last_event_at"] == START
    assert row["tags"] == ["states", "project", "works"]


def test_a_merge_unites_evidence_and_is_none_itself():
    rows = [{"fact_id": "f1"}, {"fact_id": "f2", "base_confidence": 0.6}]
    said_once = [source("f1", "r1", "s1"), source("f2", "r2", "s1")]
    apart = view(rows, said_once)
    same = view(rows, said_once, decisions=[("f1", ["f2"])])
    assert same["f1"]["confidence"] == apart["f1"]["confidence"] == 0.8
    assert same["f1"]["evidence_count"] == 1
    further = [source("f1", "r1", "s1"), source("f2", "r2", "s2")]
    both = view(rows, further, decisions=[("f1", ["f2"])])
    assert both["f1"]["confidence"] == pytest.approx(0.81)
    assert both["f1"]["evidence_count"] == 2
    assert both["f1"]["derived_from"] == ["f2"]


def test_what_was_taken_up_lends_its_trust():
    rows = [{"fact_id": "f1", "trust": "agent"}, {"fact_id": "f2", "trust": "outside"}]
    said = [source("f1", "r1", "s1"), source("f2", "r2", "s2")]
    both = view(rows, said, decisions=[("f1", ["f2"])])
    assert (both["f1"]["trust"], both["f1"]["confidence"]) == ("agent", 0.5)
    assert both["f2"]["confidence"] == 0.4
    rows[1]["trust"] = "person"
    both = view(rows, said, decisions=[("f1", ["f2"])])
    assert (both["f1"]["trust"], both["f1"]["confidence"]) == ("person", pytest.approx(0.81))


def test_what_a_person_confirms_is_believed_whoever_said_it():
    rows = [{"fact_id": "f1", "trust": "outside"}, {"fact_id": "f2", "trust": "agent"}]
    said = [source("f1", "r1", "s1"), source("f2", "r2", "s1")]
    confirmed = {
        "evidence_id": "v", "fact_id": "f2", "kind": "feedback", "source_id": "d", "weight": 0.5,
        "conversation_id": None,
    }  # fmt: skip
    row = view(rows, said, [confirmed], decisions=[("f1", ["f2"])])["f1"]
    assert (row["trust"], row["confidence"]) == ("person", pytest.approx(0.75))
    denied = view(rows, said, [confirmed | {"weight": -0.5}])["f2"]
    assert (denied["trust"], denied["confidence"]) == ("agent", pytest.approx(0.25))


def test_what_was_taken_up_points_to_who_took_it():
    rows = [{"fact_id": "f1"}, {"fact_id": "f2"}]
    lost = view(rows, decisions=[("f1", ["f2"])])["f2"]
    assert (lost["status"], lost["merged_into"]) == ("merged_into", "f1")
    assert lost["archived_at"] == day(9)
    assert lost["confidence"] == 0.8


def test_a_conversation_that_supports_both_members_counts_once():
    rows = [{"fact_id": "f1"}, {"fact_id": "f2"}]
    sources = [source("f1", "r1", "s1"), source("f2", "r2", "s1")]
    events = [
        {"evidence_id": f"v{at}", "fact_id": f"f{at}", "conversation_id": "s2", "source_id": "p"}
        for at in (1, 2)
    ]
    row = view(rows, sources, events, decisions=[("f1", ["f2"])])["f1"]
    assert row["confidence"] == pytest.approx(0.81)
    assert row["evidence_count"] == 2


def test_kinds_of_knowledge():
    said = {
        "f1": ("states", "I prefer tabs over spaces", "preference", "user_profile"),
        "f2": ("states", "Always run the tests first", "instruction", "instructions"),
        "f3": ("provides_solution", "The fix was to pin numpy", "procedure", "skills"),
        "f4": ("identifies_issue", "The build fails on Windows", "fact", "context"),
        "f5": ("states", "My daughter plays the piano", "fact", "user_profile"),
    }
    rows = [
        {"fact_id": name, "predicate": predicate, "content": content}
        for name, (predicate, content, _, _) in said.items()
    ]
    seen = view(rows)
    for name, (_, _, type_, info) in said.items():
        assert (seen[name]["knowledge_type"], seen[name]["info_type"]) == (type_, info)


def test_entities_count_their_active_facts_and_events_are_none():
    said = [{"fact_id": "f1"}, {"fact_id": "f2"}, {"fact_id": "f3", "predicate": "used_tool"}]
    now = memory(grounds(said), ["f1"], POLICY)
    row = memory_entities(ENTITY, ENTITY_MERGES.empty(), now).row(0, named=True)
    assert row["facts"] == 2
    assert (row["active_facts"], row["confidence"], row["canonical_id"]) == (1, 0.8, "e")
    assert memory_entities(ENTITY, ENTITY_MERGES.empty(), now.clear()).item(0, "active_facts") == 0


def test_any_order_of_rows():
    rows = [{"fact_id": f"f{at}", "base_confidence": 0.7} for at in range(8)]
    sources = [source(f"f{at % 8}", f"r{at}", f"s{at % 3}", day(at)) for at in range(24)]
    events = [
        {"evidence_id": f"v{at}", "fact_id": f"f{at % 8}", "conversation_id": f"s{at}",
         "source_id": f"r{at}", "occurred_at": day(at % 5)}
        for at in range(30)
    ]  # fmt: skip
    own = grounds(rows, sources, events, [("f1", ["f2", "f3"]), ("f5", ["f4"])])
    shuffled = np.random.default_rng(2)
    other = MemoryInput(*(table[shuffled.permutation(table.height)] for table in own))
    assert_frame_equal(memory(own, ["f1"], POLICY), memory(other, ["f1"], POLICY), check_exact=True)


@pytest.mark.parametrize("surer", ["f1", "f2"])
def test_saying_it_twice_in_one_conversation_is_as_sure_as_its_surer_form(surer):
    rows = [
        {"fact_id": name, "base_confidence": 0.8 if name == surer else 0.6, "first_seen": day(at)}
        for at, name in enumerate(("f1", "f2"))
    ]
    said_once = [source("f1", "r1", "s1", day(0)), source("f2", "r2", "s1", day(1))]
    other = ({"f1", "f2"} - {surer}).pop()
    row = view(rows, said_once, decisions=[(surer, [other])])[surer]
    assert (row["confidence"], row["last_event_at"]) == (0.8, day(0))


def test_what_was_merged_denies_a_fact_once():
    events = [
        {"evidence_id": f"v{at}", "fact_id": "f3", "kind": "contradiction", "source_id": f"f{at}",
         "conversation_id": f"s{at}"}
        for at in (1, 2)
    ]  # fmt: skip
    rows = [{"fact_id": "f1"}, {"fact_id": "f2"}, {"fact_id": "f3"}]
    assert view(rows, events=events)["f3"]["confidence"] == pytest.approx(0.2)
    united = view(rows, events=events, decisions=[("f1", ["f2"])])
    assert united["f3"]["confidence"] == pytest.approx(0.4)
