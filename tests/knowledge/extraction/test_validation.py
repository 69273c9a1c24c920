"""What checks say of a model's proposals: where its words stand, whose they are, how said."""

import unicodedata
from datetime import UTC, datetime

import pytest

from cairn.knowledge.extraction.validation import KnownName, Proposal, has_canary, judged_facts
from cairn.knowledge.llm.chunks import Line, Lines
from cairn.knowledge.llm.prompts.entity_facts import Fact
from cairn.knowledge.schema.policy import Policy

POLICY = Policy.model_validate({})
GIVEN = {one.key: one for one in (KnownName("bees", "topic"), KnownName("Ada", "person"))}


def line(text: str, number: int = 1, origin: str = "human") -> Line:
    return Line(
        "me", "2026-03-01", "c", "e", "chunk", number, f"r{number}", 0, number, "message", origin,
        None, "Ada", None, datetime(2026, 3, 1, tzinfo=UTC), text,
    )  # fmt: skip


def judged(lines: Lines | str, quote: str, entity: str = "bees", *, own: bool = False) -> Proposal:
    """A fact that the model says is asserted in the first message."""
    fact = Fact(
        entity=entity, statement=f"{entity}: so", message=1, quote=quote, stance="asserted", own=own
    )
    shown = (line(lines),) if isinstance(lines, str) else lines
    (proposal,) = judged_facts([fact], shown, GIVEN, "full_mode/x@1", POLICY)
    return proposal


def test_words_are_the_same_however_their_accents_are_encoded() -> None:
    text = "🐝 Bees like the Café Müller."
    composed, apart = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    for stored in (composed, apart):
        for said in (composed, apart):
            found = judged(stored, said[7:].rstrip("."))
            assert found.reason is None
            assert stored[found.start : found.end] == found.quote
            assert found.end == len(stored) - 1


@pytest.mark.parametrize("quote", ["b", ".", "is", "— !"])
def test_a_letter_or_a_mark_bears_no_fact(quote: str) -> None:
    assert judged("It is b — ! bees.", quote).reason in ("too_short", "quote_not_found")


def test_few_characters_may_be_whole_words() -> None:
    assert judged("我养蜂。", "养蜂").reason is None


def test_a_quote_begins_where_a_word_does() -> None:
    assert judged("The bees are unsafe to keep.", "safe to keep").reason == "quote_not_found"
    assert judged("They dislike bees; some like bees.", "like bees").start == 24


@pytest.mark.parametrize(
    "text",
    [
        "Are bees loud?!",
        "Are bees loud? :)",
        "Are bees loud? 🐝",
        "Are bees loud⁉",
        "Are bees loud λοιπόν;",
    ],
)
def test_a_question_is_one_with_more_behind_its_mark(text: str) -> None:
    assert judged(text, "bees loud").reason == "question"


@pytest.mark.parametrize(
    "text",
    [
        "他说:「bees buzz」。", "他说『bees buzz』。", "He said ‘bees buzz’.",
        "He said “I know. bees buzz. Really.” and left.", "„Ja. bees buzz. Ja.“ So er.",
        "»Ja. bees buzz. Ja.« So er.",
    ],
)  # fmt: skip
def test_another_ones_words_are_quoted_in_many_marks_and_over_sentences(text: str) -> None:
    assert judged(text, "bees buzz").reason == "quotation"


def test_what_stands_between_quotations_is_in_none() -> None:
    for text in (
        "»Ja.« bees buzz »Nein.«",
        "“Yes.” bees buzz “No.”",
        "It’s so: bees buzz, it’s.",
    ):
        assert judged(text, "bees buzz").reason is None, text


def test_an_agents_words_of_itself_are_not_a_persons() -> None:
    said = (line("I prefer tabs.", origin="agent"),)
    assert judged(said, "I prefer tabs", "Ada", own=True).reason == "other_speaker"
    assert judged("I prefer tabs.", "I prefer tabs", "Ada", own=True).reason is None


@pytest.mark.parametrize(
    "name",
    ["Quorvane", "QUORVANE", "Quor\u200bvane", "Quor\u00advane", "_Quorvane_", "Ｑｕｏｒｖａｎｅ"],
)
def test_a_canary_is_known_in_disguise(name: str) -> None:
    assert has_canary(f"They keep {name} there.")
