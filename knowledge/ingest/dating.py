"""Which times of records can be: decided from all records, never from when they were read."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import polars as pl

from cairn.knowledge.ingest.adapters import adapters
from cairn.knowledge.ingest.jsonl import head_of
from cairn.knowledge.nlp.dates.timestamps import utc
from cairn.knowledge.schema.calendar import LATEST, UNDATED, microseconds, watermark
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables.table import TIME

_FIRST, _END = map(microseconds, (UNDATED, LATEST))

_SLACK = timedelta(days=1)
"""A timezone that was taken for another moves a time by less."""


def dated(heads: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """Records without the times that cannot be: before 2015, from 2200 on, or absurdly late.

    A time is absurdly late if it lies more than a day beyond all that is trusted in its namespace,
    and is not trusted itself, for one of two reasons. Its own session leapt to it by more than
    `policy.leap_days`, with fewer records there than before: sessions are written by appending,
    day after day. Or there is nothing between it and what is trusted for longer than
    `policy.pause_years`, and beyond that few days (`policy.late_days`) and fewer conversations that
    began there: a person who comes back stays. When in doubt the time is kept.

    Args:
        heads: namespace, thread, session, record_key, occurred_at of all records of a namespace, in
            any order. Only these decide, so that it does not matter how they came.
        policy: leap_days, pause_years, late_days.

    Returns:
        The rows in their order, `occurred_at` null where it cannot be.
    """
    time = pl.col("occurred_at")
    heads = heads.with_columns(occurred_at=possible(time))
    timed = heads.select("namespace", "thread", "session", "record_key", "occurred_at").drop_nulls(
        "occurred_at"
    )
    late = pl.concat(
        [
            timed.clear().select("namespace", "record_key"),
            *(_late(own, policy) for _, own in timed.group_by("namespace")),
        ]
    )
    if late.is_empty():
        return heads
    key = ["namespace", "record_key"]
    mark = late.with_columns(late=pl.lit(value=True))
    return (
        heads.join(mark, on=key, how="left", maintain_order="left")
        .with_columns(occurred_at=pl.when(pl.col("late").is_null()).then(time))
        .drop("late")
    )


def possible(time: pl.Expr) -> pl.Expr:
    """A time, null where it is none of a log whatever the others say."""
    since = time.dt.epoch("us")  # a literal with a timezone would run a query of its own
    return pl.when(since.is_between(_FIRST, _END, closed="left")).then(time)


def is_possible(time: int) -> bool:
    """`possible` of one time, in microseconds since 1970."""
    return _FIRST <= time < _END


def told_times(
    names: Sequence[str], payloads: Sequence[str], timezones: Sequence[str]
) -> pl.Series:
    """The times that records tell themselves, in UTC, one by one; null where one tells none."""
    known = adapters()
    told = pl.DataFrame(
        {
            "time": [
                head_of(known[name], payload.encode()).time if name in known else None
                for name, payload in zip(names, payloads, strict=True)
            ],
            "timezone": timezones,
        },
        schema={"time": pl.String, "timezone": pl.String},
    ).with_row_index()
    parts = [
        own.select("index", time=utc(own["time"], str(timezone)))
        for (timezone,), own in told.group_by("timezone")
    ]
    none = pl.DataFrame(schema={"index": pl.UInt32, "time": TIME})
    return pl.concat([none, *parts]).sort("index").select(possible(pl.col("time"))).to_series()


def _late(timed: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """namespace, record_key of the absurdly late records of one namespace."""
    told = _leapt(timed, timedelta(days=policy.leap_days))
    trusted = told.filter(~pl.col("leapt"))
    end = _before_pause(trusted, policy)
    beyond = pl.col("occurred_at") > (end or watermark(trusted)) + _SLACK
    doubted = pl.col("leapt") if end is None else pl.lit(value=True)
    return told.filter(beyond, doubted).select("namespace", "record_key")


def _leapt(timed: pl.DataFrame, leap: timedelta) -> pl.DataFrame:
    """With `leapt`: whether a record lies beyond a leap of its session, with fewer than before."""
    place = pl.int_range(pl.len()).over("thread")
    far = pl.col("occurred_at").diff().over("thread") > leap
    beyond = (far & (place * 2 > pl.len().over("thread"))).fill_null(value=False)
    return timed.sort("thread", "occurred_at").with_columns(
        leapt=pl.col("session") & beyond.cum_max().over("thread")
    )


def _before_pause(timed: pl.DataFrame, policy: Policy) -> datetime | None:
    """The last time before a pause that is too long for the little after it; None if none is."""
    times = timed["occurred_at"].sort()
    pause = timedelta(days=365 * policy.pause_years)
    for place in (times.diff() > pause).arg_true():
        start, end = times[place], times[place - 1]
        late = pl.col("occurred_at") >= start
        after, before = timed.filter(late), timed.filter(~late)
        began = after["thread"].n_unique() - len(
            {*after["thread"].unique()} & {*before["thread"].unique()}
        )
        days = after["occurred_at"].dt.date().n_unique()
        if days <= policy.late_days and began < before["thread"].n_unique():
            return end
    return None
