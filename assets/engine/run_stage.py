"""How a stage is run: read what is pending, call its function, write, report."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import dagster as dg
import polars as pl

from cairn.assets.engine.progress import StageReport, timed
from cairn.assets.engine.unanswered import note_lost
from cairn.assets.pending.stages import namespaces_of
from cairn.assets.pending.work import counting
from cairn.knowledge.engine.diff import Change
from cairn.knowledge.engine.stage import (
    Changes,
    Count,
    IncrementalUpdate,
    Stage,
    StageContext,
    StageResult,
)
from cairn.knowledge.engine.work import (
    OUTCOME_SCHEMA,
    STALE,
    UNIT,
    content_digest,
    mark_done,
    pending_units,
)
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.tables import WORK, Table
from cairn.resources.context import State
from cairn.resources.home.write_lock import write_lock
from cairn.resources.llm.dry_run import stood_in
from cairn.resources.warehouse.warehouse import Written

if TYPE_CHECKING:
    from cairn.resources.llm.dry_run import DryRunModel

SAMPLE_IDS = 5


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
    """What Dagster is told: ids and counts, never text of logs."""
    rows = state.warehouse.read(table, columns=list(table.key))
    last = table.key[-1]
    # Ids of sources, as of sessions, may be words of theirs, and so are paths.
    ours = last.endswith("_id") and last != "conversation_id"
    sample = rows.head(SAMPLE_IDS if ours else 0).collect().get_column(last).to_list()
    return dg.MaterializeResult(
        asset_key=table.name,
        metadata={
            "dagster/row_count": rows.select(pl.len()).collect().item(),
            "sample_ids": ", ".join(str(value) for value in sample),
            "seconds": round(report.seconds, 3),
            "units": report.units,
            "done": report.done,
            "empty": report.empty,
            "rejected": report.rejected,
            "failed": report.failed,
            **(extra or {}),
        },
        data_version=dg.DataVersion(str(state.warehouse.version(table) or 0)),
    )


def run_stage(state: State, stage: Stage) -> StageReport:
    """Makes a whole-table stage anew for each namespace whose input or fingerprint changed.

    A stage with `after` or `update_incremental` updates just what the change touches, where it is
    known what its tables were made of; else, and any other stage, all of the namespace.
    """
    warehouse, model = state.warehouse, state.asking() if stage.prompts else None
    fingerprint = stage.in_force(state.settings.model).fingerprint(state.policy)
    if stage.prompts:
        state.wait_for_model(stage.name, waits=False)
    with write_lock(state.home, stage.name), timed(stage.name) as finished:
        every = warehouse.read(WORK).collect()
        work = every.filter(stage=stage.name)
        versions = _versions(state, stage)
        # Where there is one namespace, what tells whether it is pending is what it is made of.
        read = lru_cache(maxsize=1)(partial(_read, state, stage, stage.reads))
        units = _namespace_units(state, stage, work, fingerprint, versions, read)
        to_do = pending_units(units, counting(state, work))["namespace"].to_list()
        marked: list[str] = []
        report = StageReport(stage.name)
        made: dict[str, StageResult] = {}
        written: list[Written] = []
        rows: list[int] = []
        for namespace in to_do:
            means = StageContext(state.policy, state.embedder_of(namespace), model)
            changes = None
            if stage.is_incremental:
                last = _last(work, fingerprint, namespace)
                changes = _changes(state, stage, namespace, last, versions)
            if stage.update_incremental and changes:
                written += _updated(
                    state, stage, stage.update_incremental, changes, namespace, means
                )
                count = Count(done=_height(state, stage.reads[0], namespace))
                rows.append(_height(state, stage.writes[0], namespace))
            else:
                own = read(namespace)
                if stage.after and changes:
                    stored = _read(state, stage, stage.writes, namespace)
                    made[namespace] = StageResult(stage.after(changes, stored, own, means))
                else:
                    before = len(stood_in(model))
                    made[namespace] = stage.run(own, means)
                    marked += [namespace] if len(stood_in(model)) > before else []
                count = stage.count(own, made[namespace])
                rows.append(made[namespace].tables[stage.writes[0].name].height)
            report += StageReport(stage.name, sum(count), *count)
        if made:
            written += [
                warehouse.write(
                    table,
                    pl.concat([each.tables[table.name] for each in made.values()]),
                    namespaces=list(made),
                )
                for table in stage.writes
            ]
        outcomes = _outcomes(stage, to_do, made, rows)
        if to_do:
            done = units.filter(pl.col("namespace").is_in(to_do))
            if stage.is_incremental:
                versions |= {table.name: warehouse.version(table) for table in stage.writes}
                done = done.with_columns(input_hash=pl.lit(_noted(versions)))
            again = work.clear()
            if stage.prompts:
                owed_still = outcomes.filter(pl.col("outcome") == "pending").select(UNIT)
                again = work.join(owed_still, on=UNIT, how="semi")
                done = done.join(owed_still, on=UNIT, how="anti")
                mark = pl.when(pl.col("namespace").is_in(marked)).then(pl.lit(STALE))
                done = done.with_columns(pl.col("fingerprint") + mark.otherwise(pl.lit("")))
            others = every.filter(pl.col("stage") != stage.name)
            warehouse.write(WORK, pl.concat([others, mark_done(done, outcomes, work, again)]))
        if stage.prompts and made:
            lost = pl.concat([each.lost for each in made.values()])
            asked = pl.DataFrame({"namespace": to_do}, schema={"namespace": pl.String})
            note_lost(state, stage.name, asked, lost)
            # What is asked once a night waits for it, unless the model could not be had now.
            if any(each.pending for each in made.values()) and (
                not stage.nightly
                or (state.language_model is not None and state.language_model.waits)
            ):
                state.wait_for_model(stage.name, waits=True)
        return finished(
            report
            + StageReport(
                stage.name,
                rows=int(outcomes["rows"].sum()),
                written=sum(w.changed for w in written),
            )
        )


def _updated(
    state: State,
    stage: Stage,
    update_incremental: IncrementalUpdate,
    changes: Changes,
    namespace: str,
    means: StageContext,
) -> list[Written]:
    """Writes what a change makes of the tables of a stage; nothing, if nothing came or went."""
    if not any(change.rows.height for change in changes.values()):
        return []
    stored = _scanned(state, stage, stage.writes, namespace)
    reads = _scanned(state, stage, stage.reads, namespace)
    made = update_incremental(changes, stored, reads, means)
    return [
        state.warehouse.apply_change(table, made[table.name], namespace=namespace)
        for table in stage.writes
    ]


def _height(state: State, table: Table, namespace: str) -> int:
    return state.warehouse.read(table, namespace=namespace).select(pl.len()).collect().item()


def _outcomes(
    stage: Stage, namespaces: Sequence[str], made: Mapping[str, StageResult], rows: Sequence[int]
) -> pl.DataFrame:
    """What became of a stage in each namespace; a lost message is a failure, tried again."""

    def outcome(namespace: str, count: int) -> str:
        each = made.get(namespace)
        if each and each.pending:
            return "pending"
        if each and each.lost.height:
            return "failed"
        return "done" if count else "empty"

    return pl.DataFrame(
        {
            "namespace": list(namespaces),
            "stage": [stage.name] * len(rows),
            "unit": ["*"] * len(rows),
            "outcome": list(map(outcome, namespaces, rows)),
            "rows": rows,
        },
        schema=OUTCOME_SCHEMA,
    )


def estimate(state: State, stage: Stage) -> "DryRunModel":
    """What a language model would be asked for a stage now; nothing is asked."""
    dry_run_model = state.dry_run_model()
    for namespace in namespaces_of(state, stage):
        means = StageContext(state.policy, state.embedder_of(namespace), dry_run_model)
        stage.run(_read(state, stage, stage.reads, namespace), means)
    return dry_run_model


def _read(
    state: State, stage: Stage, tables: Sequence[Table], namespace: str
) -> dict[str, pl.DataFrame]:
    scanned = _scanned(state, stage, tables, namespace)
    return {name: frame.collect() for name, frame in scanned.items()}


def _scanned(
    state: State, stage: Stage, tables: Sequence[Table], namespace: str
) -> dict[str, pl.LazyFrame]:
    return {
        table.name: state.warehouse.read(table, namespace=namespace)
        .filter(stage.rows_of(table.name))
        .select(stage.columns_of(table))
        for table in tables
    }


def _namespace_units(
    state: State,
    stage: Stage,
    work: pl.DataFrame,
    fingerprint: str,
    versions: Mapping[str, int | None],
    read: Callable[[str], Mapping[str, pl.DataFrame]],
) -> pl.DataFrame:
    """One unit per namespace that the stage reads, or made rows for before.

    The hash is the digest of all that is read; for a stage that follows changes the versions of all
    tables that it reads and writes, so that what changed since can be asked for.
    """
    namespaces = sorted({*work["namespace"], *namespaces_of(state, stage)})
    hashes = [
        _noted(versions)
        if stage.is_incremental
        else ""
        if stage.nightly and state.settings.model is None
        else digest(*map(content_digest, read(namespace).values()))
        for namespace in namespaces
    ]
    return pl.DataFrame(
        [
            (namespace, stage.name, "*", input_hash, fingerprint, None)
            for namespace, input_hash in zip(namespaces, hashes, strict=True)
        ],
        schema=dict.fromkeys([*UNIT, "input_hash", "fingerprint", "day"], pl.String),
        orient="row",
    )


def _versions(state: State, stage: Stage) -> dict[str, int | None]:
    """The tables that a stage reads and writes, and their versions."""
    tables = (*stage.reads, *stage.writes) if stage.is_incremental else ()
    return {table.name: state.warehouse.version(table) for table in tables}


def _noted(versions: Mapping[str, int | None]) -> str:
    """Versions as text, as in `candidates@3 entities@2`."""
    return " ".join(f"{name}@{version}" for name, version in versions.items())


def _last(work: pl.DataFrame, fingerprint: str, namespace: str) -> dict[str, str]:
    """Versions that were noted when a stage last made its tables by this fingerprint."""
    noted = work.filter(namespace=namespace, fingerprint=fingerprint)["input_hash"].to_list()
    return dict(part.split("@") for text in noted for part in text.split() if "@" in part)


def _changes(
    state: State,
    stage: Stage,
    namespace: str,
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
        change = state.changes(table, since, versions[table.name], namespace)
        if change is None:
            return None
        counts = stage.rows_of(table.name)
        changes[table.name] = Change(change.come.filter(counts), change.gone.filter(counts))
    return changes
