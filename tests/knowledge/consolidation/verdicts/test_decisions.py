"""What a decision of a person means today, and which has the last word."""

import random

import pytest
from polars.testing import assert_frame_equal

from cairn.knowledge.consolidation.verdicts.decision_effects import decided_entities, retracted
from cairn.knowledge.ingest.inbox_events.decisions import DecidedThing
from cairn.knowledge.schema.identity import entity_id
from tests.knowledge.deciding import by_id, decided, entities, made, meant
from tests.knowledge.rows import day, fact_sources, facts

A, B, C = (meant(f"f{n}", f"Statement {word}") for n, word in enumerate("abc", 1))
FACTS = facts(*({"fact_id": one.id, "content": one.object} for one in (A, B, C)))


def pairs(row):
    return [(pair["left_id"], pair["right_id"]) for pair in row["pairs"]]


def test_what_it_meant_is_found_by_its_id():
    row = by_id(made([decided("d1", "merge", B, A, reason="the same")], FACTS))["d1"]
    assert (row["requested_ids"], row["ids"], pairs(row)) == (
        ["f2", "f1"],
        ["f2", "f1"],
        [("f1", "f2")],
    )
    assert (row["unresolved"], row["superseded_by"], row["reason"]) == (None, None, "the same")


def test_what_has_another_id_by_now_is_found_by_its_content():
    renamed = facts(
        {"fact_id": "f9", "content": "statement  A."}, {"fact_id": "f2", "content": "b"}
    )
    row = by_id(made([decided("d1", "retract", A)], renamed))["d1"]
    assert (row["requested_ids"], row["ids"], row["facts"]) == (["f1"], ["f9"], ["f9"])
    known = entities(("e9", "cairn", "project"))
    elsewhere = by_id(made([decided("d1", "retract", A)], renamed, known=known))["d1"]
    assert elsewhere["facts"] == []


def test_what_is_gone_is_listed_and_the_rest_is_applied():
    rows = [
        decided("d1", "merge", A, B, meant("f8", "It was")),
        decided("d2", "retract", meant("f8", "It was")),
    ]
    found = by_id(made(rows, FACTS))
    assert found["d1"]["unresolved"] == "nothing says “It was” of cairn (project)"
    assert pairs(found["d1"]) == [("f1", "f2")]
    assert found["d2"]["unresolved"]
    assert found["d2"]["facts"] == []


@pytest.mark.parametrize(
    ("first", "then"),
    [("merge", "unmerge"), ("merge", "keep_apart"), ("keep_apart", "merge"), ("merge", "merge")],
)
def test_the_later_decision_on_a_pair_has_the_last_word(first, then):
    found = by_id(made([decided("d2", first, A, B, at=1), decided("d1", then, B, A, at=2)], FACTS))
    assert (pairs(found["d2"]), found["d2"]["superseded_by"]) == ([], "d1")
    assert pairs(found["d1"]) == [("f1", "f2")]
    assert found["d1"]["superseded_by"] is None


def test_one_of_three_is_taken_out_and_the_others_stay_together():
    rows = [decided("d1", "merge", A, B, C, at=1), decided("d2", "unmerge", B, A, C, at=2)]
    found = by_id(made(rows, FACTS))
    assert pairs(found["d1"]) == [("f1", "f3")]
    assert pairs(found["d2"]) == [("f1", "f2"), ("f2", "f3")]
    assert found["d1"]["superseded_by"] is None


def test_a_confirmed_fact_is_no_longer_retracted():
    found = by_id(
        made([decided("d1", "retract", A, at=1), decided("d2", "confirm", A, at=2)], FACTS)
    )
    assert (found["d1"]["facts"], found["d1"]["superseded_by"]) == ([], "d2")
    assert found["d2"]["facts"] == ["f1"]


def test_of_two_at_one_moment_the_greater_id_is_later():
    found = by_id(made([decided("d2", "confirm", A), decided("d1", "retract", A)], FACTS))
    assert found["d1"]["superseded_by"] == "d2"


def corrected(*told, facts=FACTS):
    """Decisions where each correction `d…` to fact f_n made f_n by its record."""
    sources = fact_sources(
        *({"fact_id": one, "record_id": f"r_{one}"} for one in ("f1",)),
        *(
            {"fact_id": into, "record_id": row["record_id"]} for row, into in told if into
        ),
    )  # fmt: skip
    mine = entity_id("n", "project", "cairn")
    known = entities((mine, "cairn", "project"))
    placed = facts.with_columns(entity_id=facts["entity_id"].replace("e", mine))
    return made([row for row, _ in told], placed, sources, known)


def test_a_correction_takes_the_place_of_what_it_corrects():
    found = corrected((decided("d1", "correct", A, text="Statement b"), "f2"))
    row = by_id(found)["d1"]
    assert (row["facts"], row["replaced_by"]) == (["f1"], "f2")


def test_what_a_later_correction_replaces_falls_with_it():
    found = corrected(
        (decided("d1", "correct", A, at=1, text="Statement b"), "f2"),
        (decided("d2", "correct", A, at=2, text="Statement c"), "f3"),
    )
    gone = {row["fact_id"]: row["replaced_by"] for row in retracted(found).to_dicts()}
    assert gone == {"f1": "f3", "f2": None}
    assert by_id(found)["d1"]["superseded_by"] == "d2"


def test_a_correction_that_is_undone_takes_its_own_words_back():
    found = corrected(
        (decided("d1", "correct", A, at=1, text="Statement b"), "f2"),
        (decided("d2", "confirm", A, at=2), None),
    )
    assert retracted(found)["fact_id"].to_list() == ["f2"]


def test_corrections_that_lead_back_leave_what_was_said_last():
    found = corrected(
        (decided("d1", "correct", A, at=1, text="Statement b"), "f2"),
        (decided("d2", "correct", B, at=2, text="Statement a"), "f1"),
    )
    gone = {row["fact_id"]: row["replaced_by"] for row in retracted(found).to_dicts()}
    assert gone == {"f2": "f1"}


def test_a_correction_whose_words_made_no_fact_takes_nothing_away():
    row = by_id(corrected((decided("d1", "correct", A, text="…"), None)))["d1"]
    assert (row["facts"], row["unresolved"]) == ([], "its text made no fact")


def test_a_merge_that_would_join_what_is_kept_apart_gives_way():
    rows = [
        decided("d1", "merge", A, B, at=1),
        decided("d2", "merge", B, C, at=2),
        decided("d3", "keep_apart", A, C, at=3),
    ]
    found = by_id(made(rows, FACTS))
    assert (pairs(found["d1"]), found["d1"]["unresolved"]) == ([], "would join what d3 keeps apart")
    assert pairs(found["d2"]) == [("f2", "f3")]


def undo(record, *named, at):
    return decided(record, "undo", *(DecidedThing(one, "it") for one in named), at=at,
                   thing="decision")  # fmt: skip


def test_what_is_undone_is_as_if_nobody_had_decided_it():
    rows = [
        decided("d1", "retract", A, at=1),
        decided("d2", "confirm", A, at=2),
        decided("d3", "keep_apart", A, B, at=3),
    ]
    found = by_id(made([*rows, undo("u1", "d2", "d3", at=4)], FACTS))
    alone = by_id(made(rows[:1], FACTS))
    assert found["d1"] == alone["d1"]
    assert {found[one]["superseded_by"] for one in ("d2", "d3")} == {"u1"}
    assert (found["d2"]["facts"], found["d3"]["pairs"]) == ([], [])
    assert (found["u1"]["ids"], found["u1"]["target_type"]) == (["d2", "d3"], "decision")


def test_what_is_dismissed_is_no_fact_and_no_entity():
    rows = [
        decided("d1", "dismiss", DecidedThing("v_1", "lines"), at=1, thing="review"),
        decided("d2", "dismiss", DecidedThing("v_2", "lines"), at=2, thing="review"),
    ]
    found = by_id(made([*rows, undo("u1", "d1", at=3)], FACTS))
    assert [(row["ids"], row["superseded_by"], row["unresolved"]) for row in found.values()] == [
        (["v_1"], "u1", None), (["v_2"], None, None), (["d1"], None, None)
    ]  # fmt: skip
    assert not any(row["facts"] or row["pairs"] for row in found.values())


def test_what_undoes_an_undo_has_it_hold_again():
    rows = [decided("d1", "retract", A, at=1), undo("u1", "d1", at=2)]
    again = by_id(made([*rows, undo("u2", "u1", at=3)], FACTS))
    assert again["d1"] == by_id(made(rows[:1], FACTS))["d1"]
    third = by_id(made([*rows, undo("u2", "u1", at=3), undo("u3", "u2", at=4)], FACTS))
    assert (third["d1"]["facts"], third["d1"]["superseded_by"]) == ([], "u1")


def test_an_undone_correction_whose_words_nobody_reads_takes_nothing_away():
    found = corrected(
        (decided("d1", "correct", A, at=1, text="Statement b"), None),
        (undo("u1", "d1", at=2), None),
    )
    assert retracted(found).is_empty()
    assert by_id(found)["d1"]["unresolved"] is None


def test_an_undo_of_what_is_not_there_is_listed():
    rows = [undo("u1", "d7", "u2", at=1), undo("u2", "u1", at=1)]
    found = by_id(made(rows, FACTS))
    assert found["u1"]["unresolved"] == "there is no decision d7; u2 is no earlier one"
    assert found["u1"]["superseded_by"] == "u2"


def test_the_same_words_about_a_topic_follow_what_they_rest_on():
    both = facts(
        {"fact_id": "f1", "content": A.object},
        {"fact_id": "f5", "content": A.object, "entity_id": "e5"},
        {"fact_id": "f6", "content": A.object, "entity_id": "e6"},
    )
    sources = fact_sources(
        *({"fact_id": fact, "record_id": "r1"} for fact in ("f1", "f5", "f6")),
        {"fact_id": "f6", "record_id": "r2"},
    )
    row = by_id(made([decided("d1", "retract", A)], both, sources))["d1"]
    assert row["facts"] == ["f1", "f5"], "f6 was said elsewhere too"


def test_what_a_theme_drew_from_a_retracted_sentence_goes_with_it():
    told = facts(
        {"fact_id": "f1", "content": A.object},
        {"fact_id": "f7", "content": f"{A.object}.", "entity_id": "e7", "predicate": "recurs"},
        {"fact_id": "f8", "content": B.object, "entity_id": "e7", "predicate": "recurs"},
        {"fact_id": "f9", "content": A.object, "predicate": "used_tool"},
    )
    sources = fact_sources(
        {"fact_id": "f1", "record_id": "r1"},
        *({"fact_id": f"f{n}", "record_id": "r1", "candidate_id": f"k{n}"} for n in (7, 8, 9)),
    )
    row = by_id(made([decided("d1", "retract", A)], told, sources))["d1"]
    assert row["facts"] == ["f1", "f7"], "the others say something else"


def test_copies_meet_where_they_are_about_the_same():
    four = facts(
        *(
            {"fact_id": f"f{n}{e}", "content": f"Statement {n}", "entity_id": e}
            for n in (1, 2) for e in ("e", "t")
        )
    )  # fmt: skip
    sources = fact_sources(
        *({"fact_id": f"f{n}{e}", "record_id": f"r{n}"} for n in (1, 2) for e in ("e", "t"))
    )
    named = [meant(f"f{n}e", f"Statement {n}") for n in (1, 2)]
    row = by_id(made([decided("d1", "merge", *named)], four, sources))["d1"]
    assert pairs(row) == [("f1e", "f2e"), ("f1t", "f2t")]


def test_entities_put_together_and_kept_apart():
    known = entities(
        ("e1", "loki", "topic"), ("e2", "grafana loki", "topic"), ("e3", "odin", "topic")
    )
    loki, grafana, odin = (meant(f"e{n}", "", name, "topic") for n, name in
                           ((1, "Loki"), (9, "Grafana Loki"), (3, "Odin")))  # fmt: skip
    rows = [
        decided("d1", "merge", loki, grafana, thing="entity"),
        decided("d2", "keep_apart", odin, loki, thing="entity"),
        decided("d3", "retract", odin, thing="entity"),
    ]
    found = made(rows, FACTS, known=known)
    together, apart = decided_entities(found)
    assert together.rows() == [("n", "e1", "e2")]
    assert apart.rows() == [("n", "e1", "e3")]
    assert by_id(found)["d3"]["unresolved"]


def test_what_cannot_be_read_is_listed():
    broken = {**decided("d1", "merge", A, B), "tool_input": "{"}
    nothing = decided("d2", "confirm")
    same = decided("d3", "merge", A, meant("f7", "Statement a"))
    found = by_id(made([broken, nothing, same], FACTS))
    assert found["d1"]["unresolved"] == found["d2"]["unresolved"] == "it names nothing"
    assert found["d3"]["unresolved"] == "what it names is one and the same"


def test_any_order_of_rows():
    rows = [
        decided(f"d{n}", kind, *named, at=n % 4, into=named[0].id)
        for n, (kind, named) in enumerate(
            [
                ("merge", (A, B)), ("keep_apart", (B, C)), ("retract", (A,)), ("confirm", (A,)),
                ("merge", (A, B, C)), ("unmerge", (C, A)), ("retract", (B,)), ("confirm", (C,)),
            ]
        )
    ]  # fmt: skip
    rows += [undo("u1", "d3", "u2", at=2), undo("u2", "d0", at=1), undo("u3", "u1", at=3)]
    first = made(rows, FACTS)
    assert first["pairs"].list.len().sum()
    for seed in range(5):
        random.Random(seed).shuffle(rows)
        assert_frame_equal(made(rows, FACTS.sample(fraction=1, shuffle=True, seed=seed)), first)
    assert day(0) in first["decided_at"]
