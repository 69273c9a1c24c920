"""Times as sources write them, in UTC."""

import polars as pl

from cairn.knowledge.schema.tables.table import TIME

_ISO = (
    r"^\s*(?<date>\d{4}-\d\d-\d\d)"
    r"(?:[T ](?<clock>\d\d:\d\d)(?<seconds>:\d\d(?:[.,]\d+)?)?)?"
    r"\s*(?<zone>[Zz]|UTC|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?)?\s*$"  # no clock is 15 hours off
)
_NUMBER = r"^\s*(-?\d{1,19}(?:\.\d+)?)\s*$"
_USUAL = "%Y-%m-%dT%H:%M:%S%.fZ"


def utc(texts: pl.Series, timezone: str) -> pl.Series:
    """ISO 8601 texts as UTC times, microseconds; null where a text, or its offset, is none.

    A number counts seconds since 1970, a larger one milli-, micro- or nanoseconds. Without an
    offset a time is in `timezone` (an IANA name). One that a change of the clock repeats is the
    earlier; one that it skips is an hour later, as clocks then show it.
    """
    frame = pl.DataFrame({"text": texts})
    usual = pl.col("text").str.to_datetime(_USUAL, strict=False, time_unit="us")
    plain = frame.select(usual.dt.replace_time_zone("UTC")).to_series()
    if plain.null_count() == texts.null_count():
        return plain
    parts = frame.select(
        pl.col("text").str.extract_groups(_ISO).alias("parts"), counted=_counted(pl.col("text"))
    ).unnest("parts")
    naive = (
        pl.concat_str(
            "date",
            pl.lit("T"),
            pl.col("clock").fill_null("00:00"),
            pl.col("seconds").fill_null(":00").str.replace(",", ".", literal=True),
        )
        .str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", strict=False, time_unit="us")
        .alias("naive")
    )
    hour = pl.duration(hours=1)
    sign = pl.when(pl.col("zone").str.starts_with("-")).then(-1).otherwise(1)
    minutes = sign * (
        pl.col("zone").str.slice(1, 2).cast(pl.Int64, strict=False) * 60
        + pl.col("zone").str.extract(r"^...:?(\d\d)$").cast(pl.Int64, strict=False).fill_null(0)
    )
    offset = pl.duration(minutes=minutes.fill_null(0))
    local = pl.coalesce(
        _placed(pl.col("naive"), timezone), _placed(pl.col("naive") + hour, timezone)
    )
    told = (pl.col("naive") - offset).dt.replace_time_zone("UTC")
    times = parts.with_columns(naive).select(
        pl.coalesce(
            "counted", pl.when(pl.col("zone").is_null()).then(local).otherwise(told).cast(TIME)
        ).alias("time")
    )
    return times.get_column("time")


def _counted(text: pl.Expr) -> pl.Expr:
    """Times of texts that are a number since 1970."""
    number = text.str.extract(_NUMBER).cast(pl.Float64, strict=False)
    microseconds = (
        pl.when(number < 1e11)
        .then(number * 1e6)
        .when(number < 1e14)
        .then(number * 1e3)
        .when(number < 1e17)
        .then(number)
        .otherwise(number / 1e3)
    )
    return microseconds.round().cast(pl.Int64, strict=False).cast(TIME)


def _placed(naive: pl.Expr, timezone: str) -> pl.Expr:
    placed = naive.dt.replace_time_zone(timezone, ambiguous="earliest", non_existent="null")
    return placed.dt.convert_time_zone("UTC")
