"""The measures of a namespace, as `cairn metrics` and /metrics tell them."""

import math
from datetime import UTC, datetime, timedelta

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
from cairn.resources.context import State
from cairn.resources.home.usage import midnight, use_since
from cairn.resources.limits.day import DayUse, day_uses
from cairn.resources.llm.answer_cache import AnswersError
from cairn.serving.read.reader import Reader
from cairn.serving.status.freshness import Freshness, freshness
from cairn.serving.status.open_batches import batch_rows
from cairn.serving.status.pending import pending

DAY = timedelta(days=1)


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
        *waiting_measures(state, reader.namespace, moment),
    ]


def waiting_measures(state: State, namespace: str, now: datetime | None = None) -> list[Measure]:
    """Measures of what waits, fails and is paid, whether anything is published or not."""
    moment = now or datetime.now(UTC)
    return [
        *_work(state, namespace, freshness(state, namespace, moment)),
        *_paid(state, namespace, moment),
        _unpushed(state, namespace),
        *_limits(day_uses(state, namespace, moment)),
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


def _work(state: State, namespace: str, fresh: Freshness) -> list[Measure]:
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


def _paid(state: State, namespace: str, now: datetime) -> list[Measure]:
    """What the ledger says: also of calls that no publication has yet."""
    spent: float | None = None
    unanswered: int | None = None
    why = None
    try:
        spent = state.answers.paid(midnight(now), namespace)
        calls = state.answers.unanswered(now - DAY, namespace)
        unanswered = sum(count for _, _, count, _ in calls)
    except AnswersError as error:
        why = str(error)
    limit = state.settings.budget_day
    # Where all that is waited for is in batches, nobody failed.
    asks = state.settings.model is not None and (unanswered or not batch_rows(state, namespace))
    return [
        Measure(
            "cost_today_dollars",
            "Paid since midnight (UTC) for language models and embeddings, as far as prices are"
            " known.",
            spent,
            why=why,
        ),
        Measure(
            "budget_day_dollars",
            "What all namespaces together may pay a UTC day (budget_day).",
            limit,
            why=None if limit is not None else "budget_day is not set",
        ),
        Measure(
            "calls_unanswered_day",
            "Calls to language models of the last 24 hours without an answer.",
            unanswered,
            why=why,
        ),
        Measure(
            "model_waits",
            "1 if the language model could not be had when last asked: provider down, or budget"
            " spent.",
            int(bool(asks) and not math.isinf(state.of(namespace).model_waited)),
        ),
    ]


def _unpushed(state: State, namespace: str) -> Measure:
    shared = state.sharing
    return Measure(
        "unpushed",
        "1 if homes that share do not have all that is here yet.",
        int(shared.of(namespace).has_unpushed("")) if shared else None,
        why=None if shared else "this home shares with none (warehouse)",
    )
