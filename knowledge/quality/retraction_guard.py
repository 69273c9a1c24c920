"""What a publication would strike out of what readers have: contradicted, ended or merged away.

A rule that goes wrong, a flood of denials in one log, or a model that finds contradictions
everywhere would take knowledge away overnight. So a share above the bound is not published until a
person has looked.
"""

from collections.abc import Mapping
from typing import NamedTuple

import polars as pl

from cairn.knowledge.schema.fact_types import NAME_PREDICATES
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import EVIDENCE, MEMORY, MERGES, VALID_TIMES, Table

READS: tuple[Table, ...] = (MEMORY, EVIDENCE, VALID_TIMES, MERGES)
"""Tables that say what is struck out."""

CAUSES = ("contradicted", "ended", "merged away")
"""How a fact is struck out; of several the first counts."""


class Retractions(NamedTuple):
    """Published statements that are struck out, and were not."""

    facts: pl.DataFrame
    """fact_id, cause; sorted by fact."""
    published: int
    """Statements that readers have now; names and structural facts aside."""

    @property
    def share(self) -> float:
        """Share of the published statements; 0 of none."""
        return self.facts.height / self.published if self.published else 0.0


def retractions(
    published: Mapping[str, pl.LazyFrame], now: Mapping[str, pl.LazyFrame]
) -> Retractions:
    """What `now` strikes out of what was published.

    Contradicted are facts that another clearly denies; ended, those whose value gave way to another
    (not those that told of their end themselves); merged away, losers of a contradiction. Both are
    tables of READS by name, of one namespace.
    """
    known = published["memory"].filter(~pl.col("predicate").is_in(NAME_PREDICATES))
    ids = known.select("fact_id").collect()
    fresh = (
        struck(now)
        .join(struck(published), on="fact_id", how="anti")
        .join(ids, on="fact_id", how="semi")
    )
    return Retractions(fresh.sort("fact_id"), ids.height)


def too_many(struck: Retractions, policy: Policy) -> str | None:
    """Why a namespace is not published, in words; None if it may be."""
    count = struck.facts.height
    if count <= max(policy.max_retraction_count, policy.max_retraction_ratio * struck.published):
        return None
    counts = dict(struck.facts.group_by("cause").len().iter_rows())
    parts = ", ".join(f"{counts[cause]:,} {cause}" for cause in CAUSES if cause in counts)
    return (
        f"memory: {count:,} of {struck.published:,} published statements ({struck.share:.1%}) would"
        f" be retracted ({parts}), more than policy.max_retraction_ratio ="
        f" {policy.max_retraction_ratio:g} allows: `cairn review` lists them; to let them"
        " through once, `CAIRN_POLICY__MAX_RETRACTION_RATIO=1 cairn run`"
    )


def struck(tables: Mapping[str, pl.LazyFrame]) -> pl.DataFrame:
    """fact_id, cause: one row per fact that is struck out."""
    replaced = (
        tables["valid_times"]
        .sort("fact_id", "seq")
        .unique("fact_id", keep="last", maintain_order=True)
        .filter(pl.col("ended_by").is_not_null())
    )
    lost = tables["merges"].filter(pl.col("decision") == "contradiction").explode("loser_ids")
    denied = tables["evidence"].filter(pl.col("kind") == "contradiction")
    ids = (denied.select("fact_id"), replaced.select("fact_id"), lost.select(fact_id="loser_ids"))
    return (
        pl.concat(
            frame.with_columns(cause=pl.lit(cause))
            for frame, cause in zip(ids, CAUSES, strict=True)
        )
        .unique("fact_id", keep="first", maintain_order=True)
        .collect()
    )
