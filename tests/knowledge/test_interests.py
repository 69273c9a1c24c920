"""What people care about: signs of interest, preferences, and the order that follows."""

import json
import random
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from knowledge.engagements import COLUMNS, Engaged, engagements
from knowledge.interests import interests
from knowledge.policy import Policy
from knowledge.tables import CANDIDATES, ENTITY_MERGES, FACT_SOURCES, FACTS, RAW_LOGS
from tests.knowledge import rows
from tests.knowledge.rules.fixtures import raw_logs
from tests.knowledge.said import candidates
from tests.knowledge.toy_embedder import ToyEmbedder

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
POLICY = Policy.model_validate({})
TOY = ToyEmbedder()
NAMES = ("sourdough", "tide tables", "old clocks", "sea shanties")
FOUND = {"fact_id": "f_found", "entity_id": "e_old clocks", "content": "Old clocks have fusees."}

Line = dict[str, Any]


def at(days: float) -> datetime:
    return START + timedelta(days=days)


def entities(namespace: str = "default") -> pl.DataFrame:
    return rows.entities(
        *(
            dict[str, object](namespace=namespace, entity_id=f"e_{name}", display_name=name)
            for name in NAMES
        )
    )


def said(text: str, day: float = 0, **more: Any) -> Line:
    return {"kind": "message", "origin": "human", "text": text, "occurred_at": at(day), **more}


def told(text: str, native: str, *, unasked: bool = False) -> Line:
    """What Cairn itself said."""
    return {
        "kind": "message", "origin": "recalled", "source": "inbox", "text": text,
        "native_id": native, "proactive": unasked, "occurred_at": at(0),
    }  # fmt: skip


def reacted(text: str, native: str, day: float = 0) -> Line:
    return {
        "kind": "reaction", "origin": "human", "source": "inbox", "text": text,
        "reply_to": native, "occurred_at": at(day),
    }  # fmt: skip


def command(verb: str, topic: str, day: float = 0) -> Line:
    return {
        "kind": "command", "origin": "human", "text": f"/{verb} {topic}", "occurred_at": at(day),
        "trigger": "learn_command" if verb == "learn" else "user_message",
        "tool_input": json.dumps({"verb": verb, "argument": topic}),
    }  # fmt: skip


def searched(query: str, day: float = 0, trigger: str = "user_message", **more: Any) -> Line:
    origin = "system" if trigger == "enrichment" else "human"
    return {
        "kind": "search", "origin": origin, "trigger": trigger, "text": query,
        "occurred_at": at(day), **more,
    }  # fmt: skip


def engaged(logs: pl.DataFrame, **frames: pl.DataFrame) -> Engaged:
    return engagements(
        logs.select(COLUMNS),
        frames.get("read", CANDIDATES.empty()),
        frames.get("entities", entities()),
        frames.get("facts", FACTS.empty()),
        frames.get("fact_sources", FACT_SOURCES.empty()),
        frames.get("merges", ENTITY_MERGES.empty()),
        TOY,
    )


def ranked(
    found: Engaged,
    day: float = 0,
    of: pl.DataFrame | None = None,
    merges: pl.DataFrame | None = None,
) -> pl.DataFrame:
    return interests(
        found.engagements, found.preferences, entities() if of is None else of,
        ENTITY_MERGES.empty() if merges is None else merges, TOY, POLICY, at(day),
    )  # fmt: skip


def merged(name: str, into: str) -> pl.DataFrame:
    """That two of NAMES are one thing."""
    return ENTITY_MERGES.frame(
        [
            {
                "namespace": "default", "entity_id": f"e_{name}", "canonical_id": f"e_{into}",
                "rule": "decided", "reason": "", "similarity": 0.0, "decided_at": at(0),
            }
        ]
    )  # fmt: skip


def scores(*lines: Line, day: float = 0) -> dict[str, float]:
    """Score by name, the highest first, of lines in one conversation each."""
    found = ranked(engaged(raw_logs(*([line] for line in lines))), day)
    by_rank = found.sort("rank").select("entity_id", "score").iter_rows()
    return {id_.removeprefix("e_"): score for id_, score in by_rank}


UNASKED, ANSWER = told("Old clocks!", "m1", unasked=True), told("Old clocks tick.", "m2")
KINDS: list[tuple[str, tuple[Line, ...], float]] = [
    ("learn", (command("learn", "old clocks"),), 1.0),
    ("like", (command("like", "old clocks"),), 0.8),
    ("dislike", (command("dislike", "Old clocks"),), -0.8),
    ("statement", (said("I really love old clocks, you know."),), 0.7),
    ("statement", (said("I can't stand old clocks."),), -0.7),
    ("search", (searched("where to buy old clocks"),), 0.6),
    ("follow_up", (said("Who made old clocks?", seq=2),), 0.2),  # nothing came before: a mention
    ("proactive_reaction", (UNASKED, reacted("👎", "m1")), -0.8),
    ("proactive_reaction", (UNASKED, reacted("👍🏽", "m1")), 0.5),
    ("reaction", (ANSWER, reacted("❤️", "m2")), 0.3),
    ("reaction", (ANSWER, reacted("👎", "m2")), -0.3),
    ("mention", (said("The shop also had old clocks."),), 0.2),
]


@pytest.mark.parametrize(("kind", "lines", "score"), KINDS)
def test_each_kind_is_worth_what_it_is(kind: str, lines: tuple[Line, ...], score: float) -> None:
    found = engaged(raw_logs(*([line] for line in lines)))
    expected = "mention" if kind == "follow_up" else kind
    assert found.engagements["engagement_type"].to_list() == [expected]
    assert scores(*lines) == {"old clocks": score}


def test_a_question_about_what_was_named_before_is_a_follow_up() -> None:
    talk = [said("I saw old clocks."), said("Who makes old clocks?"), said("And why?")]
    found = engaged(raw_logs(talk)).engagements.sort("record_id")
    assert found["engagement_type"].to_list() == ["mention", "follow_up", "follow_up"]
    assert found["entity_id"].unique().to_list() == ["e_old clocks"]


def test_a_learn_command_goes_to_what_its_prompt_found() -> None:
    prompt = json.dumps({"learn_prompt_id": 7})
    result = {"kind": "tool_result", "origin": "external", "text": "…", "occurred_at": at(0)}
    first, again = (
        [searched("fusees", day, "learn_command", tool_input=prompt),
         {**result, "trigger": "learn_command", "tool_input": prompt}]
        for day in (0, 1)
    )  # fmt: skip
    sources = rows.fact_sources(
        {"namespace": "default", "fact_id": "f_found", "record_id": "c0_1"},
        {"namespace": "default", "fact_id": "f_found", "record_id": "c1_1"},
    )
    facts = rows.facts({"namespace": "default", **FOUND})
    found = engaged(raw_logs(first, again), facts=facts, fact_sources=sources).engagements
    assert found.select("engagement_type", "entity_id", "record_id", "strength").rows() == [
        ("learn", "e_old clocks", "c0_1", 1.0)
    ]


@pytest.mark.parametrize("by", ["record_id", "native_id"])
def test_a_learn_command_counts_once_for_its_topic(by: str) -> None:
    asked = command("learn", "old clocks") | {"native_id": "n7"}
    prompt = json.dumps({"learn_prompt_id": "n7" if by == "native_id" else "c0_0"})
    search = searched("fusees", 1, "learn_command", tool_input=prompt)
    sources = rows.fact_sources(
        {"namespace": "default", "fact_id": "f_found", "record_id": "c1_0"},
        {"namespace": "default", "fact_id": "f_tides", "record_id": "c1_0"},
    )
    tides = {**FOUND, "fact_id": "f_tides", "entity_id": "e_tide tables"}
    facts = rows.facts({"namespace": "default", **FOUND}, {"namespace": "default", **tides})
    found = engaged(raw_logs([asked], [search]), facts=facts, fact_sources=sources).engagements
    assert found.sort("entity_id").select("engagement_type", "entity_id", "record_id").rows() == [
        ("learn", "e_old clocks", "c0_0"),
        ("learn", "e_tide tables", "c1_0"),
    ]


def test_who_has_a_search_repeated_initiates_it_once() -> None:
    asked = command("schedule", "old clocks --every week")
    runs = [searched("old clocks", 7 * week) | {"origin": "system"} for week in range(3)]
    found = engaged(raw_logs([asked], *([run] for run in runs))).engagements
    assert found.select("engagement_type", "record_id", "strength").rows() == [
        ("search", "c0_0", 0.6)
    ]


def test_a_mark_in_an_address_asks_nothing() -> None:
    talk = [said("I saw old clocks."), said("See https://example.org/?q=1 for old clocks")]
    found = engaged(raw_logs(talk)).engagements
    assert found["engagement_type"].to_list() == ["mention", "mention"]


def test_what_is_named_in_a_dislike_is_not_mentioned_in_its_favour() -> None:
    found = engaged(raw_logs([said("I hate the smell of sourdough. I love the sea shanties.")]))
    assert ranked(found).select("entity_id", "score").rows() == [("e_sea shanties", 0.7)]


def read_in(text: str, *found: tuple[str, str, str]) -> pl.DataFrame:
    """What a model read in the first message: predicate, name and quote of each attitude."""
    return candidates(
        *(
            dict[str, object](
                namespace="default",
                record_id="c0_0",
                predicate=predicate,
                entity_name=name,
                entity_type="topic",
                origin="human",
                quote=quote,
                quote_start=text.index(quote),
                quote_end=text.index(quote) + len(quote),
            )
            for predicate, name, quote in found
        )
    )


def test_what_a_model_reads_in_a_statement_counts_as_one_whatever_its_words() -> None:
    text = "I can't get enough of sourdough. Old clocks drive me mad."
    read = read_in(
        text,
        ("likes", "sourdough", "I can't get enough of sourdough"),
        ("dislikes", "old clocks", "Old clocks drive me mad"),
    )
    found = engaged(raw_logs([said(text)]), read=read)
    columns = ["engagement_type", "valence", "strength", "source", "record_id", "entity_id"]
    assert found.engagements.sort("valence").select(columns).rows() == [
        ("statement", -1, 0.7, "message", "c0_0", None),
        ("statement", 1, 0.7, "message", "c0_0", None),
    ]
    by_rank = ranked(found).sort("rank").select("entity_id", "score").rows()
    assert by_rank == [("e_sourdough", 0.7), ("e_old clocks", -0.7)]
    assert sorted(found.preferences["attitude"]) == ["dislike", "like"]


def test_what_a_rule_and_a_model_both_read_counts_once() -> None:
    text = "I love sourdough with seeds. I hate horoscopes."
    logs = raw_logs([said(text)])
    read = read_in(text, ("likes", "sourdough", "I love sourdough with seeds"))
    found = engaged(logs, read=read)
    assert sorted(found.preferences["name"]) == ["horoscopes", "sourdough"]
    assert ranked(found)["score"].to_list() == [0.7]
    same = read_in(text, ("dislikes", "horoscopes", "I hate horoscopes"))
    assert engaged(logs, read=same).preferences.equals(engaged(logs).preferences)


def test_what_the_system_does_by_itself_engages_nobody() -> None:
    own = searched("old clocks", trigger="enrichment")
    agent = {**said("Old clocks are fine."), "origin": "agent"}
    assert scores(own, agent, ANSWER, UNASKED) == {}


ORDERS: list[tuple[str, list[Line], list[str]]] = [
    (
        "forty mentions on one day are less than one like",
        [*(said("sourdough") for _ in range(40)), command("like", "tide tables")],
        ["tide tables", "sourdough"],
    ),
    (
        "a mention on each of ten days is more than one like",
        [*(said("sourdough", day) for day in range(10)), command("like", "tide tables", 9)],
        ["sourdough", "tide tables"],
    ),
    (
        "a search today is more than a learn command of two months ago",
        [command("learn", "sourdough", 0), searched("tide tables", 60)],
        ["tide tables", "sourdough"],
    ),
    (
        "a dislike outweighs mentions, and what nobody spoke of is not listed",
        [*(said("sourdough") for _ in range(40)), command("dislike", "sourdough"),
         said("tide tables")],
        ["tide tables", "sourdough"],
    ),
    (
        "different kinds on one day add up where one kind does not",
        [said("sourdough"), searched("sourdough"), command("like", "sourdough"),
         *(searched("tide tables") for _ in range(30))],
        ["sourdough", "tide tables"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("why", "lines", "order"), ORDERS)
def test_order_where_frequency_and_strength_disagree(
    why: str, lines: list[Line], order: list[str]
) -> None:
    day = max(line["occurred_at"] for line in lines) - START
    assert list(scores(*lines, day=day.days)) == order, why


def test_interest_halves_in_thirty_days() -> None:
    like = command("like", "old clocks")
    assert scores(like, day=30) == {"old clocks": 0.4}
    assert scores(like, day=60) == {"old clocks": 0.2}


def test_unlike_takes_back_the_like_and_all_that_belongs_to_it() -> None:
    like = command("like", "old clocks")
    lines = [like, said("I love old clocks.", 1), command("unlike", "Old Clocks", 2)]
    assert scores(*lines, day=2) == {}
    assert scores(*lines, day=1).keys() == {"old clocks"}, "it counted until then"
    assert scores(*lines, command("like", "old clocks", 3), day=3) == {"old clocks": 0.8}
    assert scores(like, command("undislike", "old clocks", 2)) == {"old clocks": 0.8}


def test_the_opposite_replaces_a_preference_and_a_reaction_does_not() -> None:
    like, dislike = command("like", "old clocks"), command("dislike", "old clocks", 1)
    assert scores(like, dislike, day=1) == {"old clocks": -0.8}
    found = engaged(raw_logs([like], [ANSWER], [reacted("👎", "m2", 1)]))
    assert found.preferences.select("attitude", "ended_at").rows() == [("like", None)]
    assert sorted(found.engagements["valence"]) == [-1, 1]


def test_a_thing_is_taken_back_by_any_of_its_names() -> None:
    one = merged("old clocks", "tide tables")
    like, mute = command("like", "old clocks"), command("mute", "Tide Tables", 1)
    last = [command("unlike", "tide tables", 2), command("unmute", "e_old clocks", 3)]
    lines = [[like], [mute], *([line] for line in last)]
    held = engaged(raw_logs(*lines), merges=one).preferences
    assert held["ended_by"].to_list() == ["c2_0", "c3_0"]
    assert engaged(raw_logs(*lines)).preferences["ended_by"].to_list() == [None, None]
    opposite = engaged(raw_logs([like], [said("I hate tide tables.", 1)]), merges=one)
    assert ranked(opposite, 1, merges=one)["score"].to_list() == [-0.7]


@pytest.mark.parametrize("time", [None, at(0)])
def test_at_one_time_the_place_in_the_conversation_tells_what_came_last(
    time: datetime | None,
) -> None:
    verbs = ("like", "dislike", "undislike", "like", "unlike") * 3
    talk = [command(verb, "old clocks") | {"occurred_at": time} for verb in verbs]
    held = engaged(raw_logs(talk)).preferences
    assert held.height == 9
    assert held.filter(pl.col("ended_at").is_null()).is_empty()
    again = engaged(raw_logs([*talk, talk[1]])).preferences.filter(pl.col("ended_at").is_null())
    assert again["attitude"].to_list() == ["dislike"]


def test_in_one_message_the_last_word_counts() -> None:
    text = "I hate Sea Shanties. I love sea shanties! No: I hate sea shanties."
    for statement, attitude in ((text, "dislike"), (text[:45], "like")):
        found = engaged(raw_logs([said(statement)]))
        assert found.preferences.select("attitude", "topic", "ended_at").rows() == [
            (attitude, "sea shanties", None)
        ]
        assert found.engagements["engagement_type"].to_list() == ["statement"]


def test_a_preference_reaches_what_is_like_it() -> None:
    found = engaged(raw_logs([command("dislike", "clocks")]))
    assert found.engagements["entity_id"].to_list() == [None]
    assert ranked(found).select("entity_id", "score").rows() == [
        ("e_old clocks", round(-0.8 * round(0.5**0.5, 6), 6))
    ]


def test_a_message_counts_once_for_what_is_one_under_two_names() -> None:
    one = merged("old clocks", "tide tables")
    both = "The old clocks, or tide tables, came today."
    assert ranked(engaged(raw_logs([said(both)])), merges=one)["score"].to_list() == [0.2]
    loved = engaged(raw_logs([said(f"I love tide tables. {both}")]))
    assert ranked(loved, merges=one)["score"].to_list() == [0.7]
    apart = engaged(raw_logs([said("Old clocks came.")], [said("Tide tables came.")]))
    assert ranked(apart, merges=one)["score"].to_list() == [0.3]


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
    (made_of,) = ranked(found)["made_of"].to_list()
    kinds = dict(found.engagements.select("engagement_id", "engagement_type").iter_rows())
    assert [kinds[id_] for id_ in made_of] == ["like", "mention"]


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
)  # fmt: skip


def month(events: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Raw logs of events in the order of time, in one conversation."""
    ordered = sorted(events, key=lambda line: line["occurred_at"])
    return raw_logs([UNASKED, ANSWER, *ordered])


@settings(max_examples=30)
@given(events=st.lists(EVENTS, max_size=25), seed=st.integers(0, 1000), day=st.integers(0, 9))
def test_any_order_of_rows_gives_the_same(events: list[Line], seed: int, day: int) -> None:
    logs = month(events)
    one, other = engaged(logs), engaged(logs.sample(fraction=1.0, shuffle=True, seed=seed))
    for left, right in zip(one, other, strict=True):
        assert_frame_equal(left, right, check_exact=True)
    mixed = Engaged(*(frame.sample(fraction=1.0, shuffle=True, seed=seed) for frame in one))
    shuffled = entities().sample(fraction=1.0, shuffle=True, seed=seed)
    assert_frame_equal(ranked(one, day), ranked(mixed, day, shuffled), check_exact=True)


@settings(max_examples=30)
@given(events=st.lists(EVENTS, max_size=25), day=st.integers(0, 9))
def test_what_came_later_changes_nothing_earlier(events: list[Line], day: int) -> None:
    """So a history of runs day by day shows each day what one rebuild at the end does."""
    logs = month(events)
    earlier = logs.filter(pl.col("occurred_at") <= at(day))
    assert_frame_equal(ranked(engaged(logs), day), ranked(engaged(earlier), day), check_exact=True)


@settings(max_examples=30)
@given(events=st.lists(EVENTS, max_size=25), day=st.integers(7, 9))
@example(
    events=[command("like", NAMES[0], 0), command("unlike", NAMES[0], 5), said(NAMES[0], 6)], day=9
)
def test_the_curve_is_the_score_as_it_was(events: list[Line], day: int) -> None:
    found = engaged(month(events))
    before = dict(ranked(found, day - 7).select("entity_id", "score").iter_rows())
    for id_, score, curve in ranked(found, day).select("entity_id", "score", "curve").iter_rows():
        assert curve[-1:] in ([score], []), "none was ever felt for what is only muted"
        assert curve[-2:-1] in ([before.get(id_, 0.0)], [])


@settings(max_examples=30)
@given(events=st.lists(EVENTS, max_size=15), topic=st.sampled_from(NAMES))
def test_taking_all_back_leaves_no_preference(events: list[Line], topic: str) -> None:
    last = [command(verb, topic, 10) for verb in ("unlike", "undislike", "unmute")]
    found = engaged(month([*events, *last]))
    held = found.preferences.filter(pl.col("name") == topic, pl.col("ended_at").is_null())
    assert held.is_empty()
    own = found.preferences.filter(pl.col("name") == topic)["preference_id"]
    counting = found.engagements.filter(pl.col("cancelled_at").is_null())
    assert not counting["preference_id"].is_in(own.implode()).any()


@settings(max_examples=30)
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
