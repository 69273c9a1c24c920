"""Rows of a table that are held in memory, to be committed at once."""

import time
from dataclasses import dataclass, field

import polars as pl

from cairn.knowledge.engine.diff import difference
from cairn.knowledge.schema.tables import Table

LONGEST = 5.0
"""Seconds after which they are committed: who is killed then does no more than that again."""


@dataclass
class Gathered:
    """A table as it was stored when this began, and as it is to be.

    What is stored is sorted by key. What is to be is in no order: stages write to it by turns, and
    to sort the whole for each took longer than many of them.
    """

    table: Table
    stored: pl.DataFrame
    rows: pl.DataFrame
    begun: float = field(default_factory=time.monotonic)
    _is_sorted: bool = True

    def put(self, rows: pl.DataFrame) -> None:
        """Replaces what is to be."""
        self.rows = rows if rows.schema == self.table.schema else self.table.frame(rows)
        self._is_sorted = False

    @property
    def is_anew(self) -> bool:
        """Whether anything is to be committed."""
        if not self._is_sorted:
            self.rows, self._is_sorted = self.table.frame(self.rows), True
        return not self.rows.equals(self.stored)

    @property
    def is_due(self) -> bool:
        """Whether it is to be committed without waiting for more."""
        return time.monotonic() - self.begun >= LONGEST

    def merged(self, current: pl.DataFrame) -> pl.DataFrame:
        """All rows to commit, in no particular order, where these are stored by now.

        Rows that another writer changed meanwhile stay as that one left them, unless they were
        written here, too.
        """
        if current.equals(self.stored):
            return self.rows
        change = difference(self.stored, self.rows)
        stays = current.join(change.rows, on=self.table.key, how="anti")
        return pl.concat([stays, change.come])
