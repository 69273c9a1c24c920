"""Decay: confidence as a reader sees it, when time has passed since its last event."""

from datetime import datetime

import polars as pl

from cairn.knowledge.schema.calendar import days_since_epoch
from cairn.knowledge.schema.fact_types import fades
from cairn.knowledge.schema.policy import Policy

FOR_EVER = 1e6
"""Days since 1970 after which nobody asks."""


def effective_confidence(as_of: datetime, policy: Policy) -> pl.Expr:
    """Confidence as a reader sees it at `as_of`: faded since its last event, never grown.

    Wants confidence, last_event_at, predicate and extractor.
    """
    waited = days_since_epoch(pl.lit(as_of)) - days_since_epoch(pl.col("last_event_at"))
    faded = (-policy.decay_per_day * pl.max_horizontal(waited, pl.lit(0.0))).exp()
    return pl.col("confidence") * pl.when(fades()).then(faded).otherwise(1.0)


def strength(policy: Policy) -> pl.Expr:
    """`ln(confidence) + rate · days(last_event_at)`; without end for what does not fade.

    Effective confidence of what fades is, at t, at least m exactly where strength is at least
    `ln(m) + rate · days(t)`: a filter that an index can apply. What does not fade passes it always.
    A confidence of 0 counts as 1e-12. Wants the columns of `effective_confidence`.
    """
    days = pl.when(fades()).then(days_since_epoch(pl.col("last_event_at"))).otherwise(FOR_EVER)
    return (
        pl.max_horizontal(pl.col("confidence"), pl.lit(1e-12)).log() + policy.decay_per_day * days
    )
