"""What was published of a namespace, held in memory by a process that answers many questions."""

from collections.abc import Callable, Sequence
from threading import RLock
from typing import Any, TypeVar

import polars as pl

from cairn.knowledge.schema.tables import (
    CONVERSATIONS,
    EPISODES,
    LEARNINGS,
    MEMORY_ENTITIES,
    RAW_LOGS,
    Table,
)
from cairn.resources.warehouse.publication import Manifest, read_published
from cairn.resources.warehouse.warehouse import Warehouse

Made = TypeVar("Made")

CACHED: dict[str, tuple[str, ...]] = {
    MEMORY_ENTITIES.name: tuple(MEMORY_ENTITIES.columns),
    LEARNINGS.name: tuple(LEARNINGS.columns),
    EPISODES.name: (
        *("episode_id", "text", "passages", "project", "speaker", "conversation_id", "ended_at"),
        "day",
    ),
    RAW_LOGS.name: ("record_id", "source_file", "source_line", "day"),
    CONVERSATIONS.name: tuple(CONVERSATIONS.columns),
}
"""Table → the columns that answers need: the long texts of records are not among them.

Of those by day, their day: it tells which of a year's files hold the rest.
"""


PLACE = 150
"""Bytes of one entry of what tells where a text stands, about."""


class CachedTables:
    """Tables of one manifest, and what is made of them, each at its first use; they never change.

    Other tables, and other columns, are read from the warehouse each time.
    """

    def __init__(self, warehouse: Warehouse, manifest: Manifest) -> None:
        self._warehouse = warehouse
        self._manifest = manifest
        self._frames: dict[str, tuple[pl.DataFrame, dict[str, tuple[int, int]]]] = {}
        self._made: dict[str, Any] = {}
        self._lock = RLock()
        self.bytes_held = 0
        """What its frames take in memory, about."""

    def rows(
        self,
        table: Table,
        column: str,
        values: pl.Series | None,
        columns: Sequence[str] | None = None,
    ) -> pl.DataFrame | None:
        """Rows whose column has one of some texts, or all; None if such columns are not held."""
        held = CACHED.get(table.name, ())
        if not {column, *(columns or table.columns)} <= set(held):
            return None

        def read() -> pl.DataFrame:
            return read_published(self._warehouse, self._manifest, table, columns=held).collect()

        found = self.made(f"{table.name} by {column}", column, values, read)
        return found if columns is None else found.select(columns)

    def made(
        self, name: str, column: str, values: pl.Series | None, make: Callable[[], pl.DataFrame]
    ) -> pl.DataFrame:
        """Rows of a frame that is made once, in the order of a column: all, or those of values."""
        with self._lock:
            if name not in self._frames:
                frame = make().sort(column, maintain_order=True).rechunk()
                places = _places(frame[column])
                self._frames[name] = frame, places
                self.bytes_held += int(frame.estimated_size()) + PLACE * len(places)
        frame, places = self._frames[name]
        if values is None:
            return frame
        spans = [places[value] for value in sorted({*values}) if value in places]
        return frame[[row for start, end in spans for row in range(start, end)]]

    def once(self, name: str, make: Callable[[], Made]) -> Made:
        """What is made once, of any kind."""
        with self._lock:
            if name not in self._made:
                self._made[name] = make()
        return self._made[name]


def _places(ordered: pl.Series) -> dict[str, tuple[int, int]]:
    """Text → from which row to which it stands: looked up in a tenth of the time of a search."""
    runs = ordered.rle().struct.unnest().with_columns(end=pl.col("len").cum_sum())
    return {
        value: (end - length, end)
        for length, value, end in runs.select("len", "value", "end").iter_rows()
    }
