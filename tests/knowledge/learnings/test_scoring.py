"""Grades, weights, bars and guards."""

import itertools

import pytest

from cairn.knowledge.learnings.draft import Draft, Factors
from cairn.knowledge.learnings.scoring import (
    DraftGrounds,
    confidence,
    evidence_of_fix,
    factors,
    judged,
    scope,
)
from cairn.knowledge.schema.policy import Policy

FULL = DraftGrounds(
    steps=True, guidance=True, changed=True, parts=3, stands_alone=True, linked=4, proofs=2
)
CONTENT = "Symptom: the build fails. " * 5


def draft(
    category="bug_fix", title="A lesson", content=CONTENT, grades=(1, 1, 1, 1), evidence=("r",)
):
    return Draft(
        category=category, title=title, content=content, tags=["a", "b", "c"],
        factors=Factors(*map(float, grades)), evidence=list(evidence), quotes=[], summary="",
        signals=[], extractor="test@1", trust="person",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("change", "grades"),
    [
        ({}, (1.0, 1.0, 1.0)),
        ({"steps": False}, (0.7, 1.0, 1.0)),
        ({"steps": False, "guidance": False}, (0.4, 1.0, 1.0)),
        ({"steps": False, "guidance": False, "changed": False}, (0.0, 1.0, 1.0)),
        ({"parts": 2}, (1.0, 0.7, 1.0)),
        ({"stands_alone": False}, (1.0, 0.7, 1.0)),
        ({"parts": 1}, (1.0, 0.4, 1.0)),
        ({"parts": 0}, (1.0, 0.0, 1.0)),
        ({"proofs": 1}, (1.0, 1.0, 0.7)),
        ({"proofs": 0}, (1.0, 1.0, 0.4)),
        ({"linked": 0}, (1.0, 1.0, 0.0)),
    ],
)
def test_grades_follow_from_what_is_known(change, grades):
    graded = factors(DraftGrounds(**{**FULL.__dict__, **change}), "git push fails", [])
    assert (graded.actionability, graded.clarity, graded.evidence) == grades


@pytest.mark.parametrize(
    ("about", "own", "named", "grade"),
    [
        ("git push: the branch has no upstream branch", [], "", 1.0),
        ("Phoenix LiveView runs in its own process", [], "", 0.7),
        ("Phoenix LiveView requires lazy_html", [], "Phoenix LiveView requires lazy_html", 0.7),
        ("Phoenix LiveView requires order_total", [], "", 0.4),
        ("ShopApi.Orders loses the currency", ["shop"], "", 0.4),
        ("The settings are read too late", [], "", 0.4),
        ("git revert 1a2b3c4d5e brought it back", [], "", 0.0),
    ],
)
def test_how_widely_a_statement_holds(about, own, named, grade):
    assert scope(about, own, named) == grade


@pytest.mark.parametrize(
    ("wins", "losses", "grade"),
    [(1, 0, 0.7), (2, 0, 1.0), (9, 1, 1.0), (2, 1, 0.7), (1, 1, 0.4), (1, 4, 0.4)],
)
def test_the_evidence_of_a_fix_is_how_surely_it_wins(wins, losses, grade):
    assert evidence_of_fix(wins, losses) == grade


def test_weights():
    assert confidence(draft(grades=(1, 0, 0, 0))) == pytest.approx(0.35)
    assert confidence(draft(grades=(0, 1, 0, 0))) == pytest.approx(0.30)
    assert confidence(draft(grades=(0, 0, 1, 0))) == pytest.approx(0.20)
    assert confidence(draft(grades=(0, 0, 0, 1))) == pytest.approx(0.15)


def test_short_and_generic_drafts_are_worth_nothing():
    assert confidence(draft(content="x" * 99)) == 0.0
    assert confidence(draft(content="x" * 100)) == pytest.approx(1.0)
    assert confidence(draft(title="Write tests.")) == 0.0
    assert confidence(draft(title="Write tests for the parser")) == pytest.approx(1.0)


def test_without_a_linked_message_evidence_counts_little_and_nothing_is_stored():
    unlinked = judged(draft(evidence=()), Policy())
    assert unlinked.confidence == pytest.approx(0.85 + 0.15 * 0.4)
    assert unlinked.refused == "no message is linked"


@pytest.mark.parametrize("category", ["best_practice", "bug_fix"])
def test_every_sum_of_grades_that_reaches_the_bar_passes_it(category):
    policy = Policy()
    bar = (
        policy.min_advice_confidence
        if category == "best_practice"
        else policy.min_learning_confidence
    )
    for grades in itertools.product((10, 7, 4, 0), repeat=4):
        hundredths = 35 * grades[0] + 30 * grades[1] + 20 * grades[2] + 15 * grades[3]
        made = judged(draft(category, grades=[grade / 10 for grade in grades]), policy)
        assert (made.refused is None) == (hundredths >= round(1000 * bar)), grades


def test_advice_has_a_higher_bar():
    grades = (0.7, 0.7, 0.4, 0.7)  # 0.64
    assert judged(draft(grades=grades), Policy()).refused is None
    assert judged(draft("best_practice", grades=grades), Policy()).refused is not None
    assert judged(draft("anti_pattern", grades=grades), Policy()).refused is not None
