"""Doing again what was done: forgets that it was, so that the same run as ever does it."""

from collections.abc import Sequence

import polars as pl

from cairn.assets.pending import raw_logs
from cairn.assets.pending.steps import BY_CONVERSATION
from cairn.knowledge.assembly.stages import STAGES
from cairn.knowledge.schema.tables import DEAD_LETTERS, SOURCE_FILES, WORK
from cairn.resources.context import State
from cairn.resources.home.log_files import on_disk


def forget_work(state: State, days: Sequence[str]) -> int:
    """Makes all units of `days` pending again; gives how many there were.

    What follows from the days is then made of everything, and not of what changed.
    """
    with state.writing("backfill"):
        work = state.warehouse.read(WORK).collect()
        extractors = [each for step in BY_CONVERSATION for each in step.extractors(state.settings)]
        by_day = [raw_logs.STAGE.name, *(extractor.name for extractor in extractors)]
        done = pl.col("stage").is_in(by_day) & pl.col("day").is_in(list(days)).fill_null(
            value=False
        )
        partly = [stage.name for stage in STAGES if stage.is_incremental]
        state.warehouse.write(WORK, work.filter(~done, ~pl.col("stage").is_in(partly)))
        return work.filter(done).height


def forget_stage(state: State, name: str) -> None:
    """Makes a stage over whole tables owe all again, in every namespace."""
    with state.writing(name, timeout=state.settings.lock_timeout):
        work = state.warehouse.read(WORK).collect()
        state.warehouse.write(WORK, work.filter(pl.col("stage") != name))


def forget_failures(state: State, namespace: str | None = None) -> tuple[int, list[str]]:
    """Makes all that failed pending again: files with unreadable lines, rejected files, units.

    Returns:
        How many things will be tried, and the files that are gone, whose letters stay.
    """
    with state.writing("dead-letters"):
        mine = pl.lit(value=True) if namespace is None else pl.col("namespace") == namespace
        warehouse = state.warehouse
        letters = warehouse.read(DEAD_LETTERS).collect()
        files = warehouse.read(SOURCE_FILES).collect()
        refused = pl.col("outcome").is_in(["rejected", "failed"])
        named = {
            *letters.filter(mine, pl.col("stage") == "records")["source_file"],
            *files.filter(mine, refused)["path"],
        }
        there = [path for path in sorted(named) if on_disk(path).exists()]
        again = mine & pl.col("path").is_in(there)
        warehouse.write(SOURCE_FILES, files.filter(~again))
        read = mine & (pl.col("stage") == "records") & pl.col("source_file").is_in(there)
        warehouse.write(DEAD_LETTERS, letters.filter(~read))
        units = _failed_units(state, letters.filter(mine))
        work = warehouse.read(WORK).collect()
        warehouse.write(WORK, work.filter(~(mine & units)))
        count = len(there) + work.filter(mine & units).height
        return count, sorted(named - set(there))


def _failed_units(state: State, letters: pl.DataFrame) -> pl.Expr:
    """Units that failed, and the days of records that an adapter could not read."""
    records = letters.filter(pl.col("stage") == raw_logs.STAGE.name)["unit"]
    where = raw_logs.places(state)
    days = where.filter(pl.col("record_key").is_in(records.implode()))["day"].unique()
    unread = (pl.col("stage") == raw_logs.STAGE.name) & pl.col("unit").is_in(days.implode())
    return (pl.col("outcome") == "failed") | unread
