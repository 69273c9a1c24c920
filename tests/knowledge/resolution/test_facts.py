import random
import time
from datetime import timedelta

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from cairn.knowledge.resolution.facts import facts, statements
from cairn.knowledge.schema.identity import entity_id, fact_id
from cairn.knowledge.schema.tables import CANDIDATES
from tests.knowledge.said import START, candidate, stated, statement, undrawn

CAIRN = {"namespace": "n", "entity_id": entity_id("n", "project", "cairn"), "name": "cairn",
         "type": "project"}  # fmt: skip


def known(*topics: str) -> pl.DataFrame:
    named = [
        {"namespace": "n", "entity_id": entity_id("n", "topic", t), "name": t, "type": "topic"}
        for t in topics
    ]
    return pl.DataFrame([CAIRN, *named])


def test_many_uses_of_a_tool_are_one_fact_with_every_source() -> None:
    uses = [{"record_id": f"r{i:03}", "conversation_id": f"s{i % 3}", "at": i} for i in range(50)]
    table, sources = facts(stated(*uses), known())
    fact = table.row(0, named=True)
    assert table.height == 1
    assert fact["fact_id"] == fact_id("n", CAIRN["entity_id"], "used_tool", "bash")
    assert (fact["source_count"], fact["conversation_count"]) == (50, 3)
    assert fact["source_record_ids"] == [f"r{i:03}" for i in range(20)]
    assert fact["first_seen"] == START
    assert fact["last_seen"] == START + timedelta(hours=49)
    assert sources.height == 50


@pytest.mark.parametrize(
    ("predicate", "one", "other", "same"),
    [
        ("states", "The cache is  Warm.", "the cache is warm", True),
        ("states", "the cache is warm", "the cache is not warm", False),
        ("connects_to_host", "NAS.local.", "nas.local", True),
        ("mentions_path", "/home/anna/Notes.md", "~/Notes.md", True),
        ("mentions_path", "~/Notes.md", "~/notes.md", False),
        ("executed_command", "ls  -l", "ls -l", True),
        ("executed_command", "ls -l", "ls -L", False),
        ("used_tool", "Bash", "bash", True),
        ("asks", "Please don't touch the vendor folder!", "do not touch vendor folder", True),
        ("directs", "Never push to `main`, please.", "never push to main", True),
        ("asks", "Don't touch the vendor folder", "Touch the vendor folder", False),
        ("asks", "Use the staging database, not prod.", "Use the prod database, not prod.", False),
        ("states", "The cache is just warm", "The cache is warm", False),
    ],
)
def test_which_objects_are_the_same(predicate: str, one: str, other: str, same: bool) -> None:
    said = [
        {"predicate": predicate, "object": text, "record_id": record}
        for record, text in (("r1", one), ("r2", other))
    ]
    assert facts(stated(*said), known()).facts.height == (1 if same else 2)


def test_the_base_is_the_highest_of_the_first_conversation_and_the_form_the_most_written() -> None:
    said = [
        statement("It is slow", record_id="r1", at=1, confidence=0.6, conversation_id="s1"),
        statement("it is slow.", record_id="r2", at=2, confidence=0.8, conversation_id="s1"),
        statement("it is slow.", record_id="r3", at=3, confidence=1.0, conversation_id="s2"),
        statement("It is slow!", record_id="r0", at=None, confidence=1.0, conversation_id="s3"),
    ]
    fact = facts(stated(*said), known()).facts.row(0, named=True)
    assert fact["base_confidence"] == 0.8
    assert fact["object"] == fact["content"] == "it is slow."
    assert fact["source_record_ids"] == ["r1", "r2", "r3", "r0"]  # undated comes last


def test_a_statement_is_also_about_the_topics_that_it_names_as_whole_words() -> None:
    said = stated(statement("Found that the Login Bug breaks single sign-on."))
    topics = ["login bug", "bug", "bug breaks", "single sign-on", "sign", "log"]
    about = statements(said, known(*topics)).join(known(*topics), on="entity_id")
    assert sorted(about["name"]) == ["bug", "bug breaks", "cairn", "login bug", "single sign-on"]
    assert facts(said, known(*topics)).fact_sources["candidate_id"].n_unique() == 1


def test_only_free_statements_speak_of_topics() -> None:
    said = stated({"predicate": "executed_command", "object": "git bisect"})
    assert facts(said, known("git bisect")).facts["entity_id"].to_list() == [CAIRN["entity_id"]]


def test_topics_of_another_namespace_stay_there() -> None:
    said = stated(statement("The login bug is back", namespace="m", entity_name="other"))
    assert facts(said, known("login bug")).facts.is_empty()


def test_empty_and_wholly_redacted_objects_are_no_facts() -> None:
    said = stated(*({"object": value} for value in ("", " - ", "[redacted:token]")))
    assert facts(said, known()).facts.is_empty()
    kept = stated({"predicate": "executed_command", "object": "curl -u [redacted:auth] x"})
    assert facts(kept, known()).facts.height == 1


@given(st.randoms(use_true_random=False))
@settings(max_examples=15, deadline=None)
def test_any_order_of_candidates_gives_the_same_rows(shuffle: random.Random) -> None:
    pick = random.Random(3)
    rows = [
        statement(
            pick.choice(["The login bug is back", "the login bug is back.", "Docs help"]),
            record_id=f"r{i}", at=pick.choice([None, 1, 2]), conversation_id=pick.choice("ab"),
            confidence=pick.choice([0.6, 0.7]), extractor=pick.choice(["x@1", "y@1"]),
        )
        for i in range(30)
    ]  # fmt: skip
    straight = facts(stated(*rows), known("login bug", "docs"))
    order = list(range(len(rows)))
    shuffle.shuffle(order)
    topics = known("login bug", "docs").sample(fraction=1, shuffle=True, seed=shuffle.randrange(99))
    mixed = facts(stated(*rows)[order], topics)
    assert_frame_equal(mixed.facts, straight.facts)
    assert_frame_equal(mixed.fact_sources, straight.fact_sources)


@pytest.mark.slow
def test_a_hundred_thousand_candidates_take_seconds_not_minutes() -> None:
    base = CANDIDATES.frame([candidate()])
    number = pl.int_range(100_000)
    said = base.select(pl.all().repeat_by(100_000).explode()).with_columns(
        candidate_id=pl.concat_str(pl.lit("k"), number),
        record_id=pl.concat_str(pl.lit("r"), number // 2),
        object=pl.concat_str(pl.lit("the cache of part "), number % 20_000, pl.lit(" is cold.")),
        predicate=pl.lit("states"),
    )
    topics = known(*(f"part {i}" for i in range(2000)))
    start = time.process_time()
    table = facts(undrawn(said), topics).facts
    assert time.process_time() - start < 10
    assert table.height == 22_000


@pytest.mark.parametrize(
    ("again", "event"), [("do not touch vendor folder", False), ("Use uv", True)]
)
def test_a_wish_is_for_good_once_it_is_said_again_in_other_polite_words(
    again: str, event: bool
) -> None:
    said = [
        {"predicate": "asks", "object": text, "record_id": record, "conversation_id": record,
         "at": at, "passing": False}
        for record, text, at in (("r1", "Please don't touch vendor folder", 0), ("r2", again, 48))
    ]  # fmt: skip
    assert set(facts(stated(*said), known()).facts["event"]) == {event}
