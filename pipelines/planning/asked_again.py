"""What a changed prompt, model or policy would have a language model asked again, for the UI."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import polars as pl

from cairn.assets.engine.plots import table
from cairn.assets.pending.in_force import in_force
from cairn.knowledge.schema.tables import WORK
from cairn.pipelines.planning.in_flight import AGAIN_TAG
from cairn.pipelines.planning.stale import ExtractorChange, in_all, staleness
from cairn.resources.context import State

SHOWN = ("name", "change", "conversations", "calls", "tokens", "dollars")


def asked_again(state: State) -> list[ExtractorChange]:
    """Of a namespace, what was made by another prompt, model or policy, and takes calls to redo.

    Unless `work` holds any of it, nothing but that is read.
    """
    if state.settings.model is None:
        return []
    now = {each.name: each.fingerprint(state.policy) for each in in_force(state.settings)
           if each.asks}  # fmt: skip
    by = pl.col("stage").replace_strict(now, default=None, return_dtype=pl.String)
    noted = state.warehouse.read(WORK, columns=["namespace", "stage", "fingerprint"])
    if noted.filter(by != pl.col("fingerprint")).head(1).collect().is_empty():
        return []
    return [change for change in staleness(state).changes if change.calls]


def asked_again_shown(state: State) -> Mapping[str, Any]:
    """The same as metadata of an asset: how much it takes, of what, and what becomes of it."""
    changes = asked_again(state)
    if not changes:
        return {}
    every = in_all(changes)
    rows = pl.DataFrame([{name: asdict(each)[name] for name in SHOWN} for each in changes])
    dollars = {} if every.dollars is None else {"asked_again/dollars": every.dollars}
    return {
        "asked_again": _becomes(state),
        "asked_again/calls": every.calls,
        "asked_again/tokens": every.tokens,
        **dollars,
        "asked_again/changes": table(rows.with_columns(pl.col("dollars").cast(pl.Float64))),
    }


def _becomes(state: State) -> str:
    """Whether this run asks again, in words."""
    if state.asks_again and state.has_budget:
        return "This run asks again, as far as budget_run and budget_day go."
    if state.asks_again:
        return "This run asks again; no budget bounds it."
    why = (
        "auto_backfill is never" if state.settings.auto_backfill == "never" else "no budget is set"
    )
    return (
        f"Left as it is, since {why}. `cairn backfill --stale --namespace {state.own}` asks again,"
        f" and so does a backfill from here with the tag `{AGAIN_TAG}`."
    )
