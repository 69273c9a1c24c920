"""The order of interest where frequency and strength disagree: as a person would expect it."""

import pytest

from cairn.knowledge.extraction.attitudes import STRENGTHS
from cairn.knowledge.interests.engagements import FOLLOW_UP, LEARN, MENTION, SEARCH
from tests.knowledge.signs import (
    POLICY,
    START,
    Line,
    command,
    said,
    scores,
    searched,
)

CASES: list[tuple[str, list[Line], str]] = [
    (
        "forty mentions on one day are less than one like of that day",
        [*(said("sourdough") for _ in range(40)), command("like", "tide tables")],
        "tide tables > sourdough",
    ),
    (
        "thirty mentions of today are less than a like of a week ago: talk passes, a word stays",
        [command("like", "tide tables"), *(said("sourdough", 7) for _ in range(30))],
        "tide tables > sourdough",
    ),
    (
        "thirty mentions on one day are less than one question that comes back to something",
        [*(said("sourdough") for _ in range(30)), said("the old clocks", conversation_id="c"),
         said("are old clocks loud?", conversation_id="c", seq=1)],
        "old clocks > sourdough",
    ),
    (
        "thirty searches in one afternoon, as when something is broken, are less than one like",
        [*(searched("sourdough") for _ in range(30)), command("like", "tide tables")],
        "tide tables > sourdough",
    ),
    (
        "a mention on each of ten days is more than one like: it is what the days are made of",
        [*(said("sourdough", day) for day in range(10)), command("like", "tide tables", 9)],
        "sourdough > tide tables",
    ),
    (
        "what is spoken of each day of a month is more than what one learn command asked for",
        [*(said("sourdough", day) for day in range(30)), command("learn", "tide tables", 29)],
        "sourdough > tide tables",
    ),
    (
        "but not once four months have passed without it",
        [*(said("sourdough", day) for day in range(30)), command("learn", "tide tables", 150)],
        "tide tables > sourdough",
    ),
    (
        "what is searched for each day of a week is more than what is said to be loved",
        [*(searched("sourdough", day) for day in range(7)), said("I love tide tables.", 6)],
        "sourdough > tide tables",
    ),
    (
        "a search of today is more than a learn command of two months ago",
        [command("learn", "sourdough"), searched("tide tables", 60)],
        "tide tables > sourdough",
    ),
    (
        "a like of a month ago is more than a mention of today",
        [command("like", "tide tables"), said("sourdough", 30)],
        "tide tables > sourdough",
    ),
    (
        "all that was liked and learnt four months ago is less than a mention of today",
        [command("like", "tide tables"), command("learn", "tide tables"), said("sourdough", 120)],
        "sourdough > tide tables",
    ),
    (
        "different kinds on one day add up where one kind does not",
        [said("sourdough"), searched("sourdough"), command("like", "sourdough"),
         *(searched("tide tables") for _ in range(30))],
        "sourdough > tide tables",
    ),
    (
        "a like that was taken back counts no more, however often and warmly it was said",
        [*(command("like", "sourdough", day) for day in range(5)),
         said("I love sourdough.", 5), command("unlike", "sourdough", 6), said("tide tables", 6)],
        "tide tables",
    ),
    (
        "who disliked last dislikes, however often it was liked before",
        [*(command("like", "sourdough", day) for day in range(5)),
         said("I can't stand sourdough.", 5), said("tide tables", 5)],
        "tide tables > sourdough",
    ),
    (
        "a dislike outweighs any talk of its day",
        [*(said("sourdough") for _ in range(40)), command("dislike", "sourdough"),
         said("tide tables")],
        "tide tables > sourdough",
    ),
    (
        "a learn command of today is more than a month of likes that ended a year ago",
        [*(command("like", "sourdough", day) for day in range(30)),
         command("learn", "tide tables", 395)],
        "tide tables > sourdough",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("why", "lines", "order"), CASES)
def test_order_where_frequency_and_strength_disagree(
    why: str, lines: list[Line], order: str
) -> None:
    day = max(line["occurred_at"] for line in lines) - START
    assert " > ".join(scores(*lines, day=day.days)) == order, why


def test_however_often_on_a_day_a_weaker_sign_is_not_worth_the_next_stronger() -> None:
    most = 1 / (1 - POLICY.interest_repeat)
    assert MENTION * most < STRENGTHS["reaction", 1]
    assert STRENGTHS["reaction", 1] * most < FOLLOW_UP
    assert FOLLOW_UP * most < STRENGTHS["statement", 1]
    assert SEARCH * most < STRENGTHS["command", 1] < LEARN
