"""The measures of a namespace, as `cairn metrics` and /metrics tell them."""

from datetime import UTC, datetime

import polars as pl

from cairn.knowledge.quality.measures import (
    READS,
    WEEK,
    Measure,
    columns_read,
    of_knowledge,
    of_use,
)
from cairn.knowledge.schema.tables import DEAD_LETTERS, MODEL_CALLS, SOURCE_FILES, WORK
from cairn.resources.home.usage import use_since
from cairn.resources.limits.day import DayUse, day_uses
from cairn.serving.read.reader import Reader
from cairn.serving.status.freshness import Freshness, freshness
from cairn.serving.status.pending import pending


def published_measures(reader: Reader) -> list[Measure]:
    """Measures of what is published, at the reader's moment: they change with a publication."""
    frames = {table.name: reader.table(table, columns_read(table)).collect() for table in READS}
    memory = reader.memory().select("fact_id", "predicate", "event", "status").collect()
    return of_knowledge(frames, memory, reader.as_of)


def present_measures(reader: Reader, now: datetime | None = None) -> list[Measure]:
    """Measures of what is used, paid, and waits, by the clock."""
    moment = now or datetime.now(UTC)
    state = reader.state
    uses = use_since(state.home, reader.namespace, moment - WEEK)
    calls = reader.table(MODEL_CALLS).collect()
    return [
        *of_use(uses, calls, moment),
        *_work(reader, freshness(state, reader.namespace, moment)),
        *_limits(day_uses(state, reader.namespace, moment)),
    ]


def _limits(uses: list[DayUse]) -> list[Measure]:
    used = "What the namespace took this UTC day of what is limited."
    return [
        Measure(name, about, value, {"kind": use.kind})
        for use in uses
        for name, about, value in (
            ("limit_used", used, use.used),
            ("limit", "What it may take of a day (setting: limits).", use.most),
        )
    ]


def _work(reader: Reader, fresh: Freshness) -> list[Measure]:
    state, namespace = reader.state, reader.namespace

    def height(frame: pl.LazyFrame) -> int:
        return frame.select(pl.len()).collect().item()

    lost = pl.col("outcome").is_in(["rejected", "failed"])
    about = (
        "Work that is to be done, failed, or was given up: `cairn status`, `cairn dead-letters`."
    )
    files = state.warehouse.read(SOURCE_FILES, namespace=namespace)
    units = state.warehouse.read(WORK, namespace=namespace)
    counts = {
        "queued_files": fresh.changed_files,
        "queued_events": len(pending(state, namespace)),
        "failed_files": height(files.filter(lost)),
        "failed_units": height(units.filter(pl.col("outcome") == "failed")),
        "dead_letters": height(state.warehouse.read(DEAD_LETTERS, namespace=namespace)),
    }
    return [
        *(Measure("work", about, count, {"kind": kind}) for kind, count in counts.items()),
        Measure(
            "lag_seconds",
            "How long what was logged has waited to be published; 0 if nothing waits.",
            fresh.lag_seconds,
            why=None if fresh.lag_seconds is not None else "nothing is published yet",
        ),
        Measure(
            "blocked",
            "1 if what is there is not published, since something is wrong with it.",
            int(bool(fresh.blocked_by)),
        ),
    ]
