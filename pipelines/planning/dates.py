"""What the logs say of time: the last event of each namespace, and what has no time."""

from typing import NamedTuple

import polars as pl

from cairn.knowledge.ingest.dating import dated
from cairn.knowledge.ingest.events import HEAD_COLUMNS
from cairn.knowledge.schema.tables import RECORDS
from cairn.resources.context import State


class Dates(NamedTuple):
    """`newest`: namespace, occurred_at. `undated`: namespace, source_file, records, late.

    `late` of the undated ones tell a time that is absurdly late; the others tell none.
    """

    newest: pl.DataFrame
    undated: pl.DataFrame


def dates(state: State) -> Dates:
    """Of all records; files with the most undated ones first."""
    columns = [*HEAD_COLUMNS, "source_file"]
    heads = state.warehouse.read(RECORDS, columns=columns).collect()
    times = dated(heads.with_columns(recorded_at="occurred_at"), state.policy)
    without = times.filter(pl.col("occurred_at").is_null())
    return Dates(
        times.group_by("namespace").agg(pl.col("occurred_at").max()),
        without.group_by("namespace", "source_file")
        .agg(records=pl.len(), late=pl.col("recorded_at").is_not_null().sum())
        .sort("records", "namespace", "source_file", descending=[True, False, False]),
    )
