"""How a stage is run: read what is pending, call its function, write, report."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import dagster as dg
import polars as pl

from cairn.assets.engine.namespaces import NAMESPACES
from cairn.assets.engine.progress import StageReport, add_up, timed
from cairn.assets.engine.unanswered import note_lost
from cairn.assets.pending.stages import is_read
from cairn.knowledge.engine.diff import Change
from cairn.knowledge.engine.stage import (
    Changes,
    Count,
    IncrementalUpdate,
    Rows,
    Stage,
    StageContext,
    StageResult,
)
from cairn.knowledge.engine.work import STALE, WHOLE_TABLES, WorkRow, content_digest
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.tables import WORK, Table
from cairn.resources.context import State
from cairn.resources.llm.dry_run import stood_in
from cairn.resources.warehouse.warehouse import Written

if TYPE_CHECKING:
    from cairn.resources.llm.dry_run import DryRunModel

SAMPLE_IDS = 5

FEW = 10_000
"""Rows of a table up to which it is looked for what changed in it."""


def specs(
    writes: Sequence[Table], reads: Sequence[Table], group: str, *, checked: bool = True
) -> list[dg.AssetSpec]:
    """One asset per table, below the tables that it is made from and the extractors in force."""
    deps = [table.name for table in reads] + (["extractors"] if checked else [])
    return [
        dg.AssetSpec(
            table.name,
            description=table.about,
            deps=deps,
            group_name=group,
            kinds={"polars", "deltalake"},
            partitions_def=NAMESPACES,
            metadata={
                "dagster/column_schema": dg.TableSchema(
                    [
                        dg.TableColumn(name, str(column.type), column.about)
                        for name, column in table.columns.items()
                    ]
                ),
                "dagster/table_name": table.name,
                "key": ", ".join(table.key),
            },
        )
        for table in writes
    ]


def result(
    state: State, table: Table, report: StageReport, extra: Mapping[str, Any] | None = None
) -> dg.MaterializeResult[Any]:
    """What Dagster is told: ids and counts, never text of logs.

    `pass_rate` is the share of what was judged that passed; where nothing was, there is none.
    """
    last = table.key[-1]
    judged = report.done + report.rejected
    # Ids of sources, as of sessions, may be words of theirs, and so are paths.
    ours = last.endswith("_id") and last != "conversation_id"
    sample: list[Any] = []
    if ours:
        rows = state.warehouse.read(table, columns=[last])
        sample = rows.head(SAMPLE_IDS).collect().get_column(last).to_list()
    return dg.MaterializeResult(
        asset_key=table.name,
        metadata={
            "dagster/row_count": _height(state, table),
            "sample_ids": ", ".join(str(value) for value in sample),
            "seconds": round(report.seconds, 3),
            "units": report.units,
            "done": report.done,
            "empty": report.empty,
            "rejected": report.rejected,
            "failed": report.failed,
            **({"pass_rate": round(report.done / judged, 4)} if judged else {}),
            **(extra or {}),
        },
        data_version=dg.DataVersion(str(state.warehouse.version(table) or 0)),
    )


def run_stage(state: State, stage: Stage) -> StageReport:
    """Makes a whole-table stage anew in each namespace whose input or fingerprint changed.

    A stage with `after` or `update_incremental` updates just what the change touches, where it is
    known what its tables were made of; else, and any other stage, all of the namespace.
    """
    with state.writing(stage.name), timed(stage.name, state.namespace) as finished:
        report = StageReport(stage.name)
        for own in state.each():
            report = add_up(report, _run(own, stage))
        return finished(report)


def _run(state: State, stage: Stage) -> StageReport:
    """Makes a stage anew in one namespace, if it is pending there."""
    if stage.prompts:
        state.wait_for_model(stage.name, waits=False)
    fingerprint = stage.in_force(state.settings.model_in_force).fingerprint(state.policy)
    noted, versions = _noted(state, stage), _versions(state, stage)
    last = noted.input_hash if noted and noted.fingerprint == fingerprint else ""
    # What tells whether it is pending is what it is made of.
    read = lru_cache(maxsize=1)(partial(_read, state, stage, stage.reads))
    if noted is None and not is_read(state, stage):
        return StageReport(stage.name)
    input_hash = _input(state, stage, last, versions, read)
    moved = last != input_hash and _is_same(last, input_hash)
    if noted and moved:  # other versions of the same content
        noted = noted._replace(input_hash=input_hash)
    if noted and noted.settles(input_hash, fingerprint, marks=state.asks_again):
        if moved:
            _note(state, stage, noted)
        return StageReport(stage.name)
    model = state.asking() if stage.prompts else None
    stood_before = len(stood_in(model))
    means = StageContext(state.policy, state.embedder_of(state.own), model)
    changes = None
    if stage.is_incremental:
        changes = _changes(state, stage, _versions_in(last), versions)
    made: StageResult | None = None
    if stage.update_incremental and changes:
        written = _updated(state, stage, stage.update_incremental, changes, means)
        count = Count(done=_height(state, stage.reads[0]))
    else:
        own = read()
        if stage.after and changes:
            stored = _read(state, stage, stage.writes)
            made = StageResult(stage.after(changes, stored, own, means))
        else:
            made = stage.run(own, means)
        count = stage.count(own, made)
        written = [state.warehouse.write(each, made.tables[each.name]) for each in stage.writes]
    if stage.prompts:
        state.submit_batches()
    rows = made.tables[stage.writes[0].name].height if made else _height(state, stage.writes[0])
    if stage.is_incremental:
        versions |= {table.name: state.warehouse.version(table) for table in stage.writes}
        input_hash = _as_text(versions)
    if len(stood_in(model)) > stood_before:
        fingerprint += STALE
    outcome = _outcome(made, rows)
    now = WorkRow(input_hash, fingerprint, outcome, rows).after(noted)
    _note(state, stage, None if made and made.pending else now)
    if stage.prompts and made:
        note_lost(state, stage.name, pl.DataFrame({"namespace": [state.own]}), made.lost)
        # What is asked once a night waits for it, unless the model could not be had now.
        if made.pending and (
            not stage.nightly or (state.language_model is not None and state.language_model.waits)
        ):
            state.wait_for_model(stage.name, waits=True)
    report = StageReport(stage.name, sum(count), *count)
    return replace(report, rows=rows, written=sum(each.changed for each in written))


def _updated(
    state: State,
    stage: Stage,
    update_incremental: IncrementalUpdate,
    changes: Changes,
    means: StageContext,
) -> list[Written]:
    """Writes what a change makes of the tables of a stage; nothing, if nothing came or went."""
    if not any(change.rows.height for change in changes.values()):
        return []
    stored = _scanned(state, stage, stage.writes)
    reads = _scanned(state, stage, stage.reads)
    made = update_incremental(changes, stored, reads, means)
    return [
        state.warehouse.apply_change(table, made[table.name], namespace=state.own)
        for table in stage.writes
    ]


def _height(state: State, table: Table) -> int:
    return state.warehouse.height(table)


def _outcome(made: StageResult | None, rows: int) -> str:
    """What became of a stage; a lost message is a failure, tried again."""
    if made and made.lost.height:
        return "failed"
    return "done" if rows else "empty"


def _noted(state: State, stage: Stage) -> WorkRow | None:
    """What is noted of a stage."""
    own = state.warehouse.read(WORK).filter(_of(stage)).select(WorkRow._fields).collect()
    return WorkRow(*own.row(0)) if own.height else None


def _note(state: State, stage: Stage, row: WorkRow | None) -> None:
    """Notes what became of a stage; with no row, that it is to be done."""
    rows = state.warehouse.read(WORK).filter(~_of(stage)).collect()
    if row:
        place = {"namespace": state.own, "stage": stage.name, "unit": WHOLE_TABLES, "day": None}
        rows = pl.concat([rows, WORK.frame([place | row._asdict()])])
    state.warehouse.write(WORK, rows)


def _of(stage: Stage) -> pl.Expr:
    return (pl.col("stage") == stage.name) & (pl.col("unit") == WHOLE_TABLES)


def estimate(state: State, stage: Stage) -> "DryRunModel":
    """What a language model would be asked for a stage now; nothing is asked."""
    dry_run_model = state.dry_run_model()
    for own in state.each():
        if is_read(own, stage):
            means = StageContext(state.policy, state.embedder_of(own.own), dry_run_model)
            stage.run(_read(own, stage, stage.reads), means)
    return dry_run_model


def _read(state: State, stage: Stage, tables: Sequence[Table]) -> dict[str, pl.DataFrame]:
    scanned = _scanned(state, stage, tables)
    return dict(zip(scanned, pl.collect_all(scanned.values()), strict=True))


def _scanned(state: State, stage: Stage, tables: Sequence[Table]) -> dict[str, pl.LazyFrame]:
    return {table.name: _counting(stage, table, state.warehouse.read(table)) for table in tables}


def _counting(stage: Stage, table: Table, rows: Rows) -> Rows:
    """What counts of a table that a stage reads: its rows, and its columns."""
    rows = stage.counted(table.name, rows)
    return rows.select(stage.columns[table.name]) if table.name in stage.columns else rows


def _input(
    state: State,
    stage: Stage,
    last: str,
    versions: Mapping[str, int | None],
    read: Callable[[], Mapping[str, pl.DataFrame]],
) -> str:
    """What a stage is made of: the digest of all that it reads, with the versions of the tables.

    Where nothing that counts changed in them since, they are not read. For a stage that follows
    changes it is the versions of all tables that it reads and writes.
    """
    if stage.is_incremental:
        return _as_text(versions)
    if stage.nightly and state.settings.model is None:
        return ""
    content = last.partition(" ")[0]
    if not content or _differs(state, stage, _versions_in(last), versions):
        content = digest(*map(content_digest, read().values()))
    return f"{content} {_as_text(versions)}"


def _versions(state: State, stage: Stage) -> dict[str, int | None]:
    """Versions of what a stage reads, and of what it writes if it follows changes."""
    tables = (*stage.reads, *(stage.writes if stage.is_incremental else ()))
    return {table.name: state.warehouse.version(table) for table in tables}


def _as_text(versions: Mapping[str, int | None]) -> str:
    """Versions as text, as in `candidates@3 entities@2`."""
    return " ".join(f"{name}@{version}" for name, version in versions.items())


def _versions_in(text: str) -> dict[str, str]:
    """The versions in a text."""
    return dict(part.split("@") for part in text.split() if "@" in part)


def _is_same(last: str, now: str) -> bool:
    """Whether two inputs have the same digest; versions alone have none."""
    content = last.partition(" ")[0]
    return "@" not in content and content == now.partition(" ")[0] != ""


def _differs(
    state: State, stage: Stage, noted: Mapping[str, str], versions: Mapping[str, int | None]
) -> bool:
    """Whether anything that counts may have changed in what a stage reads since some versions."""
    for table in stage.reads:
        since, now = noted.get(table.name, ""), versions[table.name]
        if since == str(now):
            continue
        # To look for what changed in a large table takes longer than to read what counts of it; in
        # one by day only those days are looked at.
        if not since.isdigit() or not (table.by_day or _height(state, table) <= FEW):
            return True
        change = state.changes(table, int(since), now, state.own)
        if change is None:
            return True
        come, gone = (_counting(stage, table, part) for part in change)
        if come.height != gone.height or content_digest(come) != content_digest(gone):
            return True
    return False


def _changes(
    state: State,
    stage: Stage,
    last: Mapping[str, str],
    versions: Mapping[str, int | None],
) -> dict[str, Change] | None:
    """What changed in what a stage reads since it last made its tables of a namespace.

    None if that is not known: they were never made by what is in force; or somebody wrote them
    since, such as a run that was killed before it was done; or old versions are gone.
    """
    if any(last.get(table.name) != str(versions[table.name]) for table in stage.writes):
        return None
    changes: dict[str, Change] = {}
    for table in stage.reads:
        since = int(last[table.name]) if last[table.name].isdigit() else None
        change = state.changes(table, since, versions[table.name], state.own)
        if change is None:
            return None
        if change.rows.height or table.name in stage.columns:
            change = Change(*(_counting(stage, table, part) for part in change))
        changes[table.name] = change
    return changes
