"""What follows from decisions: merges, evidence, confidence and the view."""

import pytest

from cairn.knowledge.consolidation.confidence import confidence_updates
from cairn.knowledge.consolidation.evidence import evidence
from cairn.knowledge.consolidation.memory import MemoryInput, memory
from cairn.knowledge.consolidation.merges import merges
from cairn.knowledge.consolidation.similar_facts import similar_facts
from cairn.knowledge.consolidation.stages import VALID_TIMES_STAGE
from cairn.knowledge.consolidation.verdicts.decision_effects import (
    KEPT_BOTH,
    MERGED,
    confirmations,
    undecided,
    withdrawn,
)
from cairn.knowledge.engine.stage import StageContext
from cairn.knowledge.schema.identity import entity_id
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import ENTITY_MERGES
from tests.knowledge.deciding import decided, entities, made, meant
from tests.knowledge.rows import day, episodes, fact_sources, facts
from tests.knowledge.toy_embedder import ToyEmbedder

POLICY = Policy()
SAYS = "The nightly backup of the photo archive runs on the old server"
A = meant("f1", SAYS)
LIKE_A = meant("f2", f"{SAYS} now")
OTHER = meant("f3", "Nobody has looked at the cellar since spring")
DENIED = meant("f4", SAYS.replace("runs", "never runs"))


def house(*named, confidence=None, decisions=()):
    """MERGES and MEMORY of such facts, by fact id, and what was decided about them."""
    given = confidence or {}
    known = facts(
        *(
            {"fact_id": one.id, "content": one.object,
             "base_confidence": given.get(one.id, 0.8), "first_seen": day(0)}
            for one in named
        )
    )  # fmt: skip
    sources = fact_sources(
        *(
            {"fact_id": one.id, "record_id": f"r_{one.id}", "conversation_id": f"s_{one.id}"}
            for one in named
        )
    )
    embedder, heard = ToyEmbedder(), episodes()
    similar = similar_facts(known, embedder, POLICY)
    found = made(list(decisions), known, sources)
    events = evidence(
        known, sources, heard, undecided(similar, found), embedder, POLICY,
        feedback=confirmations(found, POLICY),
    )  # fmt: skip
    joined = merges(known, events, similar, POLICY, decisions=found)
    updates = confidence_updates(known, events, POLICY)
    grounds = MemoryInput(known, sources, heard, entities(), events, updates, joined)
    now = withdrawn(memory(grounds, known["fact_id"].to_list(), POLICY), found)
    return joined, {row["fact_id"]: row for row in now.to_dicts()}


def merged(joined):
    taken = joined.filter(joined["decision"] != KEPT_BOTH)
    return {(row["winner_id"], loser) for row in taken.to_dicts() for loser in row["loser_ids"]}


def test_facts_that_are_not_alike_are_merged_when_a_person_says_so():
    joined, now = house(A, OTHER, decisions=[decided("d1", "merge", OTHER, A, reason="one thing")])
    row = joined.row(0, named=True)
    assert (row["decision"], row["winner_id"], row["loser_ids"]) == (MERGED, "f1", ["f3"])
    assert (row["reason"], row["similarity"]) == ("a person decided: one thing", None)
    assert (now["f3"]["status"], now["f3"]["merged_into"]) == ("merged_into", "f1")
    assert now["f3"]["archived_at"] == day(30)
    assert now["f1"]["evidence_count"] == 2


def test_the_surer_stays_unless_the_person_says_which():
    surer = {"f3": 0.9}
    plain = [decided("d1", "merge", A, OTHER)]
    assert merged(house(A, OTHER, confidence=surer, decisions=plain)[0]) == {("f3", "f1")}
    into = [decided("d1", "merge", A, OTHER, into="f1")]
    assert merged(house(A, OTHER, confidence=surer, decisions=into)[0]) == {("f1", "f3")}


def test_two_merges_are_one_group_without_chains():
    rows = [decided("d1", "merge", A, OTHER), decided("d2", "merge", OTHER, DENIED)]
    joined, now = house(A, OTHER, DENIED, decisions=rows)
    assert merged(joined) == {("f1", "f3"), ("f1", "f4")}
    assert {now[each]["merged_into"] for each in ("f3", "f4")} == {"f1"}


def test_rules_add_to_a_group_whatever_member_a_fact_is_like():
    rows = [decided("d1", "merge", A, OTHER, into="f3")]
    joined, _ = house(A, LIKE_A, OTHER, confidence={"f2": 0.9}, decisions=rows)
    assert merged(joined) == {("f3", "f1"), ("f3", "f2")}


def test_what_is_kept_apart_from_a_member_stays_out_of_its_group():
    rows = [decided("d1", "merge", A, OTHER), decided("d2", "keep_apart", OTHER, LIKE_A)]
    joined, _ = house(A, LIKE_A, OTHER, decisions=rows)
    assert merged(joined) == {("f1", "f3")}


def test_what_rules_merged_can_be_taken_apart():
    assert merged(house(A, LIKE_A)[0]) == {("f1", "f2")}
    joined, now = house(A, LIKE_A, decisions=[decided("d1", "unmerge", LIKE_A, A)])
    assert merged(joined) == set()
    assert joined.select("decision", "winner_id", "loser_ids").row(0) == (KEPT_BOTH, "f1", ["f2"])
    assert now["f2"]["status"] == "active"


@pytest.mark.parametrize("decision", ["keep_apart", "merge", "retract"])
def test_what_a_person_decided_no_longer_halves(decision):
    assert house(A, DENIED)[1]["f1"]["confidence"] == pytest.approx(0.4)
    named = [DENIED] if decision == "retract" else [A, DENIED]
    now = house(A, DENIED, decisions=[decided("d1", decision, *named)])[1]
    assert now["f1"]["confidence"] >= 0.8


def test_a_retracted_fact_stays_as_a_row_and_takes_part_in_nothing():
    joined, now = house(A, LIKE_A, OTHER, decisions=[decided("d1", "retract", A)])
    assert merged(joined) == set()
    row = now["f1"]
    assert (row["status"], row["archived_at"], row["merged_into"]) == ("retracted", day(30), None)
    assert now["f2"]["status"] == "active"


def test_a_retracted_fact_leaves_the_group_that_a_person_made():
    rows = [decided("d1", "merge", A, OTHER, DENIED), decided("d2", "retract", A)]
    joined, now = house(A, OTHER, DENIED, decisions=rows)
    assert merged(joined) == {("f3", "f4")}
    assert now["f1"]["status"] == "retracted"


def test_a_confirmed_fact_is_surer_and_stands_again():
    rows = [decided("d1", "retract", A, at=1), decided("d2", "confirm", A, at=2)]
    now = house(A, decisions=rows)[1]["f1"]
    assert now["status"] == "active"
    faded = 0.8 * 2.718281828459045 ** (-0.01 * 2)
    assert now["confidence"] == pytest.approx(faded + 0.5 * (1 - faded))
    again = house(A, decisions=[*rows, decided("d3", "confirm", A, at=2)])[1]["f1"]
    assert again["confidence"] == now["confidence"], "said twice, it counts once"


def test_what_nobody_decided_is_as_it_was():
    joined, now = house(A, LIKE_A, DENIED)
    gone = [decided("d1", "merge", A, OTHER), decided("d2", "retract", OTHER)]
    again, after = house(A, LIKE_A, DENIED, decisions=gone)
    assert joined.equals(again)
    assert now == after


PORTO, ROME = (meant(f"f{n}", f"I live in {place}.", "user", "person")
               for n, place in ((1, "Porto"), (2, "Rome")))  # fmt: skip


@pytest.mark.parametrize(
    ("decision", "named", "until"),
    [(None, (), day(5)), ("keep_apart", (ROME, PORTO), None), ("retract", (ROME,), None)],
)
def test_a_value_that_a_person_keeps_or_takes_back_ends_no_other(decision, named, until):
    known = facts(
        *(
            {"fact_id": one.id, "content": one.object, "first_seen": day(at)}
            for one, at in ((PORTO, 0), (ROME, 5))
        )
    )
    sources = fact_sources(
        *(
            {"fact_id": one.id, "record_id": f"r_{one.id}", "conversation_id": one.id,
             "occurred_at": day(at)}
            for one, at in ((PORTO, 0), (ROME, 5))
        )
    )  # fmt: skip
    people = entities(("e", "user", "person"))
    rows = [decided("d1", decision, *named)] if decision else []
    found = made(rows, known, sources, people)
    reads = {
        "facts": known, "fact_sources": sources, "entities": people, "decisions": found,
        "entity_merges": ENTITY_MERGES.empty(),
    }  # fmt: skip
    times = VALID_TIMES_STAGE.run(reads, StageContext(POLICY, ToyEmbedder())).tables["valid_times"]
    assert times.filter(fact_id="f1")["valid_to"].to_list() in ([until], [])
    assert until is None or times.height == 2


def test_what_was_corrected_ends_what_the_wrong_value_ended():
    milan = meant("f3", "I live in Milan.", "user", "person")
    mine = entity_id("n", "person", "user")
    told = ((PORTO, 0, "r1"), (ROME, 5, "r2"), (milan, 30, "d1"))
    known = facts(
        *(
            {"fact_id": one.id, "content": one.object, "entity_id": mine, "first_seen": day(at)}
            for one, at, _ in told
        )
    )
    sources = fact_sources(
        *(
            {"fact_id": one.id, "record_id": record, "conversation_id": one.id,
             "occurred_at": day(at)}
            for one, at, record in told
        )
    )  # fmt: skip
    people = entities((mine, "user", "person"))
    found = made([decided("d1", "correct", ROME, text=milan.object)], known, sources, people)
    reads = {
        "facts": known, "fact_sources": sources, "entities": people, "decisions": found,
        "entity_merges": ENTITY_MERGES.empty(),
    }  # fmt: skip
    times = VALID_TIMES_STAGE.run(reads, StageContext(POLICY, ToyEmbedder())).tables["valid_times"]
    assert dict(times.select("fact_id", "valid_to").iter_rows()) == {"f1": day(5), "f3": None}
    assert dict(times.select("fact_id", "valid_from").iter_rows())["f3"] == day(5)
