"""Places of quotes and names."""

from hypothesis import given
from hypothesis import strategies as st

from cairn.knowledge.nlp.spans import asks, occurring, place, place_of_name, within_quotation


def test_a_quote_is_found_whatever_its_white_space() -> None:
    text = "😀 I  go\nsea\u00a0kayaking (a.b)*."
    start, end = place(" I go sea kayaking\n", text) or (0, 0)
    assert text[start:end] == "I  go\nsea\u00a0kayaking"
    assert place("(a.b)*", text)
    assert place("(axb)*", text) is None
    assert place("i go", text) is None
    assert place(" \n", text) is None


def test_a_name_is_found_as_whole_words_in_any_case_and_script() -> None:
    assert place_of_name("sea kayaking", "On Sea\nKayaking.") == (3, 15)
    assert place_of_name("C++", "We use c++, not C.") == (7, 10)
    assert place_of_name("art", "start, article, ART") == (16, 19)
    assert place_of_name("東京", "私は東京に住む") == (2, 4)
    assert place_of_name("", "anything") is None


@given(st.lists(st.text("ab ß\n", max_size=20), max_size=4), st.lists(st.text("abß ", max_size=4)))
def test_occurring_names_are_those_that_are_found_one_by_one(
    texts: list[str], names: list[str]
) -> None:
    for text, found in zip(texts, occurring(texts, names), strict=True):
        folded = " ".join(text.casefold().split())
        each = [name for name in names if place_of_name(" ".join(name.casefold().split()), folded)]
        assert found == sorted(each)


def test_marks_tell_questions_and_quotations() -> None:
    assert asks("Is it so?)")
    assert not asks("Is it so? It is.")
    sentence = 'She says "I hate boats", but I do not.'
    assert within_quotation(sentence, 10, 22)
    assert not within_quotation(sentence, 0, 22)
    assert within_quotation("> quoted", 2, 8)
    assert within_quotation("Er sagt „nie wieder“.", 9, 19)
