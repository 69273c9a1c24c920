"""Raw logs: what decides them, where each record belongs, and the days that owe some."""

import polars as pl

from cairn.knowledge.engine.extractors import Extractor
from cairn.knowledge.engine.work import day_units, pending_units, removed_units
from cairn.knowledge.ingest.adapters import adapters
from cairn.knowledge.ingest.events import HEAD_COLUMNS, placed
from cairn.knowledge.llm import prompt_injection
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import RECORDS, WORK
from cairn.resources.context import State

STAGE = Extractor(
    "raw_logs",
    "stage",
    13,
    "Events, conversations and episodes, as adapters decide.",
    (
        "channel_silence_hours",
        "episode_text_characters",
        "leap_days",
        "pause_years",
        "late_days",
    ),
    (f"injection@{prompt_injection.VERSION}",),
)


def fingerprint(policy: Policy) -> str:
    """Changes with the stage, its policy, and any adapter."""
    versions = sorted(adapter.fingerprint for adapter in adapters().values())
    return digest(STAGE.fingerprint(policy), *versions)


def places(state: State) -> pl.DataFrame:
    """Where every record belongs: its time, conversation and day.

    `recorded_at` is the time by which it is found in `records`.
    """

    def make() -> pl.DataFrame:
        heads = state.warehouse.read(RECORDS, columns=list(HEAD_COLUMNS)).collect()
        return placed(heads.with_columns(recorded_at="occurred_at"), state.policy)

    commit = None if state.namespace is None else state.warehouse.commit(RECORDS)
    if commit is None:
        return make()
    return state.kept("places", (commit, fingerprint(state.policy)), make)


def pending_days(state: State, where: pl.DataFrame | None = None) -> list[str]:
    """Days whose records or adapters changed since their raw logs were made."""
    where = places(state) if where is None else where
    work = state.warehouse.read(WORK).collect()
    units = day_units(where, STAGE.name, fingerprint(state.policy))
    gone = removed_units(units, work, [STAGE.name])
    return sorted({*pending_units(units, work)["day"], *gone["unit"]})
