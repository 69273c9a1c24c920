"""What a conversation promises, and the part of it that a reader with a budget gets."""

import polars as pl
import pytest

from cairn.knowledge.dialogue.turns import readable
from cairn.knowledge.learnings.context_window import spans
from cairn.knowledge.learnings.value_score import values

FENCE = ("agent", "Here:\n```\nx = 1\n```")
RUN = ("run", "true && touch x", "")
PLAIN = ("agent", "I looked into it.")
LONG = ("agent", "word " * 1700)
KEYWORD = ("agent", "The design is done.")


def value_of(raw_logs):
    return values(readable(raw_logs)).row(0, named=True)


@pytest.mark.parametrize(
    ("events", "value", "reasons"),
    [
        ((FENCE, FENCE), 0.0, ["too_short"]),
        ((FENCE, FENCE, PLAIN), 0.3, ["code"]),
        ((FENCE, PLAIN, PLAIN), 0.0, []),
        ((RUN, RUN, RUN), 0.25, ["tools"]),
        ((RUN, RUN, PLAIN), 0.0, []),
        ((LONG, PLAIN, PLAIN), 0.2, ["length"]),
        ((KEYWORD, KEYWORD, PLAIN), 0.25, ["keywords"]),
        ((KEYWORD, PLAIN, PLAIN), 0.0, []),
        (
            (FENCE, FENCE, RUN, RUN, RUN, LONG, KEYWORD, KEYWORD),
            1.0,
            ["code", "tools", "length", "keywords"],
        ),
    ],
)
def test_each_heuristic_counts_from_its_least_count(session, events, value, reasons):
    scored = value_of(session(*events))
    assert (scored["value"], scored["reasons"]) == (pytest.approx(value), reasons)


def test_a_word_that_merely_contains_a_keyword_does_not_count(session):
    fixture = ("agent", "The fixture prefixes latest contest entries.")
    assert value_of(session(fixture, fixture, PLAIN))["value"] == 0.0


def test_recalled_and_system_text_is_worth_nothing(session):
    injected = tuple((origin, FENCE[1]) for origin in ("recalled", "system", "recalled"))
    raw_logs = session(("human", "hello"), *injected)
    assert value_of(raw_logs)["reasons"] == ["too_short"]


def test_spans_are_telling_records_in_order_up_to_the_first_that_exceeds(session):
    raw_logs = session(
        PLAIN,
        ("agent", "There is an error " + "x" * 3600),
        ("agent", "Another problem " + "x" * 3600),
        ("agent", "A third bug " + "x" * 3600),
        ("agent", "A short fix."),
    )
    chosen = spans(readable(raw_logs))["spans"][0].to_list()
    assert [name[-3:] for name in chosen] == ["001", "002"]


def test_thoughts_take_nothing_of_the_budget(session):
    raw_logs = session(("agent", "The fix of this problem: " + "x" * 7900), ("agent", "A fix."))
    thought = raw_logs.with_columns(
        kind=pl.when(pl.col("seq") == 0).then(pl.lit("thinking")).otherwise("kind")
    )
    chosen = spans(readable(thought))["spans"][0].to_list()
    assert [name[-3:] for name in chosen] == ["001"]


def test_without_telling_records_the_first_five_messages_are_taken(session):
    raw_logs = session(*[PLAIN] * 7)
    assert spans(readable(raw_logs))["spans"][0].len() == 5
