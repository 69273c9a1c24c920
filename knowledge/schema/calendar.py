"""Time as Cairn counts it: events, never the clock."""

from datetime import UTC, datetime, timedelta
from functools import cache

import polars as pl

UNDATED_DAY = "2015-01-01"
UNDATED = datetime(2015, 1, 1, tzinfo=UTC)
LATEST = datetime(2200, 1, 1, tzinfo=UTC)
"""No time is as late: what stands there means "never", and years beyond 9999 are no dates."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECONDS_PER_DAY = 86_400_000_000


@cache
def undated() -> pl.Expr:
    """`UNDATED` for polars, made once: that takes a quarter of a millisecond.

    Not while modules are imported: it starts threads, and who forks later would wait for them.
    """
    return pl.lit(UNDATED)


def microseconds(time: datetime) -> int:
    """A time in microseconds since 1970-01-01."""
    return (time - EPOCH) // timedelta(microseconds=1)


def day(time: pl.Expr) -> pl.Expr:
    """UTC day of a time as ISO text; undated ones fall on 2015-01-01."""
    return time.dt.strftime("%Y-%m-%d").fill_null(UNDATED_DAY)


def days_since_epoch(time: pl.Expr) -> pl.Expr:
    """A time in days since 1970-01-01, fractional; undated ones count as 2015-01-01."""
    # A product: polars divides one row by another way than many, and the last bit then differs.
    return time.fill_null(undated()).dt.epoch("us") * (1 / MICROSECONDS_PER_DAY)


def is_dated(time: pl.Expr) -> pl.Expr:
    """Whether a time is one: what stands as 2015-01-01 has none, and is not known to be old."""
    return (time > undated()).fill_null(value=False)


def days_between(start: pl.Expr, end: pl.Expr) -> pl.Expr:
    """Days from one time to another, fractional; none since what is undated."""
    passed = days_since_epoch(end) - days_since_epoch(start)
    return pl.when(is_dated(start)).then(passed).otherwise(0.0)


def watermark(frame: pl.DataFrame, column: str = "occurred_at") -> datetime:
    """The latest event of a frame; 2015-01-01 if it has none that is dated."""
    latest = frame.get_column(column).max() if frame.height else None
    return latest if isinstance(latest, datetime) else UNDATED
