"""How a fact stands at a moment, as readers see it: stored nowhere, since it changes by itself."""

from datetime import datetime

import polars as pl

from cairn.knowledge.consolidation.decay import effective_confidence
from cairn.knowledge.schema.policy import Policy

STANDING = ("active", "pending_embed")
"""Stored statuses of facts that nothing took away."""

IN_FORCE = (*STANDING, "deprecated")
"""Of these, a reader sees those that faded below the bar as deprecated."""

QUARANTINED = "quarantined"
"""Stored status of what only `cairn show` and `cairn review` tell."""

ENDED, NOT_YET = "ended", "not_yet"
"""Statuses that a reader gives: true no more, and not true yet."""


def status_at(as_of: datetime, moment: datetime, policy: Policy) -> pl.Expr:
    """Status of a fact by what is known at `as_of` of what is true at `moment`.

    What is over is ended, what is only to come not_yet; what has faded below the bar is deprecated.
    Wants status, valid_from, valid_to, and the columns of `effective_confidence`.
    """
    stands = pl.col("status").is_in(STANDING)
    faded = effective_confidence(as_of, policy) < policy.deprecated_below
    return (
        pl.when(stands & (pl.col("valid_to") <= moment))
        .then(pl.lit(ENDED))
        .when(stands & (pl.col("valid_from") > moment))
        .then(pl.lit(NOT_YET))
        .when(faded & (pl.col("status") == "active"))
        .then(pl.lit("deprecated"))
        .otherwise("status")
    )
