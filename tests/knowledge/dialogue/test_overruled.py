"""What a person says later that ends what they decided, and what leaves it as it is."""

import time

import pytest

from cairn.knowledge.dialogue.overruled import overruled


@pytest.mark.parametrize(
    ("decided", "later"),
    [
        (
            "Which background colour for the icon? Sea green",
            "I've added @art/harbour_icon.png. Please make the icon assets from that one.",
        ),
        ("The tide gradient must be radial", "actually, no tide gradient, just a flat colour"),
        ("Let's keep the `moor` command", "please remove the moor command"),
        ("Where should tide charts live? docs/tides/", "put the tide charts into assets/ instead"),
        ("Let's show the crane list in red", "Hm. Let's simplify: the crane list in one column"),
    ],
)
def test_a_later_word_on_the_same_thing_ends_a_decision(decided: str, later: str) -> None:
    assert overruled(decided, [later])


@pytest.mark.parametrize(
    "later",
    [
        "the tide charts look good, thanks",
        "remove the crane list",
        "actually, the berth list is slow",
        "please put the tide charts into docs/tides/ and remove the old ones",
        "why are the tide charts not in assets/ instead?",
    ],
)
def test_what_leaves_a_decision_as_it_is(later: str) -> None:
    assert not overruled("Where should tide charts live? docs/tides/", [later])


@pytest.mark.parametrize("later", ["remove the " * 4_000, "actually " * 4_000, "no " * 9_000])
def test_hostile_text_takes_no_longer(later: str) -> None:
    begin = time.process_time()
    overruled("Let's keep the `moor` command", [later])
    assert time.process_time() - begin < 2
