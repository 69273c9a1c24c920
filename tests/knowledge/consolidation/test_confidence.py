"""Confidence: the closed form against a plain loop, its bounds, and the reader's rule."""

import math
import random

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from cairn.knowledge.consolidation.confidence import confidence_updates, last_of, undecayed
from cairn.knowledge.consolidation.decay import effective_confidence, strength
from cairn.knowledge.schema.calendar import UNDATED, days_since_epoch
from cairn.knowledge.schema.fact_types import FROM_ELSEWHERE, decay_rate
from cairn.knowledge.schema.policy import Policy
from tests.knowledge.rows import START, day, evidence, facts

POLICY = Policy()
SAYS, RULE, LOADED = pl.lit("states"), pl.lit("rule@1"), pl.lit("structuring/loaded@1")
EVENT = st.tuples(
    st.sampled_from(["restatement", "episode", "contradiction", "feedback"]),
    st.floats(-1, 1, allow_subnormal=False),
    st.one_of(st.none(), st.floats(-3, 900).map(lambda days: round(days, 3))),
)
BOUNDS = {
    "person": 1.0, "outcome": 1.0, "pasted": 0.7, "searched": 1.0, "agent": 0.5, "vague": 0.4,
    "outside": 0.4, "retracted": 0.25,
}  # fmt: skip
TRUST = st.sampled_from(sorted(BOUNDS))
HISTORIES = st.lists(st.tuples(st.floats(0, 1), st.lists(EVENT, max_size=12), TRUST), max_size=4)


def tables(histories):
    rows, events = [], []
    for number, (base, own, *more) in enumerate(histories):
        trust = more[0] if more else "person"
        rows.append({"fact_id": f"f{number}", "base_confidence": base, "trust": trust})
        events += [
            {
                "evidence_id": f"v{number}.{at:02}",
                "fact_id": f"f{number}",
                "kind": kind,
                "weight": weight if kind == "feedback" else None,
                "occurred_at": None if days is None else day(days),
            }
            for at, (kind, weight, days) in enumerate(own)
        ]
    return facts(*rows), evidence(*events)


def by_loop(base, own, trust="person"):
    rank = {"restatement": 0, "episode": 0, "contradiction": 1, "feedback": 2}
    ordered = sorted(
        (max(day(days) if days is not None else UNDATED, START), rank[kind], at, kind, weight)
        for at, (kind, weight, days) in enumerate(own)
    )
    bound = BOUNDS[trust]
    confidence, time = min(base, bound), START
    for when, _, _, kind, weight in ordered:
        bound = 1.0 if kind == "feedback" and weight > 0 else bound
        confidence *= math.exp(-0.01 * (when - time).total_seconds() / 86_400)
        time = when
        if kind in {"restatement", "episode"}:
            confidence += 0.05 * (1 - confidence)
        elif kind == "contradiction":
            confidence /= 2
        elif weight > 0:
            confidence += weight * (1 - confidence)
        else:
            confidence *= 1 + weight
        confidence = min(confidence, bound)
    return confidence


@settings(max_examples=80, deadline=None)
@given(HISTORIES)
def test_equals_a_plain_loop_and_stays_within_bounds(histories):
    updates = confidence_updates(*tables(histories), POLICY)
    assert updates.height == sum(1 + len(own) for _, own, _ in histories)
    assert updates.filter(~pl.col("confidence").is_between(0, 1)).is_empty()
    last = last_of(updates).get_column("confidence").to_list()
    assert last == pytest.approx([by_loop(*one) for one in histories], abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(HISTORIES, st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter_to_the_last_bit(histories, shuffler: random.Random):
    known, events = tables(histories)
    order = shuffler.sample(range(events.height), events.height)
    assert_frame_equal(
        confidence_updates(known, events, POLICY),
        confidence_updates(known.reverse(), events[order], POLICY),
        check_exact=True,
    )


# Each example is of several facts: a call of many costs what a call of one does.
BOUNDED = st.sampled_from(["agent", "vague", "outside", "retracted"])


@settings(max_examples=10, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(0, 1), st.lists(EVENT, max_size=12), BOUNDED), min_size=3, max_size=5
    )
)
def test_what_nobody_else_says_stays_below_its_bound_however_often_it_is_said(histories):
    said = [
        (base, [event for event in own if event[0] != "feedback"], trust)
        for base, own, trust in histories
    ]
    updates = confidence_updates(*tables(said), POLICY)
    most = dict(updates.group_by("fact_id").agg(pl.col("confidence").max()).iter_rows())
    for number, (*_, trust) in enumerate(said):
        assert most[f"f{number}"] <= BOUNDS[trust] <= POLICY.passive_above
    after = [(base, [*own, ("feedback", 0.5, 901)], trust) for base, own, trust in said]
    confirmed = last_of(confidence_updates(*tables(after), POLICY))
    assert confirmed.height == len(said)
    assert confirmed["confidence"].min() >= 0.5


@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(0, 1), st.lists(EVENT, max_size=8), st.floats(0, 900)),
        min_size=3,
        max_size=5,
    )
)
def test_one_more_support_never_lowers_confidence(histories):
    as_of = day(1000)
    without, more = (
        last_of(confidence_updates(*tables(given_), POLICY))
        .sort("fact_id")
        .with_columns(last_event_at="occurred_at", decay_per_day=0.01)
        .select("fact_id", seen=effective_confidence(as_of, POLICY))
        for given_ in (
            [(base, own) for base, own, _ in histories],
            [(base, [*own, ("episode", 0, when)]) for base, own, when in histories],
        )
    )
    assert without["fact_id"].to_list() == [f"f{number}" for number in range(len(histories))]
    assert (more["seen"] >= without["seen"] - 1e-12).all()


def test_a_fact_is_the_same_beside_others_to_the_last_bit():
    own = [("restatement", 0, float(days)) for days in range(37)]
    alone = confidence_updates(*tables([(0.8, own)]), POLICY)
    beside = confidence_updates(*tables([(0.8, own), (0.3, own * 3)]), POLICY)
    assert_frame_equal(alone, beside.filter(fact_id="f0"), check_exact=True)


def test_a_decision_does_not_lapse_by_waiting():
    soon = tables([(0.7, [("restatement", 0, 1.0)])])
    late = tables([(0.7, [("restatement", 0, 800.0)])])
    assert undecayed(*soon, POLICY).item(0, "confidence") == pytest.approx(0.715)
    assert_frame_equal(undecayed(*soon, POLICY), undecayed(*late, POLICY))


def test_what_is_undated_does_not_fade_until_something_dated_speaks_of_it():
    said, denied = [("restatement", 0, None)], [("contradiction", 0, 10.0)]
    known, events = tables([(0.8, said), (0.8, [*said, *denied])])
    updates = confidence_updates(known.with_columns(first_seen=None), events, POLICY)
    assert updates.filter(pl.col("cause") != "first")["decayed"].to_list() == pytest.approx(
        [0.8, 0.8, 0.81]
    )
    last = last_of(updates).with_columns(last_event_at="occurred_at", decay_per_day=0.01)
    seen = last.select(effective_confidence(day(20), POLICY), still=strength() > 1e3)
    assert seen["confidence"].to_list() == pytest.approx([0.81, 0.405 * math.exp(-0.1)])
    assert seen["still"].to_list() == [True, False]


def test_strength_filters_as_the_reader_would():
    at = [START] * 4 + [UNDATED, None]
    known = pl.DataFrame({"confidence": [0.9, 0.5, 0.31, 0.0, 0.9, 0.9], "last_event_at": at})
    known = known.with_columns(decay_per_day=0.01)
    as_of = day(40)
    floor = math.log(0.3) + 0.01 * (as_of.timestamp() / 86_400)
    seen = known.select(
        by_index=strength() >= floor,
        by_reader=effective_confidence(as_of, POLICY) >= POLICY.deprecated_below,
    )
    assert seen["by_index"].to_list() == seen["by_reader"].to_list() == [
        True, True, False, False, True, True,
    ]  # fmt: skip


def test_what_was_loaded_holds_until_something_speaks_against_it():
    known, events = tables([(1.0, [("contradiction", 0, 400.0)]), (1.0, [])])
    loaded = known.with_columns(predicate=pl.lit("preference"), extractor=LOADED)
    happened = loaded.with_columns(predicate=pl.lit("episodic"))
    after = [last_of(confidence_updates(frame, events, POLICY)) for frame in (loaded, happened)]
    assert [frame["confidence"].round(3).to_list() for frame in after] == [[0.5, 1.0], [0.009, 1.0]]
    seen = [
        frame.select("fact_id", "confidence", last_event_at="occurred_at")
        .join(own, on="fact_id")
        .with_columns(decay_per_day=decay_rate(POLICY))
        .select(effective_confidence(day(800), POLICY).round(3), still=strength() > 0)
        for frame, own in zip(after, (loaded, happened), strict=True)
    ]
    assert [frame["confidence"].to_list() for frame in seen] == [[0.5, 1.0], [0.0, 0.0]]
    assert seen[0]["still"].all(), "the index finds it; the reader looks at its confidence"


def test_days_of_one_time_are_those_of_many():
    times = pl.DataFrame({"at": [day(number / 7) for number in range(500)]})
    at = days_since_epoch(pl.col("at"))
    alone = pl.concat([times[row].select(at) for row in range(times.height)])
    assert_frame_equal(times.select(at), alone, check_exact=True)


def test_who_somebody_is_and_what_they_want_fades_slowly():
    said = [
        ("lives_in", "Oslo", 0.001),
        ("states", "I am a nurse.", 0.001),
        ("states", "Always run the linter.", 0.001),
        ("likes", "tea", 0.001),
        ("states", "The backup runs at night.", 0.01),
        ("discovery", "My disk is full.", 0.01),
        ("note", "The vault has two doors.", 0.01),
        ("note", "The vault has two doors, mem0 says.", 0.001),
    ]
    known = facts(
        *(
            {"fact_id": f"f{at}", "predicate": predicate, "content": content}
            | ({"extractor": f"{FROM_ELSEWHERE}1"} if "mem0" in content else {})
            for at, (predicate, content, _) in enumerate(said)
        )
    )
    assert known.select(decay_rate(POLICY)).to_series().to_list() == [rate for *_, rate in said]
