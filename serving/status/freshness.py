"""How fresh is what readers have of a namespace, and why it is no fresher: for every surface."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import NamedTuple

import polars as pl

from cairn.knowledge.schema.tables import RECORDS, SOURCE_FILES
from cairn.resources.context import State
from cairn.resources.home.log_files import changed
from cairn.resources.home.sources import files_there
from cairn.resources.limits.day import held_back
from cairn.resources.llm.verdict_limits import SuiteVerdicts
from cairn.resources.warehouse.publication import (
    Manifest,
    blocked_namespaces,
    namespaces,
    published,
    read_published,
)
from cairn.serving.read.display import count, span

ADVICE = "`cairn doctor` tells more"


class Freshness(NamedTuple):
    """What readers have of a namespace, and what they do not have yet."""

    namespace: str
    published_at: datetime | None
    """When it was published, by the clock; None if it never was."""
    latest_event: datetime | None
    """The latest that readers know of."""
    changed_files: int
    """Files, and months of the inbox, that are new or have grown since they were read."""
    held_back: int
    """Of these, files that wait for the next UTC day: their namespace took in what it may."""
    lag_seconds: float | None
    """How long what was logged has waited to be published: 0 if nothing waits; None if nothing was
    ever published."""
    blocked_by: list[str]
    """Why what is there is not published; empty if it may be."""

    @property
    def words(self) -> str:
        """All of it in a sentence."""
        if self.blocked_by:
            return f"blocked, so readers keep what they had: {reasons(self.blocked_by)}"
        files = count(self.changed_files, "changed file")
        if self.published_at is None:
            return f"nothing is published yet; {files} to take in"
        if not self.lag_seconds:
            return "all that was logged is published"
        if 0 < self.held_back == self.changed_files:
            return f"{files} to take in after 00:00 UTC: limits.{self.namespace}.log_bytes"
        waits = f"{files} to take in" if self.changed_files else "what was taken in"
        return f"{waits}: waiting for {span(self.lag_seconds)}; `cairn run`"


def freshness(state: State, namespace: str, now: datetime | None = None) -> Freshness:
    """How fresh a namespace is; looks at its files, without reading them.

    Args:
        state: The home.
        namespace: One of `all_namespaces`; of any other, nothing is there.
        now: The moment that a wait is measured to; the clock's if None.
    """
    moment = now or datetime.now(UTC)
    manifest = published(state.home, namespace)
    known = state.warehouse.read(SOURCE_FILES, namespace=namespace).collect()
    files = changed(files_there(state.home, namespace), known)
    waits = [*_waits(state, manifest, known), *(file.modified_ns / 1e9 for file in files)]
    lag = None
    if manifest:
        # Files that are older were not there, or no source of ours, when it was published last.
        since = max(min(waits, default=0.0), manifest.published_at.timestamp())
        lag = max(moment.timestamp() - since, 0.0) if waits else 0.0
    ends = [manifest.watermark, manifest.last_input_at] if manifest else []
    return Freshness(
        namespace,
        manifest.published_at if manifest else None,
        max(filter(None, ends), default=None),
        len(files),
        len(held_back(state, files, known)),
        lag,
        blocking_reasons(state, [namespace]).get(namespace, []),
    )


def _waits(state: State, manifest: Manifest | None, known: pl.DataFrame) -> list[float]:
    """Times (seconds since 1970) of files that were taken in and whose records nobody reads yet."""
    if manifest is None:
        return []
    now = state.warehouse.version(RECORDS, manifest.namespace)
    if now in (None, manifest.tables.get(RECORDS.name)):
        return []
    before = read_published(state.warehouse, manifest, SOURCE_FILES).select("path", "digest")
    new = known.join(before.collect(), on=["path", "digest"], how="anti")
    return [modified / 1e9 for modified in new["modified_ns"]] or [0.0]


def all_namespaces(state: State) -> list[str]:
    """Namespaces of which something is published, taken in, or there to be taken in."""
    known = state.warehouse.read(SOURCE_FILES, columns=["namespace"]).unique().collect()
    there = {file.namespace for file in files_there(state.home)}
    return sorted({*namespaces(state.home), *known["namespace"], *there})


def blocking_reasons(state: State, of: Iterable[str] | None = None) -> dict[str, list[str]]:
    """Of some namespaces, or of all, those that are not published as they stand, and why.

    Their invariants do not hold.
    """
    held = blocked_namespaces(state.home)
    found = {
        name: SuiteVerdicts(state.home, name).reasons
        or list(held[name].reasons if name in held else ())
        for name in (sorted({*held, *namespaces(state.home)}) if of is None else of)
    }
    return {name: each for name, each in found.items() if each}


def reasons(why: list[str]) -> str:
    """Why a namespace is blocked, with the command that says more, unless a reason has one."""
    told = "; ".join(why)
    return told if "`cairn" in told else f"{told}; {ADVICE}"
