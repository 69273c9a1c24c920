"""Publication: when the invariants hold, readers get everything at once."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import dagster as dg
import polars as pl

from assets.extractors import in_force
from assets.progress import Report, timed
from knowledge.days import watermark
from knowledge.extractors import extractors_frame
from knowledge.invariants import violations
from knowledge.tables import (
    CONVERSATIONS,
    EXTRACTORS,
    RAW_LOGS,
    TABLES,
    VECTOR_INDEX,
    WORK,
    Table,
)
from resources.lock import write_lock
from resources.publication import (
    Manifest,
    generations_in_use,
    namespaces,
    publish,
    published,
)
from resources.state import State

PUBLISHED = tuple(table for table in TABLES.values() if table is not WORK)
"""Tables that readers may follow; `work` is the writers' own."""


class InvariantsBroken(Exception):  # noqa: N818  what happened, not a kind of error
    """Nothing was published for a namespace: readers keep what they had."""


def versions(state: State) -> dict[str, int]:
    """Version of each table that is there."""
    found = {table.name: state.warehouse.version(table) for table in PUBLISHED}
    return {name: version for name, version in found.items() if version is not None}


def is_stale(state: State) -> bool:
    """Whether tables by day, or what is in force, changed since some namespace was published."""
    now = state.warehouse.version(RAW_LOGS)
    if now is None:
        return False
    current = versions(state)
    if not extractors_frame(in_force(), state.policy).equals(_sorted(state, EXTRACTORS)):
        return True
    days = [table.name for table in PUBLISHED if table.by_day and table.name in current]
    days.append(EXTRACTORS.name)
    held = state.warehouse.read(CONVERSATIONS, columns=["namespace"]).unique().collect()
    for namespace in {*held["namespace"], *namespaces(state.home)}:
        manifest = published(state.home, namespace)
        if manifest is None or any(manifest.tables.get(n) != current[n] for n in days):
            return True
    return False


def _sorted(state: State, table: Table) -> pl.DataFrame:
    return state.warehouse.read(table).collect().sort(table.key)


def run_publication(state: State) -> tuple[Report, dict[str, list[str]]]:
    """Publishes each namespace whose invariants hold; says which ones do not, and why."""
    with write_lock(state.home, "publication"), timed("publication") as finished:
        tables = versions(state)
        ends = state.warehouse.read(CONVERSATIONS, columns=["namespace", "ended_at"]).collect()
        generations = {
            row["namespace"]: row["generation"]
            for row in state.warehouse.read(VECTOR_INDEX).collect().iter_rows(named=True)
        }
        broken: dict[str, list[str]] = {}
        count = written = 0
        for namespace in sorted({*ends["namespace"], *namespaces(state.home)}):
            count += 1
            manifest = Manifest(
                namespace,
                generations.get(namespace),
                tables,
                watermark(ends.filter(pl.col("namespace") == namespace), "ended_at"),
                datetime.now(UTC),
            )
            if manifest.same_content(published(state.home, namespace)):
                continue
            if wrong := violations(_frames(state, namespace, tables)):
                broken[namespace] = wrong
            else:
                written += publish(state.home, manifest)
                state.index.prune(namespace, generations_in_use(state.home, namespace))
        return finished(
            Report("publication", count, done=count - len(broken), failed=len(broken),
                   rows=count, written=written)
        ), broken  # fmt: skip


def _frames(state: State, namespace: str, tables: Mapping[str, int]) -> dict[str, pl.LazyFrame]:
    return {
        name: state.warehouse.read(TABLES[name], namespace=namespace, version=version)
        for name, version in tables.items()
        if "namespace" in TABLES[name].columns
    }


@dg.multi_asset(
    specs=[
        dg.AssetSpec(
            "publication",
            # All that the manifest names, so that a check that fails on any of it holds it back.
            deps=sorted(TABLES),
            description="One manifest per namespace: the versions that readers follow.",
            group_name="serving",
        )
    ],
    name="publication",
)
def publication_asset(
    state: dg.ResourceParam[State],
) -> Iterator[dg.MaterializeResult[Any]]:
    """Replaces the manifest of each namespace whose invariants hold.

    Raises:
        InvariantsBroken: those of some namespace do not; the others are published.
    """
    report, broken = run_publication(state)
    current = {n: published(state.home, n) for n in namespaces(state.home)}
    yield dg.MaterializeResult(
        asset_key="publication",
        metadata={
            "namespaces": len(current),
            "published_now": report.written,
            "seconds": round(report.seconds, 3),
            **{f"generation/{n}": m.generation or "" for n, m in current.items() if m},
        },
    )
    if broken:
        raise InvariantsBroken(
            "; ".join(f"{namespace}: {', '.join(wrong)}" for namespace, wrong in broken.items())
        )
