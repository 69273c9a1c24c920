"""Candidates of raw logs: places of quotes, subjects, order, failures, outcomes."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.knowledge.engine.extractors import Extractor
from cairn.knowledge.extraction.candidates import candidates, outcomes
from cairn.knowledge.extraction.rules import RULES, Record, RuleMatch, field_text
from cairn.knowledge.extraction.rules.rule import RECORD_COLUMNS, SAID_BY_PERSON, each, rule
from cairn.knowledge.ingest.events import HEAD_COLUMNS, placed
from cairn.knowledge.ingest.events import raw_logs as to_raw_logs
from cairn.knowledge.ingest.records import read_records
from cairn.knowledge.schema.policy import Policy
from tests.knowledge.extraction.rules.fixtures import (
    CHAT,
    SESSION,
    bash,
    call,
    everything,
    human,
    raw_logs,
)


def assert_quoted(logs: pl.DataFrame, found: pl.DataFrame) -> None:
    """Each quote stands in its field of its record, where its offsets say."""
    records = {row[0]: Record(*row) for row in logs.select(RECORD_COLUMNS).iter_rows()}
    for record_id, field, start, end, quote in found.select(
        "record_id", "quote_field", "quote_start", "quote_end", "quote"
    ).iter_rows():
        source = field_text(field, records[record_id])
        assert source is not None
        assert quote
        assert source[start:end] == quote


def test_quotes_stand_where_their_offsets_say() -> None:
    logs = everything()
    proposed = candidates(logs, Policy())
    assert proposed.failures.is_empty()
    assert_quoted(logs, proposed.candidates)


PIECES = st.sampled_from(
    [
        *("ssh ", "ann@höst:", "'", '"', "\\", " && ", "tar x ", "é", "😀", "\n", "$(", ")", "`"),
        *("<<EOF\n", "EOF", "/srv/ä.py", "pip install ", "[redacted:x]", "bash -c ", "- ", "**"),
        *("The fix was to pin it. ", "I prefer ", "OpenTelemetry ", "failed because ", "…", "。"),
        *("\u2028", "\x00", "\ufeff"),
    ]
)


TEXTS = st.lists(PIECES, max_size=25).map("".join)


@settings(max_examples=20, deadline=None)
@given(st.lists(TEXTS, min_size=4, max_size=6))
def test_any_text_gives_quotes_that_hold_and_no_failure(texts: list[str]) -> None:
    logs = raw_logs(*([human(text), bash(text), call("Read", file_path=text)] for text in texts))
    proposed = candidates(logs, Policy())
    assert proposed.failures.is_empty()
    assert_quoted(logs, proposed.candidates)
    assert proposed.candidates.filter(pl.col("object").str.strip_chars() == "").is_empty()


def sessions(folder: Path) -> pl.DataFrame:
    """Raw logs of the real sessions in a folder."""
    read = [
        read_records(
            path.read_bytes(),
            namespace="default",
            source_file=path.name,
            timezone="UTC",
            seen_at=datetime(2026, 3, 1, tzinfo=UTC),
            redactor=None,
        ).records
        for path in sorted(folder.rglob("*.jsonl"))
    ]
    records = pl.concat(read).unique("record_key", maintain_order=True)
    records = records.with_columns(size=pl.col("payload").str.len_bytes())
    places = placed(records.select(HEAD_COLUMNS), Policy())
    places = places.select("record_key", "conversation_id", "day")
    return to_raw_logs(records.join(places, on="record_key")).raw_logs


def test_quotes_of_real_sessions_stand_where_their_offsets_say(shared_data: Path) -> None:
    logs = sessions(shared_data / "cc_spotter")
    proposed = candidates(logs, Policy())
    assert proposed.failures.is_empty()
    assert_quoted(logs, proposed.candidates)
    facts = proposed.candidates.group_by("predicate").len()
    counts = dict(facts.rows())
    expected = json.loads((shared_data / "dev_counts.json").read_text())["datasets"]["cc_spotter"]
    assert counts["executed_command"] == expected["bash_commands"]["distinct_tool_use_id"]
    assert counts["used_tool"] == logs.filter(pl.col("kind") == "tool_call").height
    assert "connects_to_host" not in counts
    assert "archive_manipulation" not in set(proposed.candidates["object"])


def test_any_order_of_rows_gives_the_same_candidates() -> None:
    logs = everything()
    found = candidates(logs, Policy()).candidates
    for seed in range(3):
        mixed = logs.sample(fraction=1, shuffle=True, seed=seed)
        assert candidates(mixed, Policy()).candidates.equals(found)


def test_the_subject_tells_task_from_action_and_the_entity_is_the_project_or_the_person() -> None:
    found = candidates(everything(), Policy()).candidates.filter(pl.col("kind") == "fact")
    by_person = found.filter(pl.col("origin") == "human")
    assert (by_person["subject"] == "task_" + by_person["record_id"]).all()
    by_agent = found.filter(pl.col("origin") == "agent")
    assert (by_agent["subject"] == "action_" + by_agent["record_id"]).all()
    about = (
        found.select("conversation_id", "entity_name", "entity_type")
        .unique()
        .sort("conversation_id")
    )
    assert about.rows() == [
        ("c0", "harbour", "project"),
        ("c1", "Nadia", "person"),
        ("c2", "Nadia", "person"),
        ("c3", "harbour", "project"),
        ("c4", "harbour", "project"),
        ("c5", "harbour", "project"),
        ("c6", "harbour", "project"),
    ]
    nobody = candidates(raw_logs([human("I prefer tabs over spaces.")], project=None), Policy())
    assert nobody.candidates.select("entity_name", "entity_type").rows() == [("user", "person")]


def test_sentences_are_readable_for_embedding() -> None:
    found = candidates(raw_logs([bash("ssh nas"), human("I prefer tabs over spaces.")]), Policy())
    content = dict(found.candidates.select("predicate", "content").rows())
    assert content["connects_to_host"] == "harbour connects to host nas"
    assert content["operation_type"] == "harbour involves remote access"
    assert content["states"] == "I prefer tabs over spaces."


def test_what_redaction_left_nothing_of_is_not_kept() -> None:
    logs = raw_logs(
        [
            bash("[redacted:token]"),
            bash("   "),
            call("Read", file_path="[redacted:path]"),
            call(" "),
        ]
    )
    found = candidates(logs, Policy()).candidates.filter(pl.col("kind") == "fact")
    assert set(found["object"]) == {"Bash", "Read"}


def test_a_rule_that_fails_on_a_record_loses_only_that_record() -> None:
    def find(record: Record, _: Policy) -> Sequence[RuleMatch]:
        if "bad" in record.text:
            raise ZeroDivisionError(record.text)
        return [RuleMatch(record.text, 0, len(record.text))]

    shaky = rule("shaky", 1, "…", confidence=1.0, reads=SAID_BY_PERSON, find=each(find))
    logs = raw_logs([human("good"), human("bad")], [human("fine")], [bash("ls")])
    proposed = candidates(logs, Policy(), [shaky, RULES[0]])
    said = proposed.candidates.filter(pl.col("predicate") == "shaky")
    assert sorted(said["object"]) == ["fine", "good"]
    assert proposed.failures.select("record_id", "rule", "error").rows() == [
        ("c0_1", "shaky", "ZeroDivisionError")
    ]
    work = outcomes(logs, proposed, [shaky, RULES[0]])
    assert work.select("stage", "unit", "outcome", "rows").rows() == [
        ("shaky", "c0", "failed", 1), ("shaky", "c1", "done", 1), ("shaky", "c2", "empty", 0),
        ("used_tool", "c0", "empty", 0), ("used_tool", "c1", "empty", 0),
        ("used_tool", "c2", "done", 1),
    ]  # fmt: skip


def test_a_new_version_changes_the_label_and_no_id() -> None:
    logs = raw_logs([bash("ssh nas")])
    newer = replace(RULES[0], extractor=Extractor("used_tool", "rule", 9, "…"))
    before, after = (candidates(logs, Policy(), [one]).candidates for one in (RULES[0], newer))
    assert after["extractor"].to_list() == ["used_tool@9"]
    assert after.drop("extractor").equals(before.drop("extractor"))


def test_nothing_comes_of_nothing() -> None:
    proposed = candidates(raw_logs(), Policy())
    assert proposed.candidates.is_empty()
    assert outcomes(raw_logs(), proposed).is_empty()


def test_conversations_do_not_touch_each_other() -> None:
    both = candidates(raw_logs(SESSION, CHAT), Policy()).candidates
    alone = candidates(raw_logs(SESSION), Policy()).candidates
    assert both.filter(pl.col("conversation_id") == "c0").equals(alone)
