"""Work done conversation by conversation: only those that are new, grown, or whose rule changed."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import polars as pl

from assets.progress import Report
from knowledge.extractors import Extractor
from knowledge.tables import CONVERSATIONS, RAW_LOGS, WORK, Table
from knowledge.work import OUTCOME_SCHEMA, conversation_units, owed, settled, vanished
from resources.state import State


class Made(NamedTuple):
    """Rows for a table, and what became of the units that gave rows or failed.

    `outcomes` has namespace, stage, unit (a conversation), outcome and rows.
    """

    rows: pl.DataFrame
    outcomes: pl.DataFrame


BATCH_TOKENS = 10_000_000

Make = Callable[[pl.DataFrame, Sequence[str]], Made]
"""From raw logs of whole conversations, and the names of the extractors to run on them."""


def pending(state: State, extractors: Sequence[Extractor]) -> pl.DataFrame:
    """Units (namespace, stage, unit, unit_hash, fingerprint, day) that are owed, of all days."""
    work = state.warehouse.read(WORK).collect()
    return owed(_units(state, extractors, None), work)


def pending_days(state: State, table: Table, extractors: Sequence[Extractor]) -> list[str]:
    """Days with a unit that is owed, or with rows of a conversation that is gone or elsewhere."""
    place = ["namespace", "conversation_id", "day"]
    conversations = state.warehouse.read(CONVERSATIONS, columns=place)
    stray = (
        state.warehouse.read(table, columns=place)
        .unique()
        .join(conversations, on=place, how="anti")
        .collect()
    )
    return sorted({*pending(state, extractors)["day"], *stray["day"]})


def run(
    state: State, table: Table, extractors: Sequence[Extractor], days: Sequence[str], make: Make
) -> Report:
    """Makes what is owed in `days`, and keeps the other rows of `table` as they are.

    Rows of `table` have `conversation_id` and `extractor`, whose name is that of the unit's stage.
    """
    report = Report(table.name)
    for batch in _batches(state, days):
        report += _run_batch(state, table, extractors, batch, make)
    return replace(report, rows=state.warehouse.read(table).select(pl.len()).collect().item())


def _batches(state: State, days: Sequence[str]) -> list[list[str]]:
    """Days together, up to BATCH_TOKENS of text: what bounds the memory of a long range."""
    columns = ["day", "tokens"]
    conversations = state.warehouse.read(CONVERSATIONS, days=days, columns=columns).collect()
    tokens = conversations.group_by("day").agg(pl.col("tokens").sum())
    every = pl.DataFrame({"day": sorted(days)}, schema={"day": pl.String})
    return (
        every.join(tokens, on="day", how="left")
        .sort("day")
        .with_columns(batch=pl.col("tokens").fill_null(0).cum_sum() // BATCH_TOKENS)
        .group_by("batch", maintain_order=True)
        .agg("day")["day"]
        .to_list()
    )


def _run_batch(
    state: State, table: Table, extractors: Sequence[Extractor], days: Sequence[str], make: Make
) -> Report:
    warehouse = state.warehouse
    work = warehouse.read(WORK).collect()
    units = _units(state, extractors, days)
    to_do = owed(units, work)
    gone = vanished(units, work, [extractor.name for extractor in extractors]).filter(
        pl.col("day").is_in(list(days))
    )
    report = Report(table.name, units=units.height)
    made: list[Made] = []
    for stages, conversations in _alike(to_do):
        logs = (
            warehouse.read(RAW_LOGS, days=sorted(set(conversations["day"])))
            .join(conversations.lazy(), on=["namespace", "conversation_id"], how="semi")
            .collect()
            .sort("namespace", "conversation_id", "seq")
        )
        made.append(make(logs, stages))
    old = warehouse.read(table, days=days).collect()
    kept = _kept(old, units, to_do)
    written = warehouse.write(table, pl.concat([kept, *(m.rows for m in made)]), days=days)
    outcomes = [pl.DataFrame(schema=OUTCOME_SCHEMA), *(m.outcomes for m in made)]
    after = settled(to_do, pl.concat(outcomes), work, gone)
    if to_do.height or gone.height:
        warehouse.write(WORK, after)
    now = units.join(after, on=["namespace", "stage", "unit"]).group_by("outcome").len()
    counts: dict[str, int] = dict(now.iter_rows())
    return report + Report(
        table.name,
        done=counts.get("done", 0),
        empty=counts.get("empty", 0),
        rejected=counts.get("rejected", 0),
        failed=counts.get("failed", 0),
        rows=written.rows,
        written=int(written.changed),
    )


def _units(
    state: State, extractors: Sequence[Extractor], days: Sequence[str] | None
) -> pl.DataFrame:
    fingerprints = {e.name: e.fingerprint(state.policy) for e in extractors}
    columns = ["namespace", "conversation_id", "content_hash", "day"]
    conversations = state.warehouse.read(CONVERSATIONS, days=days, columns=columns).collect()
    return conversation_units(conversations, fingerprints)


def _alike(to_do: pl.DataFrame) -> list[tuple[list[str], pl.DataFrame]]:
    """Conversations grouped by the extractors that they owe, so that each group is one call."""
    groups = (
        to_do.group_by("namespace", pl.col("unit").alias("conversation_id"), "day")
        .agg(pl.col("stage").sort())
        .with_columns(stages=pl.col("stage").list.join("\n"))
    )
    return [
        (str(stages).split("\n"), group.select("namespace", "conversation_id", "day"))
        for (stages,), group in sorted(groups.group_by("stages"))
    ]


def _kept(old: pl.DataFrame, units: pl.DataFrame, to_do: pl.DataFrame) -> pl.DataFrame:
    """Rows whose unit is still there, on that day, and not to be done anew."""
    current = units.join(to_do, on=["namespace", "stage", "unit"], how="anti").select(
        "namespace", pl.col("unit").alias("conversation_id"), "stage", "day"
    )
    return (
        old.with_columns(stage=pl.col("extractor").str.extract(r"^([^@]+)"))
        .join(current, on=["namespace", "conversation_id", "stage", "day"], how="semi")
        .drop("stage")
    )
