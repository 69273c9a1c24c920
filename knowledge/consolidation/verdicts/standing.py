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


def seen_at(
    memory: pl.LazyFrame,
    stretches: pl.LazyFrame,
    entities: pl.LazyFrame,
    as_of: datetime,
    moment: datetime,
    policy: Policy,
) -> pl.LazyFrame:
    """Facts as they stand, by what is known at `as_of` of what is true at `moment`.

    Args:
        memory: Rows of MEMORY.
        stretches: Of VALID_TIMES, as `known_stretches` gives them.
        entities: Of MEMORY_ENTITIES.
        as_of: Up to when confidence fades.
        moment: When it is true.
        policy: Bars and rates.

    Returns:
        The columns of MEMORY with valid_from and valid_to of the stretch about the moment, entity
        (its display name), entity_type, `effective` confidence and status.
    """
    names = entities.select("entity_id", entity="display_name", entity_type="type")
    return (
        memory.join(_stretch_about(stretches, moment), on="fact_id", how="left", suffix="_told")
        .with_columns(
            valid_from=pl.when("told").then("valid_from_told").otherwise("valid_from"),
            valid_to="valid_to_told",
        )
        .drop("told", "valid_from_told", "valid_to_told")
        .join(names, on="entity_id", how="left")
        .with_columns(
            effective=effective_confidence(as_of, policy), status=status_at(as_of, moment, policy)
        )
    )


def known_stretches(valid_times: pl.LazyFrame, latest: datetime) -> pl.LazyFrame:
    """Rows of VALID_TIMES that were known at a time; an end that was not, is none."""
    untold = pl.col("end_known_from") > latest
    return valid_times.filter((pl.col("known_from") <= latest).fill_null(value=True)).with_columns(
        pl.when(~untold.fill_null(value=False)).then(column).alias(column)
        for column in ("valid_to", "end_known_from", "ended_by")
    )


def _stretch_about(stretches: pl.LazyFrame, moment: datetime) -> pl.LazyFrame:
    """For each fact with stretches of its own the one about a moment, else the last before it.

    Returns:
        fact_id, valid_from, valid_to, told; before all of them it is the first.
    """
    begun = (pl.col("valid_from") <= moment).fill_null(value=True)
    return (
        stretches.sort("fact_id", begun, pl.when(begun).then("seq").otherwise(-pl.col("seq")))
        .group_by("fact_id", maintain_order=True)
        .agg(pl.col("valid_from", "valid_to").last(), told=pl.lit(value=True))
    )


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
