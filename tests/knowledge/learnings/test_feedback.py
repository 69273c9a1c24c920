"""A thumb up or down on a learning moves its confidence, whatever the order of arrival."""

import json
from datetime import UTC, datetime, timedelta

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.knowledge.learnings.feedback import STRENGTH, feedback, unplaced
from cairn.knowledge.learnings.stages import learnings
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import LEARNING_CANDIDATES, RAW_LOGS
from tests.knowledge.learnings.test_deduplication import OTHER, PARAPHRASE, made

BEGIN = datetime(2026, 4, 1, tzinfo=UTC)
TWICE = 0.8 + 0.15 * (1 - 0.8)
"""Confidence of a lesson that a second conversation bears out, at 0.8 for one."""


def reaction(number, text, learning, *, hour=None, strength=None, meant=None, **more):
    said = ({} if strength is None else {"strength": strength}) | (
        {} if meant is None else {"meant": meant}
    )
    told = json.dumps(said) if said else None
    return {
        "record_id": f"r{number}", "block": 0, "namespace": "default", "day": "2026-04-01",
        "source": "inbox", "conversation_id": "inbox", "seq": number, "kind": "reaction",
        "origin": "human", "text": text, "tool_input": told, "is_error": False,
        "sidechain": False, "reply_to": learning, "proactive": False,
        "occurred_at": BEGIN + timedelta(hours=number if hour is None else hour),
        "source_file": "inbox", "source_line": number, "content_hash": "x", "redactions": 0, **more,
    }  # fmt: skip


@pytest.fixture(scope="module")
def candidates():
    return LEARNING_CANDIDATES.frame(
        [made("a"), made("b", PARAPHRASE, hour=1, confidence=0.8), made("c", OTHER, hour=2)]
    )


@pytest.fixture(scope="module")
def plain(candidates, embedder):
    return learnings(candidates, embedder, Policy()).sort("created_at")


def after(candidates, embedder, *reactions):
    given_ = feedback(RAW_LOGS.frame(reactions))
    return learnings(candidates, embedder, Policy(), given_).sort("created_at"), given_


@pytest.mark.parametrize(
    ("text", "strength", "expected"),
    [
        ("👍", None, TWICE + 0.3 * (1 - TWICE)),
        ("👍🏽", None, TWICE + 0.3 * (1 - TWICE)),
        (":+1:", 0.5, TWICE + 0.5 * (1 - TWICE)),
        ("👎", None, TWICE * 0.7),
        ("Thumbs down", 1.0, 0.0),
        ("-1", 7, 0.0),
        ("👍", "much", TWICE + STRENGTH * (1 - TWICE)),
        ("🎉", None, TWICE),
    ],
)
def test_a_thumb_moves_the_confidence(candidates, embedder, plain, text, strength, expected):
    assert plain["confidence"].to_list() == pytest.approx([TWICE, 0.7])
    first = plain["learning_id"][0]
    stored, _ = after(candidates, embedder, reaction(1, text, first, strength=strength))
    assert stored["confidence"].to_list() == pytest.approx([expected, 0.7])
    assert stored.drop("confidence", "feedback").equals(plain.drop("confidence", "feedback"))
    history = stored["feedback"].to_list()
    assert [[step["confidence"] for step in steps] for steps in history] == (
        [[pytest.approx(expected)], []] if text != "🎉" else [[], []]
    )


def test_a_thumb_for_a_lesson_that_was_merged_goes_to_the_one_that_stays(
    embedder, candidates, plain
):
    alone = learnings(candidates.filter(pl.col("conversation_id") == "b"), embedder, Policy())
    assert alone["learning_id"][0] not in plain["learning_id"].to_list()
    stored, given_ = after(candidates, embedder, reaction(1, "👎", alone["learning_id"][0]))
    assert stored["confidence"].to_list() == pytest.approx([TWICE * 0.7, 0.7])
    assert unplaced(given_, stored).is_empty()


def test_a_thumb_finds_what_it_meant_when_its_words_are_others_by_now(candidates, embedder, plain):
    (meant,) = plain.filter(conversation_id="a").to_dicts()
    told = {"category": meant["category"], "records": meant["source_record_ids"]}
    gone = "l_0123456789abcdef"
    stored, given_ = after(candidates, embedder, reaction(1, "👎", gone, meant=told))
    assert stored["confidence"].to_list() == pytest.approx([TWICE * 0.7, 0.7])
    assert unplaced(given_, stored).is_empty()
    # The id comes first; another category, another namespace or no record in common is another one.
    other = plain["learning_id"][1]
    stored, _ = after(candidates, embedder, reaction(1, "👎", other, meant=told))
    assert stored["confidence"].to_list() == pytest.approx([TWICE, 0.7 * 0.7])
    for wrong in (
        told | {"category": "workflow"}, told | {"records": ["r_else"]}, {"records": 3}, [], "x",
        {"category": meant["category"], "records": [1, None]},
    ):  # fmt: skip
        stored, given_ = after(candidates, embedder, reaction(1, "👎", gone, meant=wrong))
        assert stored.equals(plain), wrong
        assert unplaced(given_, stored).height == 1
    elsewhere = reaction(1, "👎", gone, meant=told, namespace="other")
    assert after(candidates, embedder, elsewhere)[0].equals(plain)


def test_what_is_no_thumb_of_a_person_for_a_learning_moves_nothing(candidates, embedder, plain):
    first = plain["learning_id"][0]
    stored, given_ = after(
        candidates,
        embedder,
        reaction(1, "👍", "m-17"),
        reaction(2, "👍", first, origin="recalled"),
        reaction(3, "👍", first, kind="message"),
        reaction(4, "👍", first, namespace="other"),
        reaction(5, "👍", "l_0123456789abcdef"),
    )
    assert stored.equals(plain)
    assert unplaced(given_, stored)["record_id"].to_list() == ["r5", "r4"]


THUMBS = st.lists(
    st.tuples(
        st.sampled_from("👍👎"),
        st.none() | st.floats(0, 1, allow_subnormal=False),
        st.integers(0, 5),
        st.booleans(),
    ),
    max_size=6,
)


@given(THUMBS, st.randoms(use_true_random=False))
@settings(max_examples=15, deadline=None)
def test_any_order_of_arrival_gives_the_same_confidence(
    candidates, embedder, plain, thumbs, chance
):
    ids = plain["learning_id"].to_list()
    rows = [
        reaction(number, text, ids[second], strength=strength, hour=hour)
        for number, (text, strength, hour, second) in enumerate(thumbs)
    ]
    logs = RAW_LOGS.frame(rows)
    first = learnings(candidates, embedder, Policy(), feedback(logs))
    order = chance.sample(range(len(rows)), len(rows))
    mixed = learnings(candidates[::-1], embedder, Policy(), feedback(logs[order]))
    assert mixed.equals(first)

    expected = dict(zip(ids, plain["confidence"], strict=True))
    by_time = sorted(enumerate(thumbs), key=lambda pair: (pair[1][2], f"r{pair[0]}"))
    for _, (text, strength, _, second) in by_time:
        s = STRENGTH if strength is None else strength
        c = expected[ids[second]]
        expected[ids[second]] = c + s * (1 - c) if text == "👍" else c * (1 - s)
    found = dict(first.select("learning_id", "confidence").iter_rows())
    assert found == pytest.approx(expected)
    assert all(0 <= confidence <= 1 for confidence in found.values())
