"""What people care about: scores, what made them, and what holds of any history."""

import random
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl
from hypothesis import example, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from cairn.knowledge.interests.engagements import Engaged
from cairn.knowledge.schema.calendar import UNDATED
from cairn.knowledge.schema.tables import RAW_LOGS
from tests.knowledge.extraction.rules.fixtures import raw_logs
from tests.knowledge.said import candidates
from tests.knowledge.signs import (
    ANSWER,
    NAMES,
    UNASKED,
    Line,
    at,
    command,
    engaged,
    entities,
    merged,
    ranked,
    reacted,
    said,
    scores,
    searched,
)


def test_interest_halves_in_thirty_days() -> None:
    like = command("like", "old clocks")
    assert scores(like, day=30) == {"old clocks": 0.4}
    assert scores(like, day=60) == {"old clocks": 0.2}


def test_what_is_all_but_forgotten_keeps_its_order() -> None:
    lines = [command("like", "sourdough", 10), command("like", "old clocks"), said("x", 720)]
    assert list(scores(*lines, day=720).items()) == [("sourdough", 0.0), ("old clocks", 0.0)]


def test_a_preference_reaches_what_is_like_it() -> None:
    found = engaged(raw_logs([command("dislike", "clocks")]))
    assert found.engagements["entity_id"].to_list() == [None]
    assert ranked(found).select("entity_id", "score").rows() == [
        ("e_old clocks", round(-0.8 * round(0.5**0.5, 6), 6))
    ]
    assert ranked(found)["disliked"].to_list() == [True]
    mentions = [[said("Old clocks and sea shanties.", day)] for day in range(1, 30)]
    often = ranked(engaged(raw_logs([command("dislike", "clocks")], *mentions)), 30)
    assert (often["score"] > 0).all()
    assert often.sort("entity_id")["disliked"].to_list() == [True, False], "it holds still"


def test_a_message_counts_once_for_what_is_one_under_two_names() -> None:
    one = merged("old clocks", "tide tables")
    both = "The old clocks, or tide tables, came today."
    assert ranked(engaged(raw_logs([said(both)])), merges=one)["score"].to_list() == [0.2]
    loved = engaged(raw_logs([said(f"I love tide tables. {both}")]))
    assert ranked(loved, merges=one)["score"].to_list() == [0.7]
    apart = engaged(raw_logs([said("Old clocks came.")], [said("Tide tables came.")]))
    assert ranked(apart, merges=one)["score"].to_list() == [0.24]


def test_what_is_muted_stays_and_is_marked() -> None:
    lines = [command("like", "old clocks"), command("mute", "old clocks"), command("mute", "x y")]
    found = engaged(raw_logs(*([line] for line in lines), [command("mute", "sourdough", 1)]))
    assert ranked(found, 1).select("entity_id", "muted", "rank").rows() == [
        ("e_old clocks", True, 1),
        ("e_sourdough", True, 2),
    ]
    lines.append(command("unmute", "old clocks", 2))
    again = ranked(engaged(raw_logs(*([line] for line in lines))), 2)
    assert again["muted"].to_list() == [False]


def test_the_heaviest_engagements_are_named() -> None:
    found = engaged(raw_logs([said("old clocks")], [command("like", "old clocks")]))
    (engagement_ids,) = ranked(found)["engagement_ids"].to_list()
    kinds = dict(found.engagements.select("engagement_id", "engagement_type").iter_rows())
    assert [kinds[id_] for id_ in engagement_ids] == ["like", "mention"]


def undated(line: Line) -> Line:
    return line | {"occurred_at": None}


VERBS = ("like", "unlike", "dislike", "undislike", "mute", "unmute", "learn")
EVENTS = st.one_of(
    st.builds(
        command, st.sampled_from(VERBS), st.sampled_from([*NAMES, "clocks"]), st.integers(0, 9)
    ),
    st.builds(said, st.sampled_from([f"I love {n}." for n in NAMES]), st.integers(0, 9)),
    st.builds(said, st.sampled_from([f"{n}?" for n in NAMES]), st.integers(0, 9)),
    st.builds(searched, st.sampled_from(NAMES), st.integers(0, 9)),
    st.builds(reacted, st.sampled_from(["👍", "👎"]), st.sampled_from(["m1", "m2"]),
              st.integers(0, 9)),
    st.builds(said, st.sampled_from([f"{n}, or {m}" for n in NAMES for m in NAMES])).map(undated),
    st.builds(command, st.sampled_from(VERBS), st.sampled_from(NAMES)).map(undated),
)  # fmt: skip
"""What a person does in ten days, at the same hour of each, or nobody knows when."""


WORLDS = st.lists(st.lists(EVENTS, max_size=25), min_size=3, max_size=4)
"""What some people do, each in a namespace: a call of several costs what a call of one does."""
SPACES = ("default", "b", "c", "d")
EVERYBODY = pl.concat(map(entities, SPACES))


def in_each(frame: pl.DataFrame) -> pl.DataFrame:
    """The same rows in every namespace."""
    return pl.concat(frame.with_columns(namespace=pl.lit(name)) for name in SPACES)


def months(worlds: Iterable[list[Line]]) -> pl.DataFrame:
    return RAW_LOGS.frame(
        pl.concat(
            month(events).with_columns(namespace=pl.lit(name))
            for name, events in zip(SPACES, worlds, strict=False)
        )
    )


def month(events: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Raw logs of events in the order of time, in one conversation."""
    ordered = sorted(events, key=lambda line: line["occurred_at"] or UNDATED)
    return raw_logs([UNASKED, ANSWER, *ordered])


def loved(logs: pl.DataFrame) -> pl.DataFrame:
    """What a model reads in messages that say to love something: the first word of its name."""
    told = logs.filter(pl.col("text").str.starts_with("I love"))
    return candidates(
        *(
            dict[str, object](
                namespace=namespace,
                record_id=record,
                predicate="likes",
                entity_name=text.removeprefix("I love ").rstrip(".").split()[0],
                origin="human",
                quote_start=0,
                quote_end=len(text),
            )
            for namespace, record, text in told.select("namespace", "record_id", "text").iter_rows()
        )
    )


@settings(max_examples=4)
@given(worlds=WORLDS, seed=st.integers(0, 1000), day=st.integers(0, 9))
def test_any_order_of_rows_gives_the_same(worlds: list[list[Line]], seed: int, day: int) -> None:
    def mixed(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.sample(fraction=1.0, shuffle=True, seed=seed)

    logs, one_thing = months(worlds), in_each(merged("old clocks", "tide tables"))
    read = loved(logs)
    one = engaged(logs, read=read, entities=EVERYBODY, merges=one_thing)
    other = engaged(mixed(logs), read=mixed(read), entities=mixed(EVERYBODY), merges=one_thing)
    for left, right in zip(one, other, strict=True):
        assert_frame_equal(left, right, check_exact=True)
    again = ranked(Engaged(*map(mixed, one)), day, mixed(EVERYBODY), one_thing)
    assert_frame_equal(ranked(one, day, EVERYBODY, one_thing), again, check_exact=True)


@settings(max_examples=4)
@given(worlds=WORLDS, day=st.integers(0, 9))
def test_what_came_later_changes_nothing_earlier(worlds: list[list[Line]], day: int) -> None:
    """So a history of runs day by day shows each day what one rebuild at the end does."""
    logs = months(worlds)
    earlier = logs.filter((pl.col("occurred_at") <= at(day)).fill_null(value=True))
    whole, part = (
        ranked(engaged(of, entities=EVERYBODY), day, EVERYBODY) for of in (logs, earlier)
    )
    assert_frame_equal(whole, part, check_exact=True)


@settings(max_examples=4)
@given(worlds=WORLDS, day=st.integers(7, 9))
@example(
    worlds=[[command("like", NAMES[0], 0), command("unlike", NAMES[0], 5), said(NAMES[0], 6)]],
    day=9,
)
def test_the_curve_is_the_score_as_it_was(worlds: list[list[Line]], day: int) -> None:
    found = engaged(months(worlds), entities=EVERYBODY)
    key, now = ("namespace", "entity_id"), ranked(found, day, EVERYBODY)
    before = ranked(found, day - 7, EVERYBODY)
    was = {tuple(of): score for *of, score in before.select(*key, "score").iter_rows()}
    for *of, score, curve in now.select(*key, "score", "curve").iter_rows():
        assert curve[-1:] in ([score], []), "none was ever felt for what is only muted"
        assert curve[-2:-1] in ([was.get(tuple(of), 0.0)], [])


@settings(max_examples=4)
@given(worlds=WORLDS, topic=st.sampled_from(NAMES))
def test_taking_all_back_leaves_no_preference(worlds: list[list[Line]], topic: str) -> None:
    last = [command(verb, topic, 10) for verb in ("unlike", "undislike", "unmute")]
    found = engaged(months([*events, *last] for events in worlds), entities=EVERYBODY)
    held = found.preferences.filter(pl.col("name") == topic, pl.col("ended_at").is_null())
    assert held.is_empty()
    own = found.preferences.filter(pl.col("name") == topic)["preference_id"]
    counting = found.engagements.filter(pl.col("cancelled_at").is_null())
    assert not counting["preference_id"].is_in(own.implode()).any()


@settings(max_examples=8)
@given(events=st.lists(EVENTS, min_size=1, max_size=15), seed=st.integers(0, 1000))
def test_two_namespaces_never_mix(events: list[Line], seed: int) -> None:
    mine = month(events)
    others = list(events)
    random.Random(seed).shuffle(others)
    theirs = month(others[: len(others) // 2]).with_columns(namespace=pl.lit("other"))
    both = pl.concat([mine, theirs])
    of = pl.concat([entities(), entities("other")])
    together = engaged(RAW_LOGS.frame(both), entities=of)
    alone = ranked(engaged(mine), 9)
    assert_frame_equal(ranked(together, 9, of).filter(namespace="default"), alone, check_exact=True)
