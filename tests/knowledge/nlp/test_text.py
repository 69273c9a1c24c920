import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.knowledge.extraction.rules.decided import decisions
from cairn.knowledge.nlp.markup import without_markup
from cairn.knowledge.nlp.text import (
    STOP_WORDS,
    beginning,
    estimated_tokens,
    sentences,
    spaced,
    words,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It works. Then it broke! Why?", ["It works.", "Then it broke!", "Why?"]),
        ("Use e.g. Linux. Done", ["Use e.g. Linux.", "Done"]),
        ("Update v1.2 of config.py now. ok", ["Update v1.2 of config.py now. ok"]),
        ("1. First item\n2. Second item", ["1. First item", "2. Second item"]),
        ('He said "stop." Then left.', ['He said "stop."', "Then left."]),
        ("  \n\n  one line  \n", ["one line"]),
        ("動いた。次へ", ["動いた。", "次へ"]),
        ("", []),
    ],
)
def test_a_text_is_cut_into_sentences(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in sentences(text)] == expected


@given(st.text(alphabet="aB1 .!?\n\t\"'é。\U0001f600", max_size=60))
def test_spans_cover_all_but_white_space_in_order(text: str) -> None:
    spans = sentences(text)
    assert "".join("".join(text[s:e].split()) for s, e in spans) == "".join(text.split())
    assert spans == sorted(spans)
    assert all(text[s:e] == text[s:e].strip() != "" for s, e in spans)


def test_words_are_casefolded_and_keep_what_joins_them() -> None:
    assert words("Don’t re-run CONFIG.py, Straße!") == ["don't", "re-run", "config.py", "strasse"]
    assert STOP_WORDS.issuperset(words("That isn't what I'd do"))


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("我喜欢听爵士乐。", "爵士乐"),
        ("音楽が好きです", "音楽"),
        ("재즈를 좋아해", "재즈"),
        ("เพลงแจ๊ส", "แจ๊ส"),
    ],
)
def test_a_word_is_found_in_a_text_without_spaces(text: str, asked: str) -> None:
    assert set(spaced(asked).split()) <= set(spaced(text).split())


def test_where_words_are_spaced_nothing_changes() -> None:
    assert [spaced(text) for text in ("naïve café", "it's “ok”", "")] == [
        "naïve café", "it's “ok”", "",
    ]  # fmt: skip


def test_tokens_are_a_quarter_of_the_characters_rounded_up() -> None:
    assert [estimated_tokens("x" * n) for n in (0, 1, 4, 5)] == [0, 1, 1, 2]


@pytest.mark.parametrize(
    ("text", "most", "begins"),
    [
        ("the crane is slow today", 16, "the crane is"),
        ("the crane is slow today", 17, "the crane is slow"),
        ("the crane is slow today", 18, "the crane is slow"),
        ("the crane", 40, "the crane"),
        ("起重机今天很慢因为绳子旧了", 6, "起重机今天很"),
        ("x" * 30, 10, "x" * 10),
    ],
)
def test_a_text_begins_with_whole_words(text: str, most: int, begins: str) -> None:
    assert beginning(text, most) == begins


@pytest.mark.parametrize("letter", ["…", "?", "`", "~", "\n", "```\n"])
def test_long_runs_of_one_mark_are_read_once(letter: str) -> None:
    """Whatever looks back in such a run takes minutes."""
    run = letter * (400_000 // len(letter))
    assert len(sentences(run)) == (1 if letter in "…?`~" else run.count("```"))
    assert len(without_markup(run)) == len(run)
    assert decisions(run, to_agent=True) == ()
