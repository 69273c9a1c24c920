"""Work done conversation by conversation: only those that are new, grown, or whose rule changed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from cairn.assets.engine.progress import StageReport
from cairn.assets.engine.unanswered import note_lost
from cairn.assets.pending.by_conversation import units_of
from cairn.assets.pending.work import counting
from cairn.knowledge.engine.extractors import STAGE_OF, Extractor
from cairn.knowledge.engine.work import (
    OUTCOME_SCHEMA,
    STALE,
    UNIT,
    done_otherwise,
    mark_done,
    pending_units,
    removed_units,
)
from cairn.knowledge.ingest.sessions import grown
from cairn.knowledge.llm.client import LanguageModel
from cairn.knowledge.schema.tables import CONVERSATIONS, RAW_LOGS, WORK, Table
from cairn.resources.context import State

if TYPE_CHECKING:
    from cairn.resources.llm.dry_run import DryRunModel


class MadeRows(NamedTuple):
    """Rows by name of their table, and what became of the units that gave rows or failed.

    `outcomes` has namespace, stage, unit (a conversation), outcome and rows. A unit whose outcome
    is `pending` stays so: its rows are not kept. Those that it gave before stand, and its row in
    `work` with them, as long as the conversation has only grown since. `lost` are, by stage,
    messages that no answer could be had about (cairn.knowledge.schema.failures.FAILURE_SCHEMA).
    """

    rows: Mapping[str, pl.DataFrame]
    outcomes: pl.DataFrame
    lost: Mapping[str, pl.DataFrame] = {}


BATCH_TOKENS = 10_000_000

Make = Callable[[pl.DataFrame, Sequence[str], LanguageModel | None], MadeRows]
"""From raw logs of whole conversations, the names of the extractors to run on them, and a model."""


def estimate(
    state: State, units: pl.DataFrame, ask: Callable[[pl.DataFrame, LanguageModel], object]
) -> "DryRunModel":
    """What a language model would be asked for some units, and nothing is asked.

    Args:
        state: Where.
        units: namespace, unit (a conversation) and day.
        ask: Asks a model about raw logs.
    """
    dry_run_model = state.dry_run_model()
    ask(_logs(state, units.rename({"unit": "conversation_id"})), dry_run_model)
    return dry_run_model


def run(
    state: State,
    tables: Sequence[Table],
    extractors: Sequence[Extractor],
    days: Sequence[str],
    make: Make,
    retired: Sequence[str] = (),
) -> StageReport:
    """Makes what is pending in `days`, and keeps the other rows of `tables` as they are.

    Rows have `conversation_id` and `extractor`, which begins with the name of the unit's stage;
    those of `retired` stages go. The report counts rows of the first table.
    """
    first = tables[0]
    report = StageReport(first.name)
    for batch in _batches(state, days):
        report += _run_batch(state, tables, extractors, batch, make, retired)
    return replace(report, rows=state.warehouse.height(first))


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
    state: State,
    tables: Sequence[Table],
    extractors: Sequence[Extractor],
    days: Sequence[str],
    make: Make,
    retired: Sequence[str],
) -> StageReport:
    warehouse = state.warehouse
    work = warehouse.read(WORK).collect()
    units = units_of(state, extractors, days)
    to_do = pending_units(units, counting(state, work))
    resting = _resting(state, extractors, to_do, work, make)
    to_do = to_do.join(resting, on=UNIT, how="anti")
    own = [*(extractor.name for extractor in extractors), *retired]
    gone = removed_units(units, work, own).filter(pl.col("day").is_in(list(days)))
    name = tables[0].name
    report = StageReport(name, units=units.height)
    made: list[MadeRows] = []
    for stages, conversations in _alike(to_do):
        logs = _logs(state, conversations).sort("namespace", "conversation_id", "seq")
        made.append(make(logs, stages, state.language_model))
    state.submit_batches()
    outcomes = pl.concat([pl.DataFrame(schema=OUTCOME_SCHEMA), *(m.outcomes for m in made)])
    pending = outcomes.filter(pl.col("outcome") == "pending").select(UNIT)
    standing = _standing(state, units.join(pending, on=UNIT, how="semi"), work)
    settled_now = to_do.join(pending, on=UNIT, how="anti")
    stays = units.join(to_do.join(standing, on=UNIT, how="anti"), on=UNIT, how="anti")
    written = [
        warehouse.write(
            table,
            pl.concat(
                [
                    _of(stays, warehouse.read(table, days=days).collect()),
                    *(_of(settled_now, m.rows[table.name]) for m in made),
                ]
            ),
            days=days,
        )
        for table in tables
    ]
    for stage in sorted({stage for m in made for stage in m.lost}):
        asked = settled_now.filter(pl.col("stage") == stage).select("namespace", "unit")
        lost = pl.concat([m.lost[stage] for m in made if stage in m.lost])
        conversation = ["namespace", "conversation_id"]
        lost = lost.join(asked, left_on=conversation, right_on=asked.columns, how="semi")
        note_lost(state, stage, asked, lost)
    fallen = pending.join(standing, on=UNIT, how="anti")
    gone = pl.concat([gone, work.join(fallen, on=UNIT, how="semi")])
    after = _marked(mark_done(settled_now, outcomes, work, gone), resting)
    if to_do.height or gone.height or resting.height:
        warehouse.write(WORK, after)
    known = units.join(pending, on=UNIT, how="anti").join(after, on=UNIT)
    now = known.group_by("outcome").len()
    counts: dict[str, int] = dict(now.iter_rows())
    return report + StageReport(
        name,
        done=counts.get("done", 0),
        empty=counts.get("empty", 0),
        rejected=counts.get("rejected", 0),
        failed=counts.get("failed", 0),
        rows=written[0].rows,
        written=sum(w.changed for w in written),
    )


def _resting(
    state: State,
    extractors: Sequence[Extractor],
    to_do: pl.DataFrame,
    work: pl.DataFrame,
    make: Make,
) -> pl.DataFrame:
    """Units that stay as they are: to redo them, a language model would have to be asked again.

    That is so where their content is as it was, no budget bounds what it costs, and nobody said so.
    What needs no new answer is redone.
    """
    asking = [extractor.name for extractor in extractors if extractor.asks]
    if state.asks_again or not asking:
        return to_do.clear()
    redone = done_otherwise(to_do.filter(pl.col("stage").is_in(asking)), work)
    found = [redone.clear()]
    for stages, conversations in _alike(redone):
        logs = _logs(state, conversations).sort("namespace", "conversation_id", "seq")
        dry_run_model = state.dry_run_model()
        make(logs, stages, dry_run_model)
        about = logs.filter(pl.col("record_id").is_in(list(dry_run_model.about)))
        place = about.select("namespace", unit="conversation_id").unique()
        mine = redone.filter(pl.col("stage").is_in(stages))
        found.append(mine.join(place, on=["namespace", "unit"], how="semi"))
    return pl.concat(found)


def _marked(work: pl.DataFrame, resting: pl.DataFrame) -> pl.DataFrame:
    """`work` in which units that rest on earlier answers are settled for now, and marked so."""
    now = resting.select(*UNIT, now=pl.col("fingerprint") + STALE)
    return (
        work.join(now, on=UNIT, how="left", maintain_order="left")
        .with_columns(fingerprint=pl.coalesce("now", "fingerprint"))
        .drop("now")
    )


def _alike(to_do: pl.DataFrame) -> list[tuple[list[str], pl.DataFrame]]:
    """Conversations grouped by the extractors that they owe, so that each group is one call."""
    if to_do.is_empty():
        return []
    groups = (
        to_do.group_by("namespace", pl.col("unit").alias("conversation_id"), "day")
        .agg(pl.col("stage").sort())
        .with_columns(stages=pl.col("stage").list.join("\n"))
    )
    return [
        (str(stages).split("\n"), group.select("namespace", "conversation_id", "day"))
        for (stages,), group in sorted(groups.group_by("stages"))
    ]


def _standing(state: State, pending: pl.DataFrame, work: pl.DataFrame) -> pl.DataFrame:
    """Units that wait for an answer, and whose earlier rows stand until it is there.

    So it is where a conversation has only grown. Where anything was changed or taken away, be it a
    forgotten record or a secret, what an earlier answer said of it may not stand a moment longer.
    """
    before = work.join(pending.select(*UNIT, "day"), on=[*UNIT, "day"], how="semi")
    before = before.rename({"unit": "conversation_id", "input_hash": "content_hash"})
    if before.is_empty():
        return pending.select(UNIT).clear()
    return grown(_logs(state, before), before).rename({"conversation_id": "unit"}).select(UNIT)


def _logs(state: State, conversations: pl.DataFrame) -> pl.DataFrame:
    """Raw logs of conversations: namespace, conversation_id and day of each."""
    return (
        state.warehouse.read(RAW_LOGS, days=sorted(set(conversations["day"])))
        .join(conversations.lazy(), on=["namespace", "conversation_id"], how="semi")
        .collect()
    )


def _of(units: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Rows whose unit is one of these, on its day."""
    if units.is_empty() or rows.is_empty():
        return rows.clear()
    place = ["namespace", "conversation_id", "stage", "day"]
    own = units.select("namespace", pl.col("unit").alias("conversation_id"), "stage", "day")
    return rows.with_columns(stage=STAGE_OF).join(own, on=place, how="semi").drop("stage")
