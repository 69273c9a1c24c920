"""The books: what became of all units of work."""

from typing import Any

import polars as pl

from cairn.assets.engine.plots import table
from cairn.knowledge.engine.work import OUTCOMES
from cairn.knowledge.schema.tables import WORK
from cairn.resources.context import State


def work_shown(state: State) -> dict[str, Any]:
    """Units and their outcomes by stage, and in all."""
    work = state.warehouse.read(WORK, columns=["stage", "outcome"]).collect()
    counts = work.group_by("stage").agg(
        units=pl.len().cast(pl.Int64),
        **{name: (pl.col("outcome") == name).sum().cast(pl.Int64) for name in OUTCOMES},
    )
    totals = counts.drop("stage").sum().row(0, named=True)
    return {**totals, "stages": table(counts.sort("stage"))}
