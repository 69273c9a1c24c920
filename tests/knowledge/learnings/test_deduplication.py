"""The same lesson twice, and what is kept of both."""

import hashlib
import math
import random
from collections import Counter
from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.knowledge.learnings.deduplication import dedupe_hash, near_hashes, simhashes
from cairn.knowledge.learnings.draft import Draft, Factors, Quote, encode
from cairn.knowledge.learnings.feedback import SCHEMA as THUMBS
from cairn.knowledge.learnings.stages import learning_candidates, learnings, outcomes
from cairn.knowledge.nlp.text import STOP_WORDS, words
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import LEARNING_CANDIDATES, LEARNINGS

TITLE = "git push fails when the branch has no upstream branch"
CONTENT = (
    "Symptom: git push failed with: The current branch has no upstream branch.\n"
    "Solution: Ran git push --set-upstream origin with the name of the branch, which worked."
)
PARAPHRASE = (
    "Symptom: git push failed with: The current branch has no upstream branch yet.\n"
    "Solution: With git push --set-upstream origin and the name of the branch it then worked."
)
OTHER = (
    "Symptom: pytest failed with: ModuleNotFoundError: No module named tzdata.\n"
    "Solution: Added tzdata to the requirements, because the slim image has no time zones."
)


def made(
    conversation, content=CONTENT, *, title=TITLE, hour=0, category="tool_usage", confidence=0.7,
    namespace="default", extractor="test@1", tags=("git", "push", "branch"), evidence=None,
):  # fmt: skip
    draft = Draft(
        category=category, title=title, content=content, tags=list(tags),
        factors=Factors(confidence, confidence, confidence, confidence),
        evidence=evidence or [f"{conversation}-1", f"{conversation}-2"],
        quotes=[Quote(f"{conversation}-1", "words", "agent", 0)],
        summary=title, signals=["command_corrected"], extractor=extractor,
        occurred_at=datetime(2026, 3, 1, tzinfo=UTC) + timedelta(hours=hour), confidence=confidence,
    )  # fmt: skip
    return {
        "conversation_id": conversation, "namespace": namespace, "day": "2026-03-01", "value": 1.0,
        "reasons": [], "categories": [category], "category_scores": [0.9], "signals": [],
        "spans": [], "drafts": encode([draft]), "outcome": "stored", "details": None,
        "content_hash": "x", "extractor": extractor,
    }  # fmt: skip


def stored(embedder, *rows):
    return learnings(LEARNING_CANDIDATES.frame(rows), embedder, Policy())


@pytest.mark.parametrize(
    ("second", "count"),
    [
        ({}, 1),
        ({"content": CONTENT.replace("branch,", "branch  ,").upper()}, 1),
        ({"content": PARAPHRASE}, 1),
        ({"content": OTHER, "title": "The slim image has no time zones"}, 2),
        ({"category": "bug_fix"}, 2),
        ({"namespace": "other"}, 2),
    ],
    ids=["same", "canonical", "paraphrase", "unlike", "other category", "other namespace"],
)
def test_a_lesson_is_kept_once_within_category_and_namespace(embedder, second, count):
    assert stored(embedder, made("a"), made("b", hour=1, **second)).height == count


@pytest.mark.parametrize(
    ("second", "layers"),
    [
        (CONTENT.upper(), {"learning_similarity": 1.0, "learning_hamming": 1}),
        (CONTENT + " And so it was the same.", {"learning_similarity": 1.0}),
        (PARAPHRASE, {"learning_hamming": 1}),
    ],
    ids=["hash", "simhash", "similarity"],
)
def test_each_layer_alone_finds_its_duplicates_and_a_thumb_follows(embedder, second, layers):
    rows = LEARNING_CANDIDATES.frame([made("a"), made("b", second, hour=1)])
    policy = Policy(**layers)
    alone = learnings(rows.filter(pl.col("conversation_id") == "b"), embedder, policy)
    thumb = pl.DataFrame(
        {"namespace": ["default"], "learning_id": alone["learning_id"], "record_id": ["r"],
         "weight": [1.0], "occurred_at": [datetime(2026, 4, 1, tzinfo=UTC)], "category": [None],
             "records": [[]]},
        schema=THUMBS,
    )  # fmt: skip
    (kept,) = learnings(rows, embedder, policy, thumb).to_dicts()
    assert (kept["conversation_id"], kept["confidence"]) == ("a", 1.0)


def test_a_duplicate_adds_sources_confidence_and_a_run_to_the_first(embedder):
    rows = [made("late", hour=5, confidence=0.9), made("early", confidence=0.7)]
    kept = stored(embedder, *rows).row(0, named=True)
    assert kept["conversation_id"] == "early"
    assert kept["source_record_ids"] == ["early-1", "early-2", "late-1", "late-2"]
    assert kept["conversation_ids"] == ["early", "late"]
    # A second conversation makes the evidence strong.
    assert kept["factors"] == {
        "actionability": 0.9, "generalizability": 0.9, "clarity": 0.9, "evidence": 1.0,
    }  # fmt: skip
    assert kept["confidence"] == pytest.approx(0.9 + 0.15 * (1.0 - 0.9))
    assert [run["confidence"] for run in kept["runs"]] == [0.7, 0.9]
    assert [run["occurred_at"].hour for run in kept["runs"]] == [0, 5]
    assert kept["created_at"].hour == 0


def test_each_run_names_the_sources_that_it_added(embedder):
    rows = [
        made("a"),
        made("b", PARAPHRASE, hour=1, evidence=["a-2", "b-1"]),
        made("c", hour=2, evidence=["b-1", "a-1"]),
    ]
    kept = stored(embedder, *rows).row(0, named=True)
    assert [run["sources"] for run in kept["runs"]] == [["a-1", "a-2"], ["b-1"], []]
    assert kept["source_record_ids"] == ["a-1", "a-2", "b-1"]


def test_a_rule_and_a_model_that_say_the_same_words_are_taken_in_one_order(embedder):
    rows = [made("a", extractor=name, tags=[name, "x", "y"]) for name in ("model", "rule")]
    candidates = LEARNING_CANDIDATES.frame(rows)
    first, second = (learnings(c, embedder, Policy()) for c in (candidates, candidates[::-1]))
    assert first["runs"].list.len().to_list() == [2]
    assert first.equals(second)


def test_a_conversation_that_only_repeats_ends_as_a_duplicate(embedder):
    candidates = LEARNING_CANDIDATES.frame([made("early"), made("late", hour=5)])
    final = outcomes(candidates, learnings(candidates, embedder, Policy()))
    assert final.select("conversation_id", "outcome").rows() == [
        ("early", "stored"),
        ("late", "duplicate"),
    ]


@given(st.permutations(range(6)))
@settings(max_examples=15, deadline=None)
def test_any_order_of_arrival_gives_the_same_lessons(embedder, order):
    rows = [
        made("a"), made("b", hour=1, confidence=0.8), made("c", PARAPHRASE, hour=2),
        made("d", OTHER, hour=3), made("e", OTHER, hour=3), made("f", hour=9, category="bug_fix"),
    ]  # fmt: skip
    candidates = LEARNING_CANDIDATES.frame(rows)
    first = learnings(candidates, embedder, Policy())
    assert learnings(candidates[list(order)], embedder, Policy()).equals(first)


def test_sessions_in_any_order_of_rows_give_the_same_candidates(session, solved):
    raw_logs = pl.concat(
        [session(*solved), session(*solved[:4], conversation="c2", namespace="other")]
    )
    first = learning_candidates(raw_logs, Policy())
    for seed in (1, 2):
        assert learning_candidates(
            raw_logs.sample(fraction=1, shuffle=True, seed=seed), Policy()
        ).equals(first)


def test_the_canonical_hash_forgets_dates_issues_and_secrets_of_urls():
    rows = pl.DataFrame(
        {
            "category": ["bug_fix"] * 3,
            "title": ["Seen 2026-03-01 in #12", "seen  2025-12-31T10:00:00Z in #7", "Seen in May"],
            "content": [
                "See https://ada:secret@shop.test/x?token=1",
                "see https://shop.test/x?token=2#top",
                "See https://shop.test/y",
            ],
        }
    )
    first, second, third = rows.select(dedupe_hash()).to_series().to_list()
    assert first == second != third
    expected = "bug_fix:seen DATE in ISSUE see https://shop.test/x"
    assert first == hashlib.sha256(expected.encode()).hexdigest()


def plain_simhash(text):
    """Written as the definition says, one word and one bit at a time."""
    total = [0] * 64
    for word, count in Counter(w for w in words(text) if w not in STOP_WORDS).items():
        number = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
        for bit in range(64):
            sign = 1 if number >> bit & 1 else -1
            total[bit] += sign * round(16 * (1 + math.log(count)))
    return sum(1 << bit for bit in range(64) if total[bit] > 0)


def test_simhash_is_what_its_definition_says():
    chance = random.Random(4)
    vocabulary = [f"word{number}" for number in range(50)] + ["the", "and"]
    texts = [
        "",
        *(" ".join(chance.choices(vocabulary, k=chance.randint(1, 60))) for _ in range(40)),
    ]
    assert simhashes(texts).tolist() == [plain_simhash(text) for text in texts]


@pytest.mark.parametrize("below", [1, 3, 5])
def test_banded_lookup_finds_every_near_pair_and_no_other(below):
    chance = random.Random(below)
    hashes = [chance.getrandbits(64) for _ in range(60)]
    for _ in range(60):
        flipped = chance.choice(hashes)
        for bit in chance.sample(range(64), chance.randint(0, 6)):
            flipped ^= 1 << bit
        hashes.append(flipped)
    drafts = pl.DataFrame(
        {
            "namespace": "default",
            "category": [chance.choice(["bug_fix", "decision"]) for _ in hashes],
            "place": pl.Series(range(len(hashes)), dtype=pl.UInt32),
            "simhash": pl.Series(np.array(hashes, dtype=np.uint64)),
        }
    )
    category = drafts["category"].to_list()
    expected = [
        (left, right)
        for left in range(len(hashes))
        for right in range(left + 1, len(hashes))
        if category[left] == category[right] and (hashes[left] ^ hashes[right]).bit_count() < below
    ]
    assert len(expected) > 5
    assert near_hashes(drafts, below).rows() == expected


def test_nothing_learned_is_an_empty_table(embedder):
    empty = learnings(LEARNING_CANDIDATES.empty(), embedder, Policy())
    assert empty.equals(LEARNINGS.empty())
