"""What a table is: columns with type and meaning, key, partition."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import polars as pl

TEXT = pl.String()
COUNT = pl.Int64()
REAL = pl.Float64()
FLAG = pl.Boolean()
TIME = pl.Datetime("us", "UTC")
DAY = (
    pl.String()
)  # ISO date of a UTC day; text, so that it can be a Delta partition and a Dagster key
TEXTS = pl.List(pl.String())
PAIRS = pl.List(pl.Struct({"left_id": pl.String(), "right_id": pl.String()}))
VECTOR = pl.List(pl.Float32())


_NO_WORDS = frozenset(
    {
        "namespace", "day", "model", "fingerprint", "digest", "kind", "mode", "origin", "trigger",
        "outcome", "status", "stage", "gate", "source", "adapter", "category", "decision", "type",
        "extractor", "cause", "knowledge_type", "info_type", "predicate", "unit", "generation",
        "introduced_by", "merged_into", "spans", "derived_from", "dedupe_hash", "subject",
        "ended_by", "parallel_with", "replaced_by", "replaces", "task",
    }
)  # fmt: skip
"""Columns of ids, digests, days and fixed terms; so are those that end like an id or a digest."""

JSON_COLUMNS = frozenset({"payload", "tool_input", "drafts"})
"""Columns of text that is JSON: what stands in one value goes on in no other."""


@dataclass(frozen=True)
class Column:
    """One column: its polars type, one sentence, and whether it may be null."""

    type: pl.DataType
    about: str
    null: bool = False


@dataclass(frozen=True)
class Table:
    """One table. `key` is unique; rows are written sorted by it.

    `by_day` tables are partitioned by `day`. `processing` names columns that tell when or where a
    row was processed: they are left out when two builds of the same logs are compared.
    """

    name: str
    about: str
    columns: Mapping[str, Column]
    key: tuple[str, ...]
    by_day: bool = False
    processing: tuple[str, ...] = ()

    @cached_property
    def schema(self) -> pl.Schema:
        """Column names with their polars types, in the written order."""
        return pl.Schema({name: column.type for name, column in self.columns.items()})

    @cached_property
    def words(self) -> list[str]:
        """Columns that may hold words of logs."""
        return [
            name
            for name, column in self.columns.items()
            if column.type in (TEXT, TEXTS)
            and name not in _NO_WORDS
            and not name.endswith(("_id", "_ids", "_hash", "_key"))
        ]

    def empty(self) -> pl.DataFrame:
        """A frame with this schema and no rows."""
        return self._empty.clone()

    @cached_property
    def _empty(self) -> pl.DataFrame:
        return pl.DataFrame(schema=self.schema)

    def frame(self, rows: pl.DataFrame | Iterable[Mapping[str, object]]) -> pl.DataFrame:
        """Rows as this table has them: its columns only, its types, sorted by its key.

        Nullable columns that are missing are filled with nulls.

        Raises:
            ValueError: a column is missing that may not be null, or holds a null.
        """
        if not isinstance(rows, pl.DataFrame):
            rows = list(rows)
            if not rows:
                return self.empty()
            types = dict(self.schema)
            rows = pl.DataFrame(rows, schema_overrides=types, infer_schema_length=None)
        required = [name for name, column in self.columns.items() if not column.null]
        if missing := [name for name in required if name not in rows.columns]:
            raise ValueError(f"{self.name}: columns missing: {', '.join(missing)}")
        if rows.is_empty():
            return self.empty()
        if rows.schema != self.schema:
            rows = rows.select(
                (pl.col(name) if name in rows.columns else pl.lit(None)).cast(kind).alias(name)
                for name, kind in self.schema.items()
            )
        frame = rows.sort(self.key) if rows.height > 1 else rows
        if holes := [name for name in required if frame.get_column(name).null_count()]:
            raise ValueError(f"{self.name}: empty values in: {', '.join(holes)}")
        return frame


NAMESPACE = {"namespace": Column(TEXT, "Person or tenant; never mixed.")}
DAY_COLUMN = {"day": Column(DAY, "UTC day on which the conversation began; 2015-01-01 if undated.")}
