"""Work to do, as what is missing: units without a row in `work` for their content and fingerprint.

A new file, a crash, a lost run, a changed rule and a backfill are all one anti-join.
"""

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

import polars as pl

from cairn.knowledge.schema.identity import digest_column
from cairn.knowledge.schema.tables import WORK

ATTEMPTS = 3
"""A unit that failed this often is a dead letter, and waits for a person."""

UNIT = ["namespace", "stage", "unit"]

OUTCOMES = ("done", "empty", "rejected", "failed")
"""What becomes of a unit: exactly one of these."""

OUTCOME_SCHEMA = pl.Schema(
    {
        "namespace": pl.String(),
        "stage": pl.String(),
        "unit": pl.String(),
        "outcome": pl.String(),
        "rows": pl.Int64(),
    }
)
"""Columns by which a stage says what became of its units."""


WHOLE_TABLES = "*"
"""The one unit of a stage over whole tables."""


class WorkRow(NamedTuple):
    """What is noted of the one unit of a stage over whole tables."""

    input_hash: str
    fingerprint: str
    outcome: str
    rows: int
    attempts: int = 1

    def settles(self, input_hash: str, fingerprint: str, *, marks: bool) -> bool:
        """As `pending_units`, of this unit; `marks` count, or what is stale for them is done."""
        own = self.fingerprint if marks else self.fingerprint.removesuffix(STALE)
        tried = self.outcome != "failed" or self.attempts >= ATTEMPTS
        return tried and (self.input_hash, own) == (input_hash, fingerprint)

    def after(self, before: "WorkRow | None") -> "WorkRow":
        """This row once more: attempts count on while content and fingerprint stay."""
        if before is None or before[:2] != self[:2]:
            return self
        return self._replace(attempts=before.attempts + 1)


def day_units(placed: pl.DataFrame, stage: str, fingerprint: str) -> pl.DataFrame:
    """One unit per day: its hash changes when a record comes, leaves, or is dated otherwise."""
    dated = pl.col("occurred_at").is_not_null().cast(pl.Int8)
    return (
        placed.sort("namespace", "day", "conversation_id", "record_key")
        .group_by("namespace", "day", maintain_order=True)
        .agg(pl.concat_str("conversation_id", "record_key", dated).str.join("\n").alias("content"))
        .select(
            "namespace",
            pl.lit(stage).alias("stage"),
            pl.col("day").alias("unit"),
            digest_column("content").alias("input_hash"),
            pl.lit(fingerprint).alias("fingerprint"),
            "day",
        )
    )


def conversation_units(conversations: pl.DataFrame, fingerprints: dict[str, str]) -> pl.DataFrame:
    """One unit per conversation and stage; `fingerprints` maps stages to theirs."""
    stages = pl.DataFrame(
        {"stage": list(fingerprints), "fingerprint": list(fingerprints.values())},
        schema={"stage": pl.String, "fingerprint": pl.String},
    )
    return conversations.select(
        "namespace",
        pl.col("conversation_id").alias("unit"),
        pl.col("content_hash").alias("input_hash"),
        "day",
    ).join(stages, how="cross")


STALE = "~"
"""Ends the fingerprint of what rests on answers to an earlier prompt, or of another model."""


def without_marks(work: pl.DataFrame) -> pl.DataFrame:
    """`work` in which what is stale for its answers alone counts as done."""
    return work.with_columns(pl.col("fingerprint").str.strip_suffix(STALE))


def done_otherwise(units: pl.DataFrame, work: pl.DataFrame) -> pl.DataFrame:
    """Units whose content was done by another fingerprint: what is stale, not what is new."""
    done = work.filter(pl.col("outcome") != "failed").select(*UNIT, "input_hash", was="fingerprint")
    same = units.join(done, on=[*UNIT, "input_hash"])
    return same.filter(pl.col("was") != pl.col("fingerprint")).drop("was")


def pending_units(units: pl.DataFrame, work: pl.DataFrame) -> pl.DataFrame:
    """Units that are not settled for what they are now."""
    done = work.filter((pl.col("outcome") != "failed") | (pl.col("attempts") >= ATTEMPTS))
    return units.join(done, on=[*UNIT, "input_hash", "fingerprint"], how="anti")


def removed_units(units: pl.DataFrame, work: pl.DataFrame, stages: Iterable[str]) -> pl.DataFrame:
    """Rows of `work` of these stages whose unit is no longer there: what it made must go."""
    return work.filter(pl.col("stage").is_in(list(stages))).join(units, on=UNIT, how="anti")


def mark_done(
    units: pl.DataFrame, outcomes: pl.DataFrame, work: pl.DataFrame, gone: pl.DataFrame
) -> pl.DataFrame:
    """`work` after `units` were worked on, in no particular order.

    `outcomes` has namespace, stage, unit, outcome and rows for those that gave or failed; all
    other units were empty. Attempts count on while content and fingerprint stay.
    """
    before = work.select(*UNIT, "input_hash", "fingerprint", pl.col("attempts").alias("before"))
    now = (
        units.join(outcomes.select(*UNIT, "outcome", "rows"), on=UNIT, how="left")
        .join(before, on=[*UNIT, "input_hash", "fingerprint"], how="left")
        .with_columns(
            pl.col("outcome").fill_null("empty"),
            pl.col("rows").fill_null(0),
            attempts=pl.col("before").fill_null(0) + 1,
        )
    )
    kept = work.join(units, on=UNIT, how="anti").join(gone, on=UNIT, how="anti")
    return pl.concat([kept, now.select(list(WORK.schema)).cast(WORK.schema)])


def content_digest(frame: pl.DataFrame) -> str:
    """Digest of the rows of a frame, whatever their order; stable within a version of polars."""
    rows = frame[sorted(frame.columns)].hash_rows(seed=0).sort()
    return hashlib.blake2b(rows.to_numpy().tobytes(), digest_size=8).hexdigest()
