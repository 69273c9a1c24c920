"""What came and what went: how a table differs between two times."""

from typing import NamedTuple

import polars as pl


class Change(NamedTuple):
    """Rows that are there now and were not before, and rows that were and are not."""

    come: pl.DataFrame
    gone: pl.DataFrame

    @property
    def rows(self) -> pl.DataFrame:
        """Both together; a row that changed is there as it was and as it is."""
        return pl.concat([self.come, self.gone])


def difference(before: pl.DataFrame, after: pl.DataFrame) -> Change:
    """The change from one frame to another of the same columns, compared by all of them."""
    columns = before.columns
    return Change(
        after.join(before, on=columns, how="anti", nulls_equal=True),
        before.join(after, on=columns, how="anti", nulls_equal=True),
    )
