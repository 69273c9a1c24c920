"""Signs of interest that people give, and the likes and dislikes that follow."""

import json
from datetime import datetime

import polars as pl
import pytest

from tests.knowledge import rows
from tests.knowledge.extraction.rules.fixtures import raw_logs
from tests.knowledge.signs import (
    ANSWER,
    UNASKED,
    Line,
    at,
    command,
    engaged,
    merged,
    ranked,
    reacted,
    read_in,
    said,
    scores,
    searched,
)

FOUND = {"fact_id": "f_found", "entity_id": "e_old clocks", "content": "Old clocks have fusees."}
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


def test_each_person_has_their_own_and_who_is_not_named_may_be_any_of_them() -> None:
    ann, ben = {"name": "Ann"}, {"name": "Ben"}
    talk = [said("I love old clocks.") | ann, said("I hate old clocks.", 1) | ben]
    held = engaged(raw_logs(talk)).preferences.sort("started_at")
    assert held.select("person", "attitude", "ended_at").rows() == [
        ("Ann", "like", None), ("Ben", "dislike", None),
    ]  # fmt: skip
    over = engaged(raw_logs([*talk, command("undislike", "old clocks", 2)])).preferences
    assert over.filter(pl.col("ended_at").is_null())["person"].to_list() == ["Ann"]
