"""From sessions to lessons: outcomes, quotes by offset, and real sessions."""

from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from cairn.knowledge.ingest.events import HEAD_COLUMNS, placed, raw_logs
from cairn.knowledge.ingest.records import read_records
from cairn.knowledge.learnings.draft import decode
from cairn.knowledge.learnings.stages import learning_candidates, learnings, outcomes
from cairn.knowledge.schema.policy import Policy


def assert_quoted(stored: pl.DataFrame, logs: pl.DataFrame) -> None:
    """Every quote stands in its record where it says, and every source exists."""
    texts = dict(logs.select("record_id", "text").iter_rows())
    for row in stored.iter_rows(named=True):
        assert set(row["source_record_ids"]) <= texts.keys()
        assert row["source_record_ids"]
        assert 1 <= len(row["quotes"]) <= 4
        for quote in row["quotes"]:
            start, text = quote["start"], quote["text"]
            assert 0 < len(text) <= 200
            assert texts[quote["record_id"]][start : start + len(text)] == text
            assert quote["record_id"] in row["source_record_ids"]


def test_each_conversation_ends_with_one_outcome(session, solved, embedder):
    small_talk = ("agent", "I implemented the design and ran the test suite.")
    logs = pl.concat(
        [
            session(("human", "hi"), conversation="short"),
            session(*[small_talk] * 3, ("agent", "```\nx\n```"), ("agent", "```\ny\n```"),
                    conversation="plain"),
            session(*solved, conversation="first"),
            session(*solved, conversation="second", begin=datetime(2026, 3, 9, tzinfo=UTC)),
        ]
    )  # fmt: skip
    candidates = learning_candidates(logs, Policy())
    stored = learnings(candidates, embedder, Policy())
    final = outcomes(candidates, stored)
    assert dict(final.select("conversation_id", "outcome").iter_rows()) == {
        "first": "stored",
        "plain": "no_categories",
        "second": "duplicate",
        "short": "low_value",
    }
    assert_quoted(stored, logs)
    assert stored["runs"].list.len().to_list() == [2]


def test_a_conversation_depends_on_its_own_rows_alone(session, solved):
    one = session(*solved, conversation="one")
    two = session(*solved[:5], conversation="two")
    both = learning_candidates(pl.concat([one, two]), Policy())
    apart = pl.concat([learning_candidates(one, Policy()), learning_candidates(two, Policy())])
    assert both.equals(apart)


def test_quotes_hold_their_place_behind_letters_outside_the_basic_plane(session, solved, embedder):
    said = "🧭 Ça alors 🎉 — " + solved[3][1]
    events = [(("agent", said) if event == solved[3] else event) for event in solved]
    logs = session(*events)
    candidates = learning_candidates(logs, Policy())
    stored = learnings(candidates, embedder, Policy())
    assert stored.height == 1
    assert_quoted(stored, logs)
    assert any("time zone database" in quote["text"] for quote in stored["quotes"][0])


def test_a_grown_conversation_is_judged_anew(session, solved):
    before = learning_candidates(session(*solved[:5]), Policy())
    after = learning_candidates(session(*solved), Policy())
    assert before["outcome"].to_list() != after["outcome"].to_list()
    assert before["content_hash"].to_list() != after["content_hash"].to_list()
    assert decode(after["drafts"][0])


def test_results_without_call_ids_answer_the_oldest_open_call(session, solved):
    named, bare = session(*solved), session(*solved).with_columns(call_id=pl.lit(None, pl.String))
    assert learning_candidates(bare, Policy()).equals(learning_candidates(named, Policy()))


def test_lessons_of_real_sessions_are_readable_and_quoted(shared_data: Path, embedder):
    seen = datetime(2026, 9, 1, tzinfo=UTC)
    reads = [
        read_records(
            path.read_bytes(), namespace="default", source_file=path.name, timezone="UTC",
            seen_at=seen, redactor=None,
        ).records
        for path in sorted((shared_data / "cc_spotter").glob("[0-9a-f]*-*.jsonl"))
    ]  # fmt: skip
    records = pl.concat(reads).unique("record_key", keep="first", maintain_order=True)
    records = records.with_columns(size=pl.col("payload").str.len_bytes().cast(pl.Int64))
    places = placed(records.select(HEAD_COLUMNS), Policy())
    logs = raw_logs(
        records.join(places.select("record_key", "conversation_id", "day"), on="record_key"),
    ).raw_logs
    stored = learnings(learning_candidates(logs, Policy()), embedder, Policy())
    assert_quoted(stored, logs)
    assert stored.height >= 3
    assert stored["confidence"].mean() >= 0.75
    assert "RuntimeError: Phoenix LiveView requires lazy_html" in " ".join(stored["title"])
    assert stored["title"].str.len_chars().max() <= 100
    assert not stored["title"].str.contains(r"[`*\x1b\n]|Traceback").any()
    assert stored["content"].str.len_chars().min() >= 100
    assert stored["tags"].list.len().is_between(3, 10).all()


def test_a_command_whose_name_is_blank_costs_no_lesson(session, solved):
    rows = learning_candidates(session(*solved, ("run", "' '", "not found", "error")), Policy())
    assert rows["outcome"].to_list() == ["stored"]
