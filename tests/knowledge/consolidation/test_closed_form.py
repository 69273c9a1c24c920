"""Confidence in `memory`, from sources and episodes to merged facts, against a plain loop."""

import math
from datetime import datetime
from random import Random
from typing import Any

import pytest

from cairn.knowledge.consolidation.confidence import confidence_updates
from cairn.knowledge.consolidation.evidence import evidence
from cairn.knowledge.consolidation.memory import MemoryInput, memory
from cairn.knowledge.schema.calendar import UNDATED
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import ENTITIES, EPISODES, MERGES, SIMILAR_FACTS
from tests.knowledge.rows import day, episodes, fact_sources, facts
from tests.knowledge.toy_embedder import ToyEmbedder

POLICY = Policy()
BOUNDS = {"person": 1.0, "outcome": 1.0, "agent": 0.5, "outside": 0.4}
SAYS = {"f0": "alpha bravo charlie", "f1": "delta echo foxtrot", "f2": "golf hotel india"}


def history(random: Random) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Sources and episodes: few conversations and days, so that all kinds of ties occur."""

    def when() -> datetime | None:
        return None if random.random() < 0.1 else day(random.randint(0, 8))

    sources = [
        {"fact_id": fact, "record_id": f"r{fact}{at}",
         "conversation_id": f"s{random.randint(0, 4)}",
         "occurred_at": when(), "confidence": random.choice([0.6, 0.7, 0.8])}
        for fact in SAYS
        for at in range(random.randint(1, 5))
    ]  # fmt: skip
    heard = [
        {"episode_id": f"p{at}", "conversation_id": f"s{random.randint(0, 6)}",
         "started_at": when(), "text": random.choice(list(SAYS.values()))}
        for at in range(random.randint(0, 8))
    ]  # fmt: skip
    return sources, heard


def dated(row: dict[str, Any], column: str = "occurred_at") -> datetime:
    return row[column] or UNDATED


def by_time(fact: str, sources: list[dict[str, Any]]) -> list[dict[str, Any]]:
    own = [row for row in sources if row["fact_id"] == fact]
    return sorted(own, key=lambda row: (row["occurred_at"] is None, dated(row), row["record_id"]))


def by_loop(
    group: list[str],
    sources: list[dict[str, Any]],
    heard: list[dict[str, Any]],
    trusts: dict[str, str],
) -> tuple[float, datetime]:
    bound = max(BOUNDS[trusts[fact]] for fact in group)
    stated = {fact: by_time(fact, sources) for fact in group}
    leader = min(group, key=lambda fact: (dated(stated[fact][0]), fact))
    start, first = dated(stated[leader][0]), stated[leader][0]["conversation_id"]
    confidence = max(
        row["confidence"]
        for own in stated.values()
        for row in own
        if own[0]["conversation_id"] == row["conversation_id"] == first
    )
    confidence = min(confidence, bound)
    supports: dict[str, datetime] = {}
    for fact, own in stated.items():
        said: dict[str, datetime] = {}
        for row in own:
            said.setdefault(row["conversation_id"], dated(row))
        alike = [
            row
            for row in sorted(heard, key=lambda row: dated(row, "started_at"))
            if row["text"] == SAYS[fact]
            and row["conversation_id"] not in said
            and dated(row, "started_at") > dated(own[0])
        ]
        for row in alike:
            said.setdefault(row["conversation_id"], dated(row, "started_at"))
        for conversation, time in said.items():
            supports[conversation] = min(time, supports.get(conversation, time))
    now = start
    for time in sorted(max(t, start) for name, t in supports.items() if name != first):
        days = (time - now).total_seconds() / 86_400 if now > UNDATED else 0.0
        confidence *= math.exp(-0.01 * days)
        confidence = min(confidence + 0.05 * (1 - confidence), bound)
        now = time
    return confidence, now


@pytest.mark.parametrize("seed", range(40))
def test_equals_a_plain_loop_over_conversations(seed):
    random = Random(seed)
    sources, heard = history(random)
    trusts = {fact: random.choice(list(BOUNDS)) for fact in SAYS}
    rows = [
        {
            "fact_id": fact,
            "content": SAYS[fact],
            "trust": trusts[fact],
            "first_seen": (own := by_time(fact, sources))[0]["occurred_at"],
            "base_confidence": max(
                row["confidence"]
                for row in own
                if row["conversation_id"] == own[0]["conversation_id"]
            ),
        }
        for fact in SAYS
    ]
    winner, *losers = random.sample(sorted(SAYS), random.randint(1, 3))
    decision = {
        "merge_id": "m", "namespace": "n", "decision": "auto_merge", "winner_id": winner,
        "loser_ids": losers, "similarity": 0.9, "reason": "words", "decided_at": day(9),
    }  # fmt: skip
    known, said = facts(*rows), fact_sources(*sources)
    seen = evidence(known, said, episodes(*heard), SIMILAR_FACTS.empty(), ToyEmbedder(), POLICY)
    merged = MERGES.frame([decision] if losers else [])
    updates = confidence_updates(known, seen, POLICY)
    grounds = MemoryInput(known, said, EPISODES.empty(), ENTITIES.empty(), seen, updates, merged)
    found = memory(grounds, list(SAYS), POLICY)
    for fact, confidence, last_event_at in found.select(
        "fact_id", "confidence", "last_event_at"
    ).iter_rows():
        group = [winner, *losers] if fact == winner else [fact]
        expected, time = by_loop(group, sources, heard, trusts)
        assert confidence == pytest.approx(expected, abs=1e-12)
        assert last_event_at == time
