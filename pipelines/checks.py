"""Suites as blocking checks, and goals that only warn."""

import json
import logging
import os
from collections.abc import Iterator, Sequence

import dagster as dg
import polars as pl

from knowledge.identity import digest
from knowledge.tables import TABLES
from pipelines.goals import GOALS
from pipelines.suites import Batch, Suite, suites
from resources.files import replace_file
from resources.home import Home
from resources.state import State


class CheckFailed(Exception):  # noqa: N818  what happened
    """Rows of a table break a rule; the message names table, rule and count, and no row."""


def broken(batch: Batch) -> dict[str, int]:
    """Rules of a batch that do not hold, each with the number of its rows that break it.

    great_expectations is imported here and nowhere else: it takes seconds, and a run in which no
    table changed has no need of it. It sends nothing anywhere.
    """
    os.environ["GX_ANALYTICS_ENABLED"] = "false"
    logging.getLogger("great_expectations").setLevel(logging.CRITICAL)  # logs empty lists
    import great_expectations as gx

    if not batch.expectations:
        return {}
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    source = context.data_sources.add_pandas("frames")
    rows = source.add_dataframe_asset("rows").add_batch_definition_whole_dataframe("all")
    expectations = [
        getattr(gx.expectations, each.kind)(**each.given, meta={"rule": each.rule})
        for each in batch.expectations
    ]
    suite = gx.ExpectationSuite("suite", expectations=expectations)
    data = rows.get_batch(batch_parameters={"dataframe": batch.frame.to_pandas()})
    # A Boolean result format would leave out the counts; a longer one would hold values of rows.
    result = data.validate(suite, result_format={"result_format": "BASIC",
                                                 "partial_unexpected_count": 0})  # fmt: skip
    return {
        each.expectation_config.meta["rule"]: int(each.result.get("unexpected_count", 0))
        for each in result.results
        if not each.success
    }


class Passed:
    """Suites that passed, each with the versions that it saw: they are not run again for those."""

    def __init__(self, home: Home) -> None:
        self._file = home.root / "checks.json"
        self._held: dict[str, str] = {}
        if self._file.exists():
            self._held = json.loads(self._file.read_bytes())

    def __contains__(self, seen: tuple[Suite, dict[str, int | None]]) -> bool:
        suite, versions = seen
        return self._held.get(_name(suite)) == _seen(suite, versions)

    def add(self, suite: Suite, versions: dict[str, int | None]) -> None:
        """Keeps that a suite passed for these versions of the tables that it reads."""
        self._held[_name(suite)] = _seen(suite, versions)
        content = json.dumps(self._held, indent=1, sort_keys=True)
        replace_file(self._file, content.encode())


def _name(suite: Suite) -> str:
    return f"{suite.table}.{suite.name}"


def _seen(suite: Suite, versions: dict[str, int | None]) -> str:
    return digest(suite.content, *(f"{name}@{versions[name]}" for name in suite.reads))


def run_suite(state: State, suite: Suite, passed: Passed) -> dg.AssetCheckResult:
    """Runs a suite over the tables as they are now, unless it passed for just these versions."""
    versions = {name: state.warehouse.version(TABLES[name]) for name in suite.reads}
    seen = {f"version/{name}": v for name, v in versions.items() if v is not None}
    if (suite, versions) in passed:
        return _result(suite, {}, {"passed_before": True, **seen})

    def read(table: str, *columns: str, days: Sequence[str] | None = None) -> pl.LazyFrame:
        version = versions[table]
        return state.warehouse.read(TABLES[table], columns=columns, days=days, version=version)

    rows, wrong = 0, dict[str, int]()
    for batch in suite.batches(read):
        rows += batch.frame.height
        wrong |= broken(batch)
    if not wrong:
        passed.add(suite, versions)
    return _result(suite, wrong, {"rows": rows, **wrong, **seen})


def _result(
    suite: Suite, wrong: dict[str, int], metadata: dict[str, object]
) -> dg.AssetCheckResult:
    said = "; ".join(f"{rule}: {count} rows do not" for rule, count in wrong.items())
    return dg.AssetCheckResult(
        asset_key=suite.table,
        check_name=suite.name,
        passed=not wrong,
        severity=dg.AssetCheckSeverity.ERROR if suite.blocking else dg.AssetCheckSeverity.WARN,
        description=said or suite.about,
        metadata=metadata,
    )


def _check(table: str, own: Sequence[Suite]) -> dg.AssetChecksDefinition:
    """One step per table, with a check for each suite."""

    @dg.multi_asset_check(
        name=f"check_{table}",
        description=f"What must hold of {table}.",
        specs=[
            dg.AssetCheckSpec(
                suite.name, asset=table, description=suite.about, blocking=suite.blocking
            )
            for suite in own
        ],
    )
    def check(state: dg.ResourceParam[State]) -> Iterator[dg.AssetCheckResult]:
        passed = Passed(state.home)
        failed: list[str] = []
        for suite in own:
            result = run_suite(state, suite, passed)
            yield result
            if suite.blocking and not result.passed:
                failed.append(f"{table}, {suite.name}: {result.description}")
        if failed:
            raise CheckFailed("; ".join(failed))

    return check


def checks() -> list[dg.AssetChecksDefinition]:
    """A step of checks for each table, and the goals."""
    every = suites()
    tables = dict.fromkeys(suite.table for suite in every)
    return [
        *(_check(table, [s for s in every if s.table == table]) for table in tables),
        *GOALS,
    ]


CHECKS = checks()
