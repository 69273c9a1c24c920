"""Raw logs, conversations and episodes of some days, from their records."""

from collections.abc import Iterator, Sequence
from typing import Any

import dagster as dg
import polars as pl

from assets.progress import Report, timed
from assets.stage import DAYS, result, specs
from knowledge.adapters import adapters
from knowledge.conversations import conversations, episodes
from knowledge.extractors import Extractor
from knowledge.identity import digest
from knowledge.policy import Policy
from knowledge.raw_logs import HEAD_COLUMNS, placed, raw_logs
from knowledge.tables import CONVERSATIONS, DEAD_LETTERS, EPISODES, RAW_LOGS, RECORDS, WORK
from knowledge.work import day_units, owed, settled, vanished
from resources.lock import write_lock
from resources.state import State

STAGE = Extractor(
    "raw_logs",
    "stage",
    1,
    "Events, conversations and episodes, as adapters decide.",
    ("channel_silence_hours", "episode_text_characters"),
)

BATCH_BYTES = 48 * 1024 * 1024
"""Payload read at once: what bounds the memory of a long range of days."""


def fingerprint(policy: Policy) -> str:
    """Changes with the stage, its policy, and any adapter."""
    versions = (f"{adapter.name}@{adapter.version}" for adapter in adapters().values())
    return digest(STAGE.fingerprint(policy), *sorted(versions))


def places(state: State) -> pl.DataFrame:
    """Where every record belongs: its conversation and day."""
    heads = state.warehouse.read(RECORDS, columns=list(HEAD_COLUMNS)).collect()
    return placed(heads, state.policy)


def pending_days(state: State, where: pl.DataFrame | None = None) -> list[str]:
    """Days whose records or adapters changed since their raw logs were made."""
    where = places(state) if where is None else where
    work = state.warehouse.read(WORK).collect()
    units = day_units(where, STAGE.name, fingerprint(state.policy))
    gone = vanished(units, work, [STAGE.name])
    return sorted({*owed(units, work)["day"], *gone["unit"]})


def run_raw_logs(state: State, days: Sequence[str]) -> Report:
    """Makes the raw logs, conversations and episodes of `days` anew."""
    with write_lock(state.home, STAGE.name), timed(STAGE.name) as finished:
        where = places(state).filter(pl.col("day").is_in(days))
        units = day_units(where, STAGE.name, fingerprint(state.policy))
        report = Report(STAGE.name)
        for batch in _batches(where, days):
            report += _run_batch(state, where.filter(pl.col("day").is_in(batch)), batch)
        work = state.warehouse.read(WORK).collect()
        gone = vanished(units, work, [STAGE.name]).filter(pl.col("unit").is_in(days))
        outcomes = units.select(
            "namespace", "stage", "unit", outcome=pl.lit("done"), rows=pl.lit(1)
        )
        state.warehouse.write(WORK, settled(units, outcomes, work, gone))
        return finished(report)


def _batches(where: pl.DataFrame, days: Sequence[str]) -> Iterator[list[str]]:
    """Days together, up to BATCH_BYTES of payload."""
    sizes = dict(where.group_by("day").agg(pl.col("size").sum()).iter_rows())
    batch: list[str] = []
    held = 0
    for day in sorted(days):
        if batch and held + sizes.get(day, 0) > BATCH_BYTES:
            yield batch
            batch, held = [], 0
        batch.append(day)
        held += sizes.get(day, 0)
    if batch:
        yield batch


def _between(times: pl.Series) -> pl.Expr:
    """Within these times, so that files of records from other times are not opened."""
    near = pl.col("occurred_at").is_between(times.min(), times.max())
    return near | pl.col("occurred_at").is_null() if times.null_count() else near


def _run_batch(state: State, where: pl.DataFrame, days: list[str]) -> Report:
    keys = ["namespace", "record_key"]
    records = (
        state.warehouse.read(RECORDS)
        .filter(_between(where["occurred_at"]))
        .join(where.lazy().select(*keys, "conversation_id", "day"), on=keys)
        .collect()
    )
    read = raw_logs(records)
    written = [
        state.warehouse.write(RAW_LOGS, read.raw_logs, days=days),
        state.warehouse.write(CONVERSATIONS, conversations(read.raw_logs), days=days),
        state.warehouse.write(EPISODES, episodes(read.raw_logs, state.policy), days=days),
    ]
    old = state.warehouse.read(DEAD_LETTERS).collect()
    mine = (pl.col("stage") == STAGE.name) & pl.col("unit").is_in(records["record_key"].implode())
    state.warehouse.write(DEAD_LETTERS, pl.concat([old.filter(~mine), read.dead_letters]))
    failed = read.dead_letters.height
    return Report(
        STAGE.name,
        units=records.height,
        done=records.height - read.silent - failed,
        empty=read.silent,
        failed=failed,
        rows=read.raw_logs.height,
        written=sum(w.changed for w in written),
    )


@dg.multi_asset(
    specs=specs([RAW_LOGS, CONVERSATIONS, EPISODES], [RECORDS], "logs"),
    partitions_def=DAYS,
    backfill_policy=dg.BackfillPolicy.single_run(),
    name="raw_logs",
)
def raw_logs_asset(
    context: dg.AssetExecutionContext, state: dg.ResourceParam[State]
) -> Iterator[dg.MaterializeResult[Any]]:
    """Events of the days in question."""
    report = run_raw_logs(state, list(context.partition_keys))
    for table in (RAW_LOGS, CONVERSATIONS, EPISODES):
        yield result(state, table, report)
