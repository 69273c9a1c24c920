"""What a namespace took of a UTC day, against what `limits` allows it."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import polars as pl

from cairn.knowledge.schema.tables import RECORDS, SOURCE_FILES
from cairn.resources.context import State
from cairn.resources.home.log_files import LogFile, changed
from cairn.resources.home.settings import Limits
from cairn.resources.home.sources import files_there
from cairn.resources.home.usage import midnight, uses_since_midnight

KINDS = tuple(Limits.model_fields)


class LimitReached(Exception):  # noqa: N818  what is told
    """A namespace took what it may of a day; the message names the limit, and tells until when."""

    def __init__(self, use: "DayUse", now: datetime) -> None:
        super().__init__(f"{use.words}: it goes on at 00:00 UTC")
        self.seconds = (midnight(now) + timedelta(days=1) - now).total_seconds()
        """Until the next day."""


class DayUse(NamedTuple):
    """What a namespace took today of a thing that is limited."""

    namespace: str
    kind: str
    """One of KINDS."""
    used: float
    most: float

    @property
    def reached(self) -> bool:
        """Whether there is no more today."""
        return self.used >= self.most

    @property
    def words(self) -> str:
        """What is limited, by its setting, and how much is used."""
        return f"limits.{self.namespace}.{self.kind}: {self.used:,.15g} of {self.most:,.15g} today"


def day_use(state: State, namespace: str, kind: str, now: datetime | None = None) -> DayUse | None:
    """What a namespace took today of one of KINDS; None where that is not limited."""
    most = getattr(state.settings.limits_of(namespace), kind)
    if most is None:
        return None
    used = _used(state, namespace, kind, now or datetime.now(UTC))
    return DayUse(namespace, kind, used, most)


def day_uses(state: State, namespace: str, now: datetime | None = None) -> list[DayUse]:
    """What a namespace took today of each thing that is limited."""
    return [use for kind in KINDS if (use := day_use(state, namespace, kind, now))]


def check_limit(state: State, namespace: str, kind: str, now: datetime | None = None) -> None:
    """Makes sure that a namespace may take more of something.

    Raises:
        LimitReached: it may not, today.
    """
    moment = now or datetime.now(UTC)
    use = day_use(state, namespace, kind, moment)
    if use and use.reached:
        raise LimitReached(use, moment)


def files_held_back(state: State) -> list[LogFile]:
    """Changed files of the sources that wait for another day."""
    if not state.settings.limits:
        return []
    known = state.warehouse.read(SOURCE_FILES).collect()
    return held_back(state, changed(files_there(state.home, state.namespace), known), known)


def held_back(state: State, files: Sequence[LogFile], known: pl.DataFrame) -> list[LogFile]:
    """Of changed files, in the order in which they are taken in, those that wait for another day.

    A file of which anything may be taken in is taken in whole. What people told Cairn never waits.

    Args:
        state: Whose limits.
        files: What changed.
        known: Rows of SOURCE_FILES of them.
    """
    names = {file.namespace for file in files}
    uses = [use for name in names if (use := day_use(state, name, "log_bytes"))]
    left = {use.namespace: use.most - use.used for use in uses}
    if not left:
        return []
    read = {row[:2]: row[2] for row in known.select("namespace", "path", "consumed").iter_rows()}
    waits: list[LogFile] = []
    for file in files:
        name = file.namespace
        if name not in left or file.path.is_relative_to(state.home.inbox):
            continue
        if left[name] <= 0:
            waits.append(file)
        done = read.get((name, file.name), 0)
        left[name] -= file.size - (done if done <= file.size else 0)
    return waits


def _used(state: State, namespace: str, kind: str, now: datetime) -> float:
    today = midnight(now)
    if kind == "model_dollars":
        return state.answers.paid(today, namespace)
    if kind == "searches":
        return uses_since_midnight(state.home, namespace, now)
    if kind == "web_searches":
        # A search of memory needs neither.
        from cairn.knowledge.ingest.inbox_events.searches import EFFECT
        from cairn.resources.effects import intended

        return intended(state, EFFECT, today)[namespace]
    records = state.warehouse.read(RECORDS, namespace=namespace, columns=["seen_at", "size"])
    sizes = records.filter(pl.col("seen_at") >= today).select(pl.col("size").sum())
    return sizes.collect().item()
