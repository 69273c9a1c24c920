"""What the system reports of itself: numbers that were measured, and why one is missing."""

from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pytest

from cairn.knowledge.quality.measures import Measure, of_knowledge, of_use
from cairn.knowledge.schema.tables import (
    CONFIDENCE_UPDATES,
    CONTRADICTION_VERDICTS,
    EVIDENCE,
    FUNNEL,
    LEARNING_CANDIDATES,
    LEARNINGS,
    MERGES,
    MODEL_CALLS,
    RAW_LOGS,
    VALID_TIMES,
)

NOW = datetime(2026, 3, 20, tzinfo=UTC)
READ = (
    FUNNEL, CONFIDENCE_UPDATES, EVIDENCE, MERGES, VALID_TIMES, CONTRADICTION_VERDICTS,
    LEARNING_CANDIDATES, LEARNINGS, MODEL_CALLS, RAW_LOGS,
)  # fmt: skip
EMPTY = {table.name: table.empty() for table in READ}
USES = pl.Schema(
    {"at": pl.Datetime("us", "UTC"), "kind": pl.String, "results": pl.Int64, "near": pl.Int64,
     "redundant": pl.Int64}
)  # fmt: skip


def ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


def values(found: list[Measure]) -> dict[tuple[str, ...], float | None]:
    return {(one.name, *one.labels.values()): one.value for one in found}


def memory(**status: str) -> pl.DataFrame:
    rows = [(fact, "states", False, how) for fact, how in status.items()]
    rows.append(("structural", "used_tool", True, "active"))
    rows.append(("unproven", "identifies_issue", True, "active"))
    return pl.DataFrame(rows, schema=["fact_id", "predicate", "event", "status"], orient="row")


def evidence(fact: str, source: str, at: datetime, kind: str = "contradiction") -> dict[str, Any]:
    return {
        "evidence_id": f"v{fact}{source}{kind}", "namespace": "n", "fact_id": fact, "kind": kind,
        "source_id": source, "conversation_id": "c", "similarity": 1.0, "occurred_at": at,
    }  # fmt: skip


def update(fact: str, seq: int, cause: str, at: datetime) -> dict[str, Any]:
    return {"namespace": "n", "fact_id": fact, "seq": seq, "cause": cause, "evidence_id": "v",
            "occurred_at": at, "decayed": 0.5, "confidence": 0.6}  # fmt: skip


def verdict(left: str, right: str, refused: str | None = None) -> dict[str, Any]:
    return {"namespace": "n", "left_id": left, "right_id": right, "verdict": "contradiction",
            "reason": "", "rejected_by": refused, "similarity": 0.9, "extractor": "m",
            "decided_at": ago(3)}  # fmt: skip


def merge(winner: str, loser: str, decision: str, at: datetime) -> dict[str, Any]:
    return {"merge_id": winner + loser, "namespace": "n", "decision": decision,
            "winner_id": winner, "loser_ids": [loser], "similarity": 0.9, "reason": "",
            "decided_at": at}  # fmt: skip


def test_shares_of_statements_are_of_those_that_were_said_by_then() -> None:
    tables = EMPTY | {
        "evidence": EVIDENCE.frame(
            [evidence("a", "b", ago(3)), evidence("b", "a", ago(3)), evidence("c", "d", ago(2)),
             evidence("d", "e", ago(-5)), evidence("e", "x", ago(1), "restatement")]
        ),
        "confidence_updates": CONFIDENCE_UPDATES.frame(
            [update("e", 0, "first", ago(9)), update("e", 1, "support", ago(1)),
             update("f", 1, "support", ago(-1)), update("a", 1, "contradiction", ago(3))]
        ),
        "merges": MERGES.frame(
            [merge("e", "g", "auto_merge", ago(2)), merge("f", "h", "merge", ago(30)),
             merge("c", "d", "keep_both", ago(1)), merge("e", "f", "merge", ago(-2))]
        ),
        "contradiction_verdicts": CONTRADICTION_VERDICTS.frame(
            [verdict("c", "d"), verdict("a", "b", refused="canary")]
        ),
    }  # fmt: skip
    # Merged away and retracted ones are none in force; structural ones are no statements.
    said = memory(a="active", b="active", c="active", d="active", e="active", f="deprecated",
                  g="merged_into", h="retracted")  # fmt: skip
    found = values(of_knowledge(tables, said, NOW))
    assert found["statements_decayed_share",] == pytest.approx(1 / 6)
    assert found["statements_reinforced_share",] == pytest.approx(1 / 6)
    assert found["statements_struck_out_share",] == pytest.approx(3 / 8), "a, b and c"
    assert found["contradictions", "rule"] == 1
    assert found["contradictions", "model"] == 1
    assert found["merges", "auto_merge"] == found["merges", "keep_both"] == 1
    assert found["merges", "merge"] == 1, "one is of later"
    assert found["merges_per_night",] == pytest.approx(1 / 7)


def test_what_was_not_measured_has_no_number_and_says_why() -> None:
    found = [*of_knowledge(EMPTY, memory(), NOW), *of_use(pl.DataFrame(schema=USES),
             MODEL_CALLS.empty(), NOW)]  # fmt: skip
    missing = {one.name for one in found if one.value is None}
    assert {"statements_decayed_share", "learnings_yield", "answers_empty_share",
            "results_redundant_share"} <= missing  # fmt: skip
    assert all((one.value is None) == bool(one.why) for one in found)
    assert all(one.met is None for one in found if one.value is None)


def test_use_and_cost_are_of_the_last_week() -> None:
    uses = pl.DataFrame(
        [(ago(1), "search", 5, 8, 2), (ago(2), "search", 0, 0, 0),
         (ago(3), "context", 3, None, None), (ago(8), "search", 5, 5, 5)],
        schema=USES, orient="row",
    )  # fmt: skip
    calls = MODEL_CALLS.frame(
        {"namespace": "n", "call_id": number, "day": "2026-03-19", "called_at": ago(days),
         "asset": asset, "prompt": "names", "fingerprint": "x", "model": "m",
         "outcome": "done", "reason": None, "tokens_in": 10, "tokens_out": 1, "tokens_cached": 0,
         "cost": cost, "seconds": 1.0}
        for number, (days, cost, asset) in enumerate(
            [(1, 0.25, "candidates"), (2, 0.5, "learnings"), (9, 4.0, "candidates"),
             (1, 0.01, "embeddings")]
        )
    )  # fmt: skip
    told = of_use(uses, calls, NOW)
    found = values(told)
    assert (found["answers_week", "search"], found["answers_week", "context"]) == (2, 1)
    assert found["answers_empty_share",] == pytest.approx(1 / 3)
    assert found["results_redundant_share",] == 0.25
    assert (found["cost_week_dollars",], found["embeddings_week_dollars",]) == (0.75, 0.01)
    assert {one.name: one.met for one in told if one.goal} == {
        "cost_week_dollars": False, "embeddings_week_dollars": True,
    }  # fmt: skip
    unpriced = calls.with_columns(cost=pl.lit(None, pl.Float64))
    (cost,) = (one for one in of_use(uses, unpriced, NOW) if one.name == "cost_week_dollars")
    assert (cost.value, cost.met) == (None, None)
