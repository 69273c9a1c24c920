"""What came and what went: how a table differs between two times."""

from collections.abc import Mapping
from typing import NamedTuple

import polars as pl

LazyFrames = Mapping[str, pl.LazyFrame]
"""Tables by name, of which only what is asked for is read."""


class Change(NamedTuple):
    """Rows that are there now and were not before, and rows that were and are not."""

    come: pl.DataFrame
    gone: pl.DataFrame

    @property
    def rows(self) -> pl.DataFrame:
        """Both together; a row that changed is there as it was and as it is."""
        return pl.concat([self.come, self.gone])

    def of(self, *columns: str) -> "Change":
        """The change of some columns alone: without rows in which only others changed."""
        return difference(*(side.select(columns).unique() for side in (self.gone, self.come)))


def difference(before: pl.DataFrame, after: pl.DataFrame) -> Change:
    """The change from one frame to another of the same columns, compared by all of them."""
    columns = before.columns
    if before.is_empty() or after.is_empty():  # as mostly in a small home: nothing to compare
        return Change(after.select(columns), before)
    return Change(
        after.join(before, on=columns, how="anti", nulls_equal=True),
        before.join(after, on=columns, how="anti", nulls_equal=True),
    )


def with_change(before: pl.DataFrame, change: Change) -> pl.DataFrame:
    """A frame after a change, in no particular order."""
    kept = before.join(change.gone, on=before.columns, how="anti", nulls_equal=True)
    return pl.concat([kept, change.come.select(before.columns)])


def rows_with(
    frame: pl.LazyFrame, keys: pl.DataFrame, *columns: str, of: str | None = None
) -> pl.DataFrame:
    """Rows of a table whose keys are among some, read without the others.

    Args:
        frame: The table.
        keys: Its key columns are those by which rows are looked for.
        columns: What is read; all if none is named.
        of: What the last column of `keys` is called in the table, if not the same.
    """
    *by, last = keys.columns
    wanted = keys.unique().lazy()
    found = frame.select(columns) if columns else frame
    return found.join(wanted, left_on=[*by, of or last], right_on=[*by, last], how="semi").collect()
