"""What people say for or against something, found by rules."""

import pytest

from cairn.knowledge.extraction.attitudes import stated


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't like the old clocks anymore.", [("old clocks", -1)]),
        ("My favourite pastime is sea shanties.", [("sea shanties", 1)]),
        ("I'm not interested in tide tables, but I enjoy sourdough.",
         [("tide tables", -1), ("sourdough", 1)]),
        ("I prefer zstd over gzip because it is fast.", [("zstd", 1)]),
        ("I prefer tea to coffee.", [("tea", 1)]),
        ("i dont like tide tables. i cant stand horoscopes", [("tide tables", -1),
         ("horoscopes", -1)]),
        ("I no longer enjoy sea shanties.", [("sea shanties", -1)]),
        ("Im really keen on bouldering these days", [("bouldering", 1)]),
        ("I'm not a big fan of horoscopes at all.", [("horoscopes", -1)]),
        ("I love tools such as planes, I love knots like the bowline.",
         [("tools", 1), ("knots", 1)]),
        ("I like listening to the sea shanties the most.", [("sea shanties", 1)]),
        ("I hate using Jira and it hates me.", [("Jira", -1)]),
        ("I love cooking.", [("cooking", 1)]),
    ],
)  # fmt: skip
def test_statements_say_what_for_and_against(text: str, expected: list[tuple[str, int]]) -> None:
    assert [(one.topic, one.valence) for one in stated(text)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "Do I like old clocks?",
        "If I like old clocks, tell me.",
        "She said I love old clocks. Don't say that I like sourdough.",
        "It's not that I hate sourdough.",
        "I like it. I like how you did that.",
        "I hate the way old clocks tick. I like the idea.",
        "What I like about sourdough is the crust.",
        "I prefer the second option. I like the first one.",
        "I like and know sourdough. I like doing that.",
        "I'd like a new branch.",
        "I used to love sourdough.",
        "She wrote “I hate sourdough” there.",
    ],
)
def test_what_is_asked_supposed_quoted_or_of_no_topic_states_nothing(text: str) -> None:
    assert list(stated(text)) == []


def test_a_statement_stands_where_it_was_said() -> None:
    text = "Good morning!\nI love sourdough. Truly, I hate horoscopes."
    assert [text[one.start : one.end] for one in stated(text)] == [
        "I love sourdough",
        "I hate horoscopes",
    ]
