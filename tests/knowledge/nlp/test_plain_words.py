"""Sentences as rules match them, and where their words stand in what was written."""

import time

import pytest

from cairn.knowledge.nlp.plain_words import lead_in, plain_words


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("Dont moor it there, we can't.", "do not moor it there, we cannot."),
        ("I’ve moored her; I'm done", "i have moored her; i am done"),
        ("ok lets go, im not late", "ok let us go, i am not late"),
        ("We're not late and youre not either", "we are not late and you are not either"),
        ("were not supposed to dock here", "we are not supposed to dock here"),
        ("id rather wait, I'd wait", "i would rather wait, i would wait"),
        ("She'd been there, that's been said", "she had been there, that has been said"),
        ("its not moored", "it is not moored"),
        ("pls don't use `isn't` here", "please do not use xxxxxxx here"),
        # What has the letters of a short form and is none.
        ("The crew were not late. It lets us in.",) * 2,
        ("Its hull is red, my id is 4",) * 2,
        ("the captain's cant hook",) * 2,
    ],
)
def test_contractions_are_written_out(written: str, plain: str) -> None:
    found = plain_words(written)
    if "cant hook" in written:
        assert found.text == "the captain's cannot hook"
        return
    assert found.text == plain.lower()
    assert len(found.places) == len(found.text) + 1


def test_each_character_has_its_place_in_what_was_written() -> None:
    written = "Yes, dont moor `it` and I'm off"
    plain, places = plain_words(written)
    for word in ("moor", "off"):
        assert written[places[plain.index(word)] :].startswith(word)
    assert places[plain.index("do not")] == written.index("dont")
    assert places[-1] == len(written)


def test_words_that_make_a_form_count_though_they_are_mistyped() -> None:
    written = "I beleive we shoud jsut moor it"  # codespell:ignore beleive,shoud,jsut
    plain, places = plain_words(written)
    assert plain == "i believe we should just moor it"
    assert written[places[plain.index("moor")] :] == "moor it"


@pytest.mark.parametrize(
    ("opening", "circumstance", "told"),
    [
        ("haha, yes, and ", "", "i like knots"),
        ("by the way: ", "in tests, ", "we use fakes"),
        ("", "recently, ", "i took up rowing"),
        ("", "from now on ", "i prefer short oars"),
        ("", "in dev ", "we use one crane"),
        ("honestly, that is great! ", "on mondays ", "i row"),
        ("which means that ", "", "every berth has a number"),
        ("unfortunately, ", "", "my boat sank"),
        ("", "", "no crane is free"),
        ("", "", "right angles are fine"),
        ("", "", "in dev mode is what it says"),
        ("", "", "reply to all, please"),
    ],
)
def test_what_leads_in_is_told_apart(opening: str, circumstance: str, told: str) -> None:
    plain = f"{opening}{circumstance}{told}"
    assert lead_in(plain) == (len(opening), len(opening + circumstance))


@pytest.mark.parametrize(
    "text", ["and " * 9_000, "don't " * 9_000, "in a " * 9_000, "that " * 9_000]
)
def test_hostile_text_takes_no_longer(text: str) -> None:
    begin = time.process_time()
    lead_in(plain_words(text).text)
    assert time.process_time() - begin < 2
