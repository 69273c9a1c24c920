"""Searches that are due, made: the one place that acts on the table `enrichment_queue`."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from cairn.knowledge.ingest.inbox_events import notifications
from cairn.knowledge.ingest.inbox_events.searches import EFFECT
from cairn.knowledge.schema.tables import ENRICHMENT_QUEUE
from cairn.resources.context import State
from cairn.resources.effects import (
    acknowledge,
    forgotten,
    intend,
    intended,
    now,
    switch_on,
    switched_off,
)
from cairn.resources.home.usage import midnight
from cairn.resources.limits.day import day_use
from cairn.resources.web.search_provider import Failed, SearchProvider, search_provider

PAUSE = 600.0
"""Seconds after the provider could not be had until it is asked again."""

_TOLD = (
    "effect_id", "unit", "query", "trigger", "topic", "entity_id", "schedule_id", "learn_prompt_id",
)  # fmt: skip
"""What intent and receipt say of a search."""


@dataclass
class Enriched:
    """What a run did: how many searches."""

    due: int = 0
    done: int = 0
    empty: int = 0
    failed: int = 0
    begun_before: int = 0
    """An intent was there already: what became of it is not known, and it is not repeated."""
    left: int = 0
    """Due still, for another run: the budget is spent, or the provider is down."""
    switched_on: int = 0
    """Namespaces for which searches may be made from now on."""
    why: str = ""
    """Why nothing, or not all, was done."""


def queue(state: State, at: datetime) -> pl.DataFrame:
    """Rows of ENRICHMENT_QUEUE that are due at a moment, in the order in which they are done.

    Of a namespace no more than its limit of the day leaves.
    """
    due = pl.col("blocked_by").is_null() & (pl.col("due_at") <= at)
    found = state.warehouse.read(ENRICHMENT_QUEUE).filter(due).collect()
    found = found.filter(~forgotten(state, EFFECT, found, at)).sort("rank", "namespace")
    if not state.settings.limits:
        return found
    names = found["namespace"].unique().to_list()
    uses = [use for name in names if (use := day_use(state, name, "web_searches", at))]
    left = {use.namespace: use.most - use.used for use in uses}
    place = pl.int_range(pl.len()).over("namespace")
    most = pl.col("namespace").replace_strict(left, default=None, return_dtype=pl.Float64)
    return found.filter((place < most).fill_null(value=True))


def left_today(state: State, at: datetime) -> int:
    """Searches that the budget of the day leaves."""
    made = intended(state, EFFECT, midnight(at)).total()
    return max(state.settings.search_budget_day - made, 0)


def enrich(
    state: State,
    provider: SearchProvider | None = None,
    clock: Callable[[], datetime] = now,
) -> Enriched:
    """Makes the searches that are due, as far as the budgets go.

    Each is written to the inbox before it is made, and after it with what it brought; the next
    intake makes a search log of that.

    Raises:
        ConfigError: the provider that is set cannot be one.
    """
    report = Enriched()
    provider = provider or search_provider(state.settings)
    if provider is None:
        report.why = "no search provider is set (CAIRN_SEARCH_PROVIDER)"
        return report
    start = clock()
    for namespace in switched_off(state, ENRICHMENT_QUEUE):
        report.switched_on += switch_on(state, namespace, EFFECT, start)
        # What Cairn finds itself is told, the first of it too.
        switch_on(state, namespace, notifications.EFFECT, start)
    due = queue(state, start)
    report.due = due.height
    budget = min(state.settings.search_budget_run, left_today(state, start))
    mark = _mark(state)
    mark.unlink(missing_ok=True)
    for place, row in enumerate(due.iter_rows(named=True)):
        if not budget:
            report.left, report.why = due.height - place, "the budget of searches is spent"
            break
        item = {name: row[name] for name in _TOLD if row[name] is not None}
        namespace, effect_id = row["namespace"], row["effect_id"]
        if not intend(state, namespace, EFFECT, effect_id, item, clock()):
            report.begun_before += 1
            continue
        budget -= 1
        came = _searched(provider, row)
        acknowledge(state, namespace, EFFECT, effect_id, item | came, clock())
        if "error" not in came:
            results = came["results"]
            report.done += bool(results)
            report.empty += not results
            continue
        report.failed += 1
        if came.get("at_once"):
            mark.touch()
            report.left, report.why = due.height - place - 1, f"{provider.name}: {came['error']}"
            break
    return report


def _searched(provider: SearchProvider, row: Mapping[str, Any]) -> dict[str, Any]:
    """What a receipt says beside what was asked."""
    came = provider.search(row["query"])
    said: dict[str, Any] = {"provider": provider.name}
    if isinstance(came, Failed):
        return said | {"error": came.reason} | ({"at_once": True} if came.at_once else {})
    results = [msgspec.to_builtins(one) for one in came.results if one.text.strip()]
    return said | {"duration_ms": round(came.seconds * 1000), "results": results}


def waits(state: State) -> bool:
    """Whether the provider could not be had a short while ago."""
    mark = _mark(state)
    return mark.exists() and time.time() - mark.stat().st_mtime < PAUSE


def _mark(state: State) -> Path:
    return state.home.root / "search_waits"
