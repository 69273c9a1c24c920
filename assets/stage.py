"""How a stage becomes an asset: read what is owed, call its function, write, report."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import dagster as dg
import polars as pl

from assets.progress import Report, timed
from knowledge.identity import digest
from knowledge.stage import Means, Stage
from knowledge.tables import WORK, Table
from knowledge.work import OUTCOME_SCHEMA, content_digest, owed, settled
from resources.lock import write_lock
from resources.state import State

DAYS = dg.DailyPartitionsDefinition(start_date="2015-01-01", end_offset=1)
"""A conversation belongs to the UTC day on which it began; undated ones to the first."""

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
    state: State, table: Table, report: Report, extra: dict[str, Any] | None = None
) -> dg.MaterializeResult[Any]:
    """What Dagster is told: ids and counts, never text of logs."""
    frame = state.warehouse.read(table, columns=list(table.key)).collect()
    sample = frame.get_column(table.key[-1]).head(SAMPLE_IDS).to_list()
    return dg.MaterializeResult(
        asset_key=table.name,
        metadata={
            "dagster/row_count": frame.height,
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


def run_stage(state: State, stage: Stage) -> Report:
    """Makes a whole-table stage anew for each namespace whose input or fingerprint changed."""
    warehouse, fingerprint = state.warehouse, stage.extractor.fingerprint(state.policy)
    with write_lock(state.home, stage.name), timed(stage.name) as finished:
        reads = {table.name: warehouse.read(table).collect() for table in stage.reads}
        work = warehouse.read(WORK).collect()
        units = _namespace_units(stage, reads, work, fingerprint)
        to_do = owed(units, work)["namespace"].to_list()
        report = Report(stage.name)
        made: list[dict[str, pl.DataFrame]] = []
        for namespace in to_do:
            own = {n: frame.filter(pl.col("namespace") == namespace) for n, frame in reads.items()}
            made.append(stage.run(own, Means(state.policy, state.embedder_of(namespace))))
            count = stage.count(own, made[-1])
            report += Report(stage.name, sum(count), *count)
        written = [
            warehouse.write(
                table, pl.concat([frames[table.name] for frames in made]), namespaces=to_do
            )
            for table in (stage.writes if to_do else ())
        ]
        rows = [frames[stage.writes[0].name] for frames in made]
        outcomes = pl.DataFrame(
            {
                "namespace": to_do,
                "stage": [stage.name] * len(to_do),
                "unit": ["*"] * len(to_do),
                "outcome": ["done" if frame.height else "empty" for frame in rows],
                "rows": [frame.height for frame in rows],
            },
            schema=OUTCOME_SCHEMA,
        )
        if to_do:
            done = units.filter(pl.col("namespace").is_in(to_do))
            warehouse.write(WORK, settled(done, outcomes, work, work.clear()))
        return finished(
            report
            + Report(
                stage.name,
                rows=sum(frame.height for frame in rows),
                written=sum(w.changed for w in written),
            )
        )


def _namespace_units(
    stage: Stage, reads: dict[str, pl.DataFrame], work: pl.DataFrame, fingerprint: str
) -> pl.DataFrame:
    """One unit per namespace that the stage reads, or made rows for before."""
    before = work.filter(pl.col("stage") == stage.name)["namespace"].to_list()
    namespaces = sorted({*before, *(n for f in reads.values() for n in f["namespace"].unique())})
    hashes = [
        digest(
            *(
                content_digest(frame.filter(pl.col("namespace") == namespace))
                for frame in reads.values()
            )
        )
        for namespace in namespaces
    ]
    return pl.DataFrame(
        {"namespace": namespaces, "unit_hash": hashes},
        schema={"namespace": pl.String, "unit_hash": pl.String},
    ).with_columns(
        stage=pl.lit(stage.name),
        unit=pl.lit("*"),
        fingerprint=pl.lit(fingerprint),
        day=pl.lit(None, pl.String),
    )


def materialize(
    state: State, stage: Stage, shown: Mapping[str, Callable[[], dict[str, Any]]] | None = None
) -> Iterator[dg.MaterializeResult[Any]]:
    """Runs a whole-table stage, and tells Dagster of each table that it writes.

    `shown` makes, by name of the table, what is shown of it beside ids and counts.
    """
    report = run_stage(state, stage)
    for table in stage.writes:
        more = (shown or {}).get(table.name)
        yield result(state, table, report, more() if more else None)
