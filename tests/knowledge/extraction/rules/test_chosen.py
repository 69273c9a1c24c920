"""What a person chose of an agent's options, in a tool that asks and in words."""

import polars as pl
import pytest

from cairn.knowledge.dialogue.trust import PERSON
from cairn.knowledge.extraction.candidates import candidates
from cairn.knowledge.extraction.rules.chosen import options, picked
from cairn.knowledge.schema.policy import Policy
from tests.knowledge.extraction.rules.fixtures import (
    ANSWERS,
    OPTIONS,
    Line,
    agent,
    answer,
    human,
    question,
    raw_logs,
)


def chosen(*lines: Line) -> pl.DataFrame:
    rows = candidates(raw_logs(lines), Policy()).candidates
    return rows.filter(pl.col("predicate") == "decides").sort("record_id")


def test_a_choice_names_what_was_not_chosen_and_is_the_persons_word() -> None:
    rows = chosen(*ANSWERS)
    assert rows["object"].to_list() == [
        "Where should the tide charts live? docs/tides/, not assets/",
        "Chose One table for all quays, not One table per quay",
    ]
    assert rows["trust"].to_list() == [PERSON, None]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("The lint fails. How should we proceed?", "Fix it"),
        ("Should I commit now?", "Yes"),
        ("Which task do you want to do first?", "Cranes"),
        ("How should the hook be passed?", "Skip it (--no-verify)"),
        ("Remove the quay table? This cannot be undone.", "Yes, remove it"),
        ("Is the crane powered on?", "Yes, should be on"),
        ("Should I install tidal from the store?", "Yes, install it"),
        ("The quay isn't responding at port 80. How should I access it?", "By the web"),
        ("How should we fix the release script?", "Pin the version"),
        ("What harbours were checked?", "Both quays"),
        ("Create pier 44 to close the gaps?", "Plan it with the others"),
        ("Which story should I review?", "2-1: Quay lists"),
        ("What is the budget for the day?", "One crane"),
        ("Does this design hold?", "Revise it"),
        ("Where should the tide charts live?", "You decide"),
        (
            "Where should the cranes live?",
            "ok make a new folder for them and also write down how it is done so all know it",
        ),
    ],
)
def test_what_holds_for_now_or_goes_around_a_check_is_no_choice(asked: str, said: str) -> None:
    assert chosen(question("t1", asked, said, "No"), answer("t1", asked, said)).is_empty()


def test_yes_to_what_we_should_do_is_a_choice() -> None:
    asked = "Should we keep the old tide tables?"
    rows = chosen(
        question("t1", asked, "Yes, for a year", "No"), answer("t1", asked, "Yes, for a year")
    )
    assert rows["object"].to_list() == [f"{asked} Yes, for a year, not No"]


def test_what_another_tool_prints_is_no_answer() -> None:
    asked = "Where should the tide charts live?"
    assert chosen(answer("t1", asked, "docs/")).is_empty()
    several = question("t1", asked, "docs/", "assets/", several=True)
    assert chosen(several, answer("t1", asked, "docs/"))["object"].to_list() == [f"{asked} docs/"]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("b", "b"),
        ("the second one please", "b"),
        ("let's go with A", "a"),
        ("Option b, but keep it small", "b"),
        ("a table would be nice", None),
        ("Option B?", None),
        ("first, run the tests", None),
        ("option 4", None),
    ],
)
def test_which_option_an_answer_picks(text: str, key: str | None) -> None:
    assert picked(text, options(OPTIONS)) == key


def test_a_step_of_work_is_no_choice() -> None:
    told = agent("Option 1: Fix the test\nOption 2: Reset the index\nWhich one?")
    assert chosen(told, human("option 2")).is_empty()
    assert options("Option A is cheaper than option B.") == {}


def test_a_later_answer_or_word_ends_a_choice() -> None:
    asked = "Where should the tide charts live?"
    first = question("t1", asked, "docs/", "assets/"), answer("t1", asked, "docs/")
    then = question("t2", asked, "docs/", "assets/"), answer("t2", asked, "assets/")
    assert chosen(*first, *then)["object"].to_list() == [f"{asked} assets/, not docs/"]
    later = human("actually, remove the tide charts, a link will do")
    assert chosen(*first, later).is_empty()
    assert len(chosen(*first, human("good, now remove the crane list"))) == 1
