"""Who decides an expectation: polars in a run, great_expectations at night and when asked.

Both count the rows of a small frame that break each rule, and a test holds them to the same
counts. great_expectations costs seconds to import, and a third of a second for each frame: a run
that brings ten lines does not wait for that, and the night that follows does.
"""

import logging
import os
from collections.abc import Callable
from enum import StrEnum
from typing import Any

import polars as pl
import polars.selectors as cs

from cairn.pipelines.checks.expectation_check import Batch


class CheckEngine(StrEnum):
    """Who decides."""

    POLARS = "polars"
    GREAT_EXPECTATIONS = "great_expectations"


def broken(batch: Batch, engine: CheckEngine) -> dict[str, int]:
    """Rules of a batch that do not hold, each with the number of its rows that break it."""
    if not batch.expectations:
        return {}
    return _by_polars(batch) if engine is CheckEngine.POLARS else _by_great_expectations(batch)


def _by_polars(batch: Batch) -> dict[str, int]:
    frame = batch.frame.with_columns(cs.float().fill_nan(None))  # to pandas, NaN is empty
    counts = frame.select(
        _BREAKS[one.kind](**one.given).sum().alias(one.rule) for one in batch.expectations
    ).row(0, named=True)
    return {rule: int(count) for rule, count in counts.items() if count}


def _absent(column: str) -> pl.Expr:
    return pl.col(column).is_null()


def _not_in_set(column: str, value_set: list[Any]) -> pl.Expr:
    return ~pl.col(column).is_in(value_set)


def _outside(column: str, min_value: float, max_value: float) -> pl.Expr:
    return ~pl.col(column).is_between(min_value, max_value)


def _repeated(column: str) -> pl.Expr:
    return pl.col(column).is_not_null() & pl.col(column).is_duplicated()


def _repeated_together(column_list: list[str]) -> pl.Expr:
    return (
        ~pl.all_horizontal(pl.col(column_list).is_null()) & pl.struct(column_list).is_duplicated()
    )


def _unequal(column_A: str, column_B: str) -> pl.Expr:  # noqa: N803  the library's names
    return pl.col(column_A).ne_missing(pl.col(column_B))


def _too_alike(column: str, min_value: float) -> pl.Expr:
    """Of a proportion there is no count: all its rows make it what it is."""
    share = pl.col(column).n_unique() / pl.len()
    return pl.when(share < min_value).then(pl.len()).otherwise(0)


_BREAKS: dict[str, Callable[..., pl.Expr]] = {
    "ExpectColumnValuesToNotBeNull": _absent,
    "ExpectColumnValuesToBeInSet": _not_in_set,
    "ExpectColumnValuesToBeBetween": _outside,
    "ExpectColumnValuesToBeUnique": _repeated,
    "ExpectCompoundColumnsToBeUnique": _repeated_together,
    "ExpectColumnPairValuesToBeEqual": _unequal,
    "ExpectColumnProportionOfUniqueValuesToBeBetween": _too_alike,
}
"""Kind of expectation → whether a row breaks it."""


def _by_great_expectations(batch: Batch) -> dict[str, int]:
    """The library is imported here and nowhere else. It sends nothing anywhere.

    Its engine is asked directly: a context, with its stores and their YAML, costs twice as much as
    what is checked in it.
    """
    os.environ["GX_ANALYTICS_ENABLED"] = "false"
    logging.getLogger("great_expectations").setLevel(logging.CRITICAL)  # logs empty lists
    import great_expectations as gx
    from great_expectations.execution_engine.pandas_execution_engine import (
        PandasExecutionEngine,
    )
    from great_expectations.validator.validator import Validator

    engine = PandasExecutionEngine(batch_data_dict={"rows": batch.frame.to_pandas()})
    validator = Validator(execution_engine=engine)
    validator.metrics_calculator.show_progress_bars = False
    results = validator.graph_validate(
        configurations=[
            getattr(gx.expectations, kind)(**given, meta={"rule": rule}).configuration
            for rule, kind, given in batch.expectations
        ],
        # Counts only: a longer format would hold values of rows.
        runtime_configuration={
            "result_format": {"result_format": "BASIC", "partial_unexpected_count": 0}
        },
    )
    counts: dict[str, int] = {}
    for each in results:
        if not each.success and each.expectation_config and each.expectation_config.meta:
            # Of a proportion there is no count: all its rows make it what it is.
            count = each.result.get("unexpected_count", batch.frame.height)
            counts[each.expectation_config.meta["rule"]] = int(count)
    return counts
