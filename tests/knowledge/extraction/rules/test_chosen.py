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
        "Chose One table for all quays: Fewer joins, not One table per quay",
    ]
    assert rows["trust"].to_list() == [PERSON, None]


@pytest.mark.parametrize(
    ("above", "asked"),
    [
        ("## Where should `mooringId()` live?", "Where should `mooringId()` live?"),
        ("Two ways. Who owns the tide table?\n\nWhat I found:", "Who owns the tide table?"),
        ("How do you want to proceed?", "Chose"),
        ("Which option do you prefer?", "Chose"),
        ("Did it work for this berth?", "Chose"),
        ("Who owns the tide table?\n\n1\n\n2\n\n3", "Chose"),
    ],
    ids=["heading", "sentence", "of the work", "says nothing", "points", "far above"],
)  # fmt: skip
def test_what_was_asked_above_the_options_is_told_if_it_can_be_read_alone(
    above: str, asked: str
) -> None:
    listed = "**Option 1: `berth/`**\n- It has ids.\n\n**Option 2: `quay/`**\n- It is old."
    offered = f"{above}\n\n{listed}"
    rows = chosen(agent(offered), human("yes do option 1"))
    assert rows["object"].to_list() == [f"{asked} `berth/`, not `quay/`"]


def test_what_is_chosen_by_its_letter_is_told_by_what_the_message_says_of_it() -> None:
    offered = (
        "How others do it:\n\n**Option A — Inline names**\n\nA name behind each entry.\n\n"
        "**Option B — Thanks below**\n\nA line at the foot of each release:\n\n"
        "```\nThanks!\n```\n\nI'd take A."
    )
    rows = chosen(agent(offered), human("I like option B"))
    assert rows["object"].to_list() == [
        "Chose Thanks below: A line at the foot of each release, not Inline names"
    ]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("The lint fails. How should we proceed?", "Fix it"),
        ("Should I commit now?", "Yes"),
        ("What scenario do you believe triggers it?", "A full quay at high tide"),
        ("Which fix approach makes sense?", "Query by the id of the berth"),
        ("When should this dredging happen?", "In parallel to the cranes"),
        ("변경 2건을 커밋 후 머지할까요?", "커밋 후 머지"),
        ("設計を承認しますか？", "独立レビューを先に受ける"),
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
        ("How should these fixups be committed?", "As one"),
        ("Where should the tide charts live?", "Here for now"),
        ("Where should the tide charts live?", "You decide"),
        ("More questions about the cranes, or are we done?", "Done"),
        ("Which parts of the tide tables do you want to discuss?", "Colours"),
        ("Shall we go deeper into berths or on to the next topic?", "Next topic"),
        ("Where should the tide charts live?", "What would it take to move them later?"),
        ("Where should the tide charts live?", "is there any cost to moving them"),
        ("Does a tide reader already exist? Or do we have to build one?", "There is one"),
        ("Where is the existing tide reader? I need to know how it is called.", "quay/tide.py"),
        ("Should the tide reader be written anew?", "Already exists"),
        (
            "Where should the cranes live?",
            "ok make a new folder for them and also write down how it is done so all know it",
        ),
    ],
)
def test_what_holds_for_now_or_goes_around_a_check_is_no_choice(asked: str, said: str) -> None:
    assert chosen(question("t1", asked, said, "No"), answer("t1", asked, said)).is_empty()


def test_an_option_whose_label_says_little_is_told_with_what_it_says_of_itself() -> None:
    means = "Charts of this week in memory, older ones on disk"
    about = f"{means}. Costs 20 MB."
    for asked, label, told in (
        ("Which approach?", "Hybrid", f"Hybrid: {means}"),
        ("Which style of charts do you like for the harbour screens?", "Option B: Waves",
         f"Option B: Waves: {means}"),
        ("Where should the tide charts of last year live?", "In docs/tides", "In docs/tides"),
    ):  # fmt: skip
        asks = question("t1", asked, label, "All in memory", about=about)
        assert chosen(asks, answer("t1", asked, label))["object"].to_list() == [
            f"{asked} {told}, not All in memory"
        ]


@pytest.mark.parametrize(
    ("header", "topic"),
    [("Mooring fee", "Mooring fee: "), ("Confirm", ""), ("Charging", ""), ("", ""), ("x" * 60, "")],
)
def test_a_header_tells_of_what_is_asked_where_the_question_does_not(header, topic) -> None:
    asked = "Who should be charged?"
    lines = [question("q1", asked, "The owner", "The skipper", header=header)]
    rows = chosen(*lines, answer("q1", asked, "The owner"))
    assert rows["object"].to_list() == [f"{topic}{asked} The owner, not The skipper"]


def test_what_leaves_the_choice_to_the_agent_is_nothing_that_was_not_chosen() -> None:
    asked = "Where should the tide charts live?"
    asks = question("t1", asked, "docs/", "You decide", "Up to you", "Claude decides")
    assert chosen(asks, answer("t1", asked, "docs/"))["object"].to_list() == [f"{asked} docs/"]


def test_what_is_explained_behind_a_question_does_not_part_it_from_its_answer() -> None:
    asked = "Are tides kept in UTC? Or in local time? Charts show both, but sort by one."
    asks = question("t1", asked, "UTC", "Local time")
    assert chosen(asks, answer("t1", asked, "UTC"))["object"].to_list() == [
        "Are tides kept in UTC? Or in local time? UTC, not Local time"
    ]


def test_a_question_is_told_without_what_points_at_what_was_said_before_it() -> None:
    asked = "Given these trade-offs, where should the tide charts live?"
    rows = chosen(question("t1", asked, "docs/", "assets/"), answer("t1", asked, "docs/"))
    assert rows["object"].to_list() == ["Where should the tide charts live? docs/, not assets/"]


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
