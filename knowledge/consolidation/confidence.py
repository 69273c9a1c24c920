"""Confidence: a fact's own history of evidence, as a product of affine maps.

Each event first lets the confidence fade since the event before, `c · exp(-rate · days)`, but not
since an undated one; then it moves it: support `c + g (1 - c)`, contradiction `c · f`, feedback
`c + s (1 - c)` for s > 0 and `c (1 + s)` for s < 0. What only an agent or a text from outside said
stays below a bound (see knowledge/dialogue/trust.py), until a person confirms it. Every step is
`c → min(a·c + b, m)`, so a history is a product of such maps, and the confidence depends on the
events alone: not on the order of rows, nor on how many nights passed.
"""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cairn.knowledge.dialogue.trust import at_most
from cairn.knowledge.schema.calendar import days_between, undated
from cairn.knowledge.schema.fact_types import decay_rate
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import CONFIDENCE_UPDATES

CAUSES = {
    "first": "first",
    "restatement": "support",
    "episode": "support",
    "contradiction": "contradiction",
    "feedback": "feedback",
}
"""Kind of evidence → cause of a change."""


_RANK = {"first": 0, "support": 1, "contradiction": 2, "feedback": 3}

HISTORY = pl.Schema(
    {
        "namespace": pl.String(),
        "fact_id": pl.String(),
        "seq": pl.Int64(),
        "cause": pl.String(),
        "evidence_id": pl.String(),
        "occurred_at": pl.Datetime("us", "UTC"),
        "decayed": pl.Float64(),
        "confidence": pl.Float64(),
    }
)


def confidence_updates(facts: pl.DataFrame, evidence: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """Every change of every fact's confidence: CONFIDENCE_UPDATES, its first source included."""
    first = facts.select(
        "namespace",
        "fact_id",
        occurred_at="first_seen",
        confidence="base_confidence",
        decay_per_day=decay_rate(policy),
        at_most=at_most(policy),
    )
    return CONFIDENCE_UPDATES.frame(history(first, evidence, policy))


def undecayed(facts: pl.DataFrame, evidence: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """Confidence of each fact as if no time passed: what decides merges and contradictions.

    Returns:
        namespace, fact_id, confidence, and claimed: what it would be if whoever says so were
        believed. No decision that rests on them lapses by waiting.
    """
    key = ["namespace", "fact_id"]
    first = facts.select(
        *key, occurred_at="first_seen", confidence="base_confidence", decay_per_day=pl.lit(0.0)
    )
    claimed = last_of(history(first, evidence, policy)).select(*key, claimed="confidence")
    bounded = first.with_columns(facts.select(at_most=at_most(policy)).to_series())
    believed = last_of(history(bounded, evidence, policy)).select(*key, "confidence")
    return believed.join(claimed, on=key)


def history(first: pl.DataFrame, evidence: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """Confidence after each event of each fact.

    Events stand in the order (time, support < contradiction < feedback, evidence id), after the
    first source; what claims to be older than that counts as its contemporary. Undated events
    come first, and since them nothing fades.

    Args:
        first: namespace, fact_id, occurred_at, confidence, decay_per_day, at_most: one row per
            fact; without the last two, all fade as the policy says and none is bounded.
        evidence: EVIDENCE rows; those of other facts are left out.
        policy: Gain, factor.

    Returns:
        Rows of `HISTORY`, sorted by namespace, fact_id, seq.
    """
    if first.is_empty():
        return pl.DataFrame(schema=HISTORY)
    if "decay_per_day" not in first.columns:
        first = first.with_columns(decay_per_day=pl.lit(policy.decay_per_day))
    if "at_most" not in first.columns:
        first = first.with_columns(at_most=pl.lit(1.0))
    fades = ("namespace", "fact_id", "decay_per_day", "at_most")
    start = first.select(*fades, started_at=pl.col("occurred_at").fill_null(undated()))
    later = evidence.join(start, on=["namespace", "fact_id"]).select(
        *fades,
        "evidence_id",
        "weight",
        cause=pl.col("kind").replace_strict(CAUSES, return_dtype=pl.String),
        occurred_at=pl.max_horizontal(pl.col("occurred_at").fill_null(undated()), "started_at"),
        base=pl.lit(None, pl.Float64),
    )
    events = (
        pl.concat(
            [
                first.select(
                    *fades,
                    evidence_id=pl.lit(None, pl.String),
                    weight=pl.lit(None, pl.Float64),
                    cause=pl.lit("first"),
                    occurred_at=pl.col("occurred_at").fill_null(undated()),
                    base="confidence",
                ),
                later,
            ]
        )
        .with_columns(rank=pl.col("cause").replace_strict(_RANK, return_dtype=pl.Int8))
        # The first source leads whatever its time; the rest go by time, then kind, then id.
        .sort(
            "namespace", "fact_id", pl.col("cause") != "first", "occurred_at", "rank", "evidence_id"
        )
        .with_columns(
            seq=pl.int_range(pl.len(), dtype=pl.Int64).over("namespace", "fact_id"),
            before=pl.col("occurred_at").shift().over("namespace", "fact_id"),
        )
        .with_columns(days=days_between(pl.col("before"), pl.col("occurred_at")))
        .with_columns(keep=(-pl.col("decay_per_day") * pl.col("days")).exp())
    )
    weight = pl.col("weight").fill_null(0.0)
    maps = events.select(
        "seq",
        "keep",
        a=pl.when(cause="first").then(0.0)
        .when(cause="support").then(1.0 - policy.support_gain)
        .when(cause="contradiction").then(policy.contradiction_factor)
        .otherwise(1.0 - weight.abs())
        * pl.col("keep"),
        b=pl.when(cause="first").then(pl.col("base"))
        .when(cause="support").then(policy.support_gain)
        .when(cause="contradiction").then(0.0)
        .otherwise(pl.max_horizontal(weight, pl.lit(0.0))),
        # A person who says that it is so is believed, and so is it from then on.
        m=pl.when((weight > 0).cum_max().over("namespace", "fact_id"))
        .then(1.0)
        .otherwise("at_most"),
    )  # fmt: skip
    after = _composed(*(maps.get_column(name).to_numpy() for name in ("a", "b", "m", "seq")))
    return events.with_columns(confidence=pl.Series(np.clip(after, 0.0, 1.0))).select(
        "namespace",
        "fact_id",
        "seq",
        "cause",
        "evidence_id",
        "occurred_at",
        decayed=pl.when(cause="first")
        .then(pl.col("confidence"))
        .otherwise(pl.col("confidence").shift(1) * pl.col("keep")),
        confidence="confidence",
    )


def _composed(
    a: NDArray[np.float64], b: NDArray[np.float64], m: NDArray[np.float64], place: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Value after each event: the products of all maps `c → min(a·c + b, m)` of a fact up to it.

    A segmented scan by doubling (Hillis and Steele, "Data parallel algorithms", 1986): after k
    rounds each row holds the product of its own map and the 2^k - 1 before it, within its fact.
    No division, so nothing overflows; and which products are formed depends only on a row's place
    among its fact's events, so the floats do not depend on the rest of the table.

    Args:
        a: Slopes, shape (events,), facts one after the other; 0 for each fact's first event.
        b: Offsets, shape (events,).
        m: Bounds, shape (events,).
        place: Place of the event among its fact's, from 0.
    """
    a, b, m = a.copy(), b.copy(), m.copy()
    step = 1
    while step <= int(place.max(initial=0)):
        rows = np.flatnonzero(place >= step)
        before = rows - step
        # Right-hand sides are gathered before any is written; slopes are never negative.
        m[rows] = np.minimum(a[rows] * m[before] + b[rows], m[rows])
        b[rows] = a[rows] * b[before] + b[rows]
        a[rows] = a[rows] * a[before]
        step *= 2
    return np.minimum(b, m)


def last_of(updates: pl.DataFrame) -> pl.DataFrame:
    """The last event of each fact in a history."""
    return updates.sort("namespace", "fact_id", "seq").unique(
        ["namespace", "fact_id"], keep="last", maintain_order=True
    )
