"""Suites as blocking checks, and goals that only warn."""

import json
import logging
import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import dagster as dg
import polars as pl

from assets import plots
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
    if not batch.expectations:
        return {}
    os.environ["GX_ANALYTICS_ENABLED"] = "false"
    logging.getLogger("great_expectations").setLevel(logging.CRITICAL)  # logs empty lists
    import great_expectations as gx
    from great_expectations.data_context.types import base

    context = gx.get_context(
        mode="ephemeral",
        project_config=base.DataContextConfig(
            progress_bars=base.ProgressBarsConfig(globally=False),
            # Else each context would leave a folder for its pages behind.
            store_backend_defaults=base.InMemoryStoreBackendDefaults(init_temp_docs_sites=False),
        ),
    )
    source = context.data_sources.add_pandas("frames")
    rows = source.add_dataframe_asset("rows").add_batch_definition_whole_dataframe("all")
    expectations = [
        getattr(gx.expectations, each.kind)(**each.given, meta={"rule": each.rule})
        for each in batch.expectations
    ]
    suite = gx.ExpectationSuite("suite", expectations=expectations)
    data = rows.get_batch(batch_parameters={"dataframe": batch.frame.to_pandas()})
    # Counts only: a longer format would hold values of rows.
    counts_only = {"result_format": "BASIC", "partial_unexpected_count": 0}
    result = data.validate(suite, result_format=counts_only)
    counts: dict[str, int] = {}
    for each in result.results:
        if not each.success and each.expectation_config and each.expectation_config.meta:
            # Of a proportion there is no count: all its rows make it what it is.
            count = each.result.get("unexpected_count", batch.frame.height)
            counts[each.expectation_config.meta["rule"]] = int(count)
    return counts


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


class Found(NamedTuple):
    """What a suite found: rows that were looked at, and rows that break each rule."""

    suite: Suite
    rows: int | None
    """None if it passed before for the same versions."""
    broken: dict[str, int]


def run_suite(state: State, suite: Suite, passed: Passed) -> Found:
    """Runs a suite over the tables as they are now, unless it passed for just these versions."""
    versions = {name: state.warehouse.version(TABLES[name]) for name in suite.reads}
    if (suite, versions) in passed:
        return Found(suite, None, {})

    def read(table: str, *columns: str, days: Sequence[str] | None = None) -> pl.LazyFrame:
        version = versions[table]
        return state.warehouse.read(TABLES[table], columns=columns, days=days, version=version)

    rows = 0
    wrong: dict[str, int] = {}
    for batch in suite.batches(read):
        rows += batch.frame.height
        wrong |= broken(batch)
    if not wrong:
        passed.add(suite, versions)
    return Found(suite, rows, wrong)


def _result(name: str, found: Sequence[Found], *, blocking: bool) -> dg.AssetCheckResult:
    wrong = [
        f"{rule}: not so in {count} row{'' if count == 1 else 's'}"
        for each in found
        for rule, count in each.broken.items()
    ]
    shown = [
        {
            "suite": each.suite.name,
            "rows": "as before" if each.rows is None else str(each.rows),
            "broken": sum(each.broken.values()),
            "about": each.suite.about,
        }
        for each in found
    ]
    return dg.AssetCheckResult(
        asset_key=found[0].suite.table,
        check_name=name,
        passed=not wrong,
        severity=dg.AssetCheckSeverity.ERROR if blocking else dg.AssetCheckSeverity.WARN,
        description="; ".join(wrong) or "; ".join(each.suite.about for each in found),
        metadata={"suites": plots.table(pl.DataFrame(shown))},
    )


GROUPS = {
    "sources": ("extractors", "records"),
    "logs": ("raw_logs", "conversations", "episodes"),
    "findings": ("candidates", "learning_candidates"),
    "names": ("entities", "rejections", "introductions"),
    "facts": ("facts", "fact_sources"),
    "learnings": ("learnings",),
    "vectors_and_evidence": ("embeddings", "evidence"),
    "changes": ("confidence_updates", "merges", "themes", "clusters"),
    "memory": ("memory", "memory_entities"),
    "end": ("vector_index", "funnel", "source_files", "dead_letters", "work"),
}  # fmt: skip
"""Tables that one step checks: none is made from another one behind the step before it."""

INVARIANTS, DUPLICATES = "invariants", "duplicates"


def _group(name: str, own: Sequence[Suite]) -> dg.AssetChecksDefinition:
    """One step: for each table a check that blocks, and one that warns where there is any."""
    parts: dict[tuple[str, bool], list[Suite]] = {}
    for suite in own:
        parts.setdefault((suite.table, suite.blocking), []).append(suite)

    @dg.multi_asset_check(
        name=f"check_{name}",
        description=f"What must hold of {', '.join(dict.fromkeys(s.table for s in own))}.",
        specs=[
            dg.AssetCheckSpec(
                INVARIANTS if blocking else DUPLICATES,
                asset=table,
                description=" ".join(suite.about for suite in asked),
                blocking=blocking,
            )
            for (table, blocking), asked in parts.items()
        ],
    )
    def check(state: dg.ResourceParam[State]) -> Iterator[dg.AssetCheckResult]:
        passed = Passed(state.home)
        failed: list[str] = []
        for (table, blocking), asked in parts.items():
            found = [run_suite(state, suite, passed) for suite in asked]
            result = _result(INVARIANTS if blocking else DUPLICATES, found, blocking=blocking)
            yield result
            if blocking and not result.passed:
                failed.append(f"{table}: {result.description}")
        if failed:
            raise CheckFailed("; ".join(failed))

    return check


def checks() -> list[dg.AssetChecksDefinition]:
    """The suites of all tables, in a few steps, and the goals."""
    every = suites()
    groups = [
        _group(name, [suite for table in tables for suite in every if suite.table == table])
        for name, tables in GROUPS.items()
    ]
    return [*groups, *GOALS]


CHECKS = checks()
