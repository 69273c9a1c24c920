"""Decay: confidence as a reader sees it, when time has passed since its last event."""

from datetime import datetime

import polars as pl

from cairn.knowledge.schema.calendar import days_between, days_since_epoch, is_dated
from cairn.knowledge.schema.policy import Policy

FOR_EVER = 1e6
"""Strength of what does not fade."""


def effective_confidence(as_of: datetime, policy: Policy) -> pl.Expr:
    """Confidence as a reader sees it at `as_of`: faded since its last event, never grown.

    What is undated does not fade: it is not known to be old.
    Wants confidence, last_event_at and decay_per_day, which tables of an older version lack.
    """
    waited = days_between(pl.col("last_event_at"), pl.lit(as_of))
    rate = pl.col("decay_per_day").fill_null(policy.decay_per_day)
    return pl.col("confidence") * (-rate * pl.max_horizontal(waited, pl.lit(0.0))).exp()


def strength() -> pl.Expr:
    """`ln(confidence) + rate · days(last_event_at)`; without end for what does not fade.

    Effective confidence of what fades by a rate is, at t, at least m exactly where its strength is
    at least `ln(m) + rate · days(t)`: a filter that an index can apply, one field for each rate.
    A confidence of 0 counts as 1e-12. Wants the columns of `effective_confidence`.
    """
    rate = pl.col("decay_per_day")
    faded = pl.max_horizontal(pl.col("confidence"), pl.lit(1e-12)).log() + (
        rate * days_since_epoch(pl.col("last_event_at"))
    )
    return pl.when(rate > 0, is_dated(pl.col("last_event_at"))).then(faded).otherwise(FOR_EVER)
