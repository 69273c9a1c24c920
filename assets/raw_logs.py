"""Raw logs, conversations and episodes of some days, from their records."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import polars as pl

from cairn.assets.engine.prefetch import ahead
from cairn.assets.engine.progress import StageReport, timed
from cairn.assets.pending.raw_logs import STAGE, fingerprint, places
from cairn.knowledge.assembly.run import STEPS
from cairn.knowledge.engine.work import day_units, mark_done, removed_units
from cairn.knowledge.ingest.adapters import adapters
from cairn.knowledge.ingest.events import PLACE, ReadEvents, raw_logs
from cairn.knowledge.ingest.sessions import conversations, episodes
from cairn.knowledge.schema.tables import (
    CONVERSATIONS,
    DEAD_LETTERS,
    EPISODES,
    RAW_LOGS,
    RECORDS,
    WORK,
)
from cairn.resources.context import State

STEP = STEPS[STAGE.name]

BATCH_BYTES = 32 * 1024 * 1024
"""Payload worked on at once: what bounds the memory of a long range of days."""


def run_raw_logs(state: State, days: Sequence[str]) -> StageReport:
    """Makes the raw logs, conversations and episodes of `days` anew."""
    with state.writing(STAGE.name), timed(STAGE.name, state.namespace) as finished:
        where = places(state).filter(pl.col("day").is_in(days))
        units = day_units(where, STAGE.name, fingerprint(state.policy))
        report = StageReport(STAGE.name)
        # The next records are read, and the last ones written, while some are worked on.
        batches = ahead(partial(_read_batch, state, where), _batches(where, days))
        for stored in ahead(partial(_store, state), map(_make, batches)):
            report += replace(stored, rows=report.rows + stored.rows)
        work = state.warehouse.read(WORK).collect()
        gone = removed_units(units, work, [STAGE.name]).filter(pl.col("unit").is_in(days))
        outcomes = units.select(
            "namespace", "stage", "unit", outcome=pl.lit("done"), rows=pl.lit(1)
        )
        state.warehouse.write(WORK, mark_done(units, outcomes, work, gone))
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


class _Batch(NamedTuple):
    """Days that are made together: keys of all their records, and those that may say something."""

    days: list[str]
    record_keys: pl.Series
    records: pl.DataFrame


class _Made(NamedTuple):
    batch: _Batch
    read: ReadEvents


def _read_batch(state: State, where: pl.DataFrame, days: list[str]) -> _Batch:
    """Records of some days, with the columns that `raw_logs` needs."""
    places = where.filter(pl.col("day").is_in(days))
    keys = ["namespace", "record_key"]
    records = (
        state.warehouse.read(RECORDS)
        .filter(_between(places["recorded_at"]), _may_speak())
        .drop("occurred_at")
        .join(places.lazy().select(*keys, *PLACE), on=keys)
        .collect()
    )
    return _Batch(days, places["record_key"], records)


def _may_speak() -> pl.Expr:
    """Not known to say nothing, by the adapter as it is now."""
    now = [adapter.fingerprint for adapter in adapters().values()]
    return pl.col("silent_to").is_null() | ~pl.col("silent_to").is_in(now)


def _between(times: pl.Series) -> pl.Expr:
    """Within these times, so that files of records from other times are not opened."""
    near = pl.col("occurred_at").is_between(times.min(), times.max())
    return near | pl.col("occurred_at").is_null() if times.null_count() else near


def _make(batch: _Batch) -> _Made:
    return _Made(batch, raw_logs(batch.records))


def _store(state: State, made: _Made) -> StageReport:
    logs, batch = made.read.raw_logs, made.batch
    days = batch.days
    written = [
        state.warehouse.write(RAW_LOGS, logs, days=days),
        state.warehouse.write(CONVERSATIONS, conversations(logs), days=days),
        state.warehouse.write(EPISODES, episodes(logs, state.policy), days=days),
    ]
    old = state.warehouse.read(DEAD_LETTERS).collect()
    mine = (pl.col("stage") == STAGE.name) & pl.col("unit").is_in(batch.record_keys.implode())
    state.warehouse.write(DEAD_LETTERS, pl.concat([old.filter(~mine), made.read.dead_letters]))
    units, failed = len(batch.record_keys), made.read.dead_letters.height
    done = batch.records.height - made.read.silent - failed
    return StageReport(
        STAGE.name,
        units=units,
        done=done,
        empty=units - done - failed,
        failed=failed,
        rows=logs.height,
        written=sum(w.changed for w in written),
    )
