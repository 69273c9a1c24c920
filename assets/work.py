"""The books: units of work with what became of each, files read, and what could not be done."""

from collections.abc import Iterator

import dagster as dg
import polars as pl

from cairn.assets.engine.plots import table
from cairn.assets.engine.progress import StageReport
from cairn.assets.engine.run_stage import multi_asset, result, specs
from cairn.knowledge.engine.work import OUTCOMES
from cairn.knowledge.schema.tables import (
    CANDIDATES,
    CLUSTERS,
    COMMAND_RUNS,
    DEAD_LETTERS,
    FAILURES,
    KNOWN_ONLY_CANDIDATES,
    LEARNING_CANDIDATES,
    LEARNINGS,
    MEMORY,
    OBSERVATIONS,
    PRACTICES,
    PROJECT_FACTS,
    PROPOSED_OPERATIONS,
    RAW_LOGS,
    RECORDS,
    SOURCE_FILES,
    THEME_FACTS,
    THEMES,
    WORK,
)
from cairn.resources.context import State

MADE = (
    CANDIDATES, KNOWN_ONLY_CANDIDATES, LEARNING_CANDIDATES, COMMAND_RUNS, FAILURES,
    OBSERVATIONS, THEMES, THEME_FACTS, CLUSTERS, LEARNINGS, PRACTICES, PROJECT_FACTS, MEMORY,
    PROPOSED_OPERATIONS,
)  # fmt: skip


@multi_asset(
    specs=[
        *specs([SOURCE_FILES], [RECORDS], "books", checked=False),
        *specs([DEAD_LETTERS], [RECORDS, RAW_LOGS], "books", checked=False),
        *specs([WORK], MADE, "books", checked=False),
    ],
    name="work",
)
def work_asset(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[None]]:
    """Shows the tables that all stages write to as they go; writes nothing itself."""
    work = state.warehouse.read(WORK, columns=["stage", "outcome"]).collect()
    counts = work.group_by("stage").agg(
        units=pl.len().cast(pl.Int64),
        **{name: (pl.col("outcome") == name).sum().cast(pl.Int64) for name in OUTCOMES},
    )
    totals = counts.drop("stage").sum().row(0, named=True)
    yield result(state, SOURCE_FILES, StageReport("work"))
    yield result(state, DEAD_LETTERS, StageReport("work"))
    yield result(
        state, WORK, StageReport("work", **totals), {"stages": table(counts.sort("stage"))}
    )
