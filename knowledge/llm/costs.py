"""What calls to language models cost, added up: what is not known is counted, never taken as 0."""

from collections.abc import Sequence

import polars as pl

from cairn.knowledge.llm.client import UNANSWERED

BY = ("asset", "prompt", "fingerprint", "model", "day")
"""Columns of MODEL_CALLS by which costs are told."""


def costs(calls: pl.DataFrame, by: Sequence[str] = ()) -> pl.DataFrame:
    """Sums over calls, one row per group; one row in all if `by` is empty.

    Args:
        calls: Rows of MODEL_CALLS.
        by: Columns to group by.

    Returns:
        The columns of `by`; calls that were answered, failed ones of these, and unanswered; of the
        answered ones tokens_in, tokens_out, tokens_cached, where told, null if they nowhere are,
        and uncounted, how many do not tell; dollars of those of known price, null if there is none,
        and unpriced, how many have none. The newest day first, then the dearest.
    """
    answered = pl.col("outcome") != UNANSWERED
    sums = {
        "calls": answered.sum().cast(pl.Int64),
        "failed": (pl.col("outcome") == "failed").sum().cast(pl.Int64),
        "unanswered": (~answered).sum().cast(pl.Int64),
        **{name: _known_sum(name) for name in ("tokens_in", "tokens_out", "tokens_cached")},
        "uncounted": (answered & pl.col("tokens_in").is_null()).sum().cast(pl.Int64),
        "dollars": _known_sum("cost"),
        "unpriced": (answered & pl.col("cost").is_null()).sum().cast(pl.Int64),
    }
    calls = calls.sort("call_id")  # sums of dollars are the same in any order of the rows
    if not by:
        return calls.select(**sums)
    days = [name for name in by if name == "day"]
    others = [name for name in by if name != "day"]
    return (
        calls.group_by(by, maintain_order=True)
        .agg(**sums)
        .sort(
            *days, "dollars", "calls", *others,
            descending=[*(True for _ in days), True, True, *(False for _ in others)],
            nulls_last=True,
        )
    )  # fmt: skip


def _known_sum(name: str) -> pl.Expr:
    column = pl.col(name)
    return pl.when(column.count() > 0).then(column.sum())
