"""What came of offers: shown against held out, and no more said than the counts say."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import polars as pl
import pytest

from cairn.knowledge.ingest.inbox_events.offers import HookOffer
from cairn.knowledge.offers.utility import (
    HARMS,
    HELPS,
    MANY,
    NOTHING,
    TOO_FEW,
    difference,
    offered_no_more,
    utility,
    verdict,
)
from cairn.knowledge.schema.tables import (
    COMMAND_RUNS,
    ERROR_SIGNATURES,
    FACT_SOURCES,
    FAILURES,
    PRACTICES,
    RAW_LOGS,
    Table,
)

START = datetime(2026, 5, 1, 9, tzinfo=UTC)


def at(minutes: float) -> datetime:
    return START + timedelta(minutes=minutes)


def rows(table: Table, *given: dict[str, Any]) -> pl.DataFrame:
    """Rows of a table, of which what is not given is empty."""
    empty = dict.fromkeys(table.columns) | {"namespace": "ada"}
    return pl.DataFrame([empty | one for one in given], schema=table.schema)


def offer(
    session: str, moment: str, *shown: str, held: tuple[str, ...] = (), minute: float = 0
) -> dict[str, Any]:
    told = HookOffer("codex", moment, session, "shop", list(shown), list(held), 10)
    return {
        "kind": "effect", "tool_name": "offer", "occurred_at": at(minute),
        "tool_input": msgspec.json.encode(told).decode(), "record_id": f"{session}-{minute}",
    }  # fmt: skip


def ran(session: str, minute: float, command: str, task: str = "lint") -> dict[str, Any]:
    return {"conversation_id": session, "occurred_at": at(minute), "command": command, "task": task}


def failure(session: str, minute: float, outcome: str, settled: float | None) -> dict[str, Any]:
    return {
        "conversation_id": session, "occurred_at": at(minute), "tool_family": "go",
        "signature": "undefined: {name}", "outcome": outcome,
        "settled_at": at(settled) if settled is not None else None,
    }  # fmt: skip


LINT = rows(PRACTICES, {"practice_id": "w_1", "task": "lint", "command": "make lint"})
FIX = rows(
    ERROR_SIGNATURES,
    {"fix_id": "ef_1", "tool_family": "go", "signature": "undefined: {name}", "project": "shop"},
)


def told(
    logs: list[dict[str, Any]],
    runs: Sequence[dict[str, Any]] = (),
    failures: Sequence[dict[str, Any]] = (),
    sources: Sequence[dict[str, Any]] = (),
) -> dict[tuple[str, str], dict[str, Any]]:
    table = utility(
        rows(RAW_LOGS, *logs), rows(COMMAND_RUNS, *runs), rows(FAILURES, *failures), FIX, LINT,
        rows(FACT_SOURCES, *sources),
    )  # fmt: skip
    return {(row["piece_id"], row["outcome"]): row for row in table.iter_rows(named=True)}


def test_a_command_is_used_only_where_its_task_was_done_after_the_offer() -> None:
    logs = [
        *(offer(session, "start", "w_1") for session in ("used", "other", "none")),
        offer("before", "start", "w_1", minute=9), offer("held", "start", held=("w_1",)),
    ]  # fmt: skip
    runs = [
        ran("used", 3, "ruff check"), ran("used", 4, "make lint"), ran("other", 3, "ruff check"),
        ran("before", 3, "make lint"), ran("held", 3, "make lint"), ran("none", 3, "ls", "run"),
    ]  # fmt: skip
    row = told(logs, runs)["w_1", "used"]
    assert (row["shown"], row["shown_good"], row["held"], row["held_good"]) == (2, 1, 1, 1)
    assert row["offered"] == 3
    assert row["verdict"] == TOO_FEW
    assert told(logs, runs)["", "used"]["shown"] == 2, "and of its kind"


def test_an_error_ends_soon_or_comes_again() -> None:
    logs = [
        offer("soon", "failure", "ef_1", minute=5), offer("again", "failure", "ef_1", minute=5),
        offer("late", "failure", held=("ef_1",), minute=5), offer("brief", "start", "ef_1"),
    ]  # fmt: skip
    failures = [
        failure("soon", 4.9, "fixed", 8), failure("again", 4.9, "open", None),
        failure("again", 9, "open", None), failure("late", 4.9, "fixed", 60),
        failure("brief", 30, "fixed", 33),
    ]  # fmt: skip
    runs = [ran("late", minute, "go test", "test") for minute in range(10, 20)]
    runs += [ran("soon", 6, "go test", "test")]
    found = told(logs, runs, failures)
    again, soon = found["ef_1", "not_again"], found["ef_1", "ended_soon"]
    assert (again["shown"], again["shown_good"], again["held"], again["held_good"]) == (2, 1, 1, 1)
    assert (soon["shown"], soon["shown_good"], soon["held"], soon["held_good"]) == (3, 2, 1, 0)


def test_what_a_person_says_again_was_not_heard() -> None:
    logs = [
        offer("again", "start", "f_1"),
        offer("quiet", "start", "f_1"),
        offer("x", "start", "l_1"),
    ]
    sources = [
        {"conversation_id": "again", "fact_id": "f_1", "occurred_at": at(7)},
        {"conversation_id": "elsewhere", "fact_id": "f_1", "occurred_at": at(7)},
    ]
    found = told(logs, sources=sources)
    assert (found["f_1", "not_repeated"]["shown"], found["f_1", "not_repeated"]["shown_good"]) == (
        2,
        1,
    )
    assert found["l_1", ""]["verdict"] == "not_measured"
    assert found["l_1", ""]["offered"] == 1


def test_a_piece_counts_once_in_a_session_and_as_it_was_first() -> None:
    logs = [
        offer("s", "start", "w_1", minute=1), offer("s", "start", "w_1", minute=2),
        offer("s", "start", held=("w_1",), minute=3),
    ]  # fmt: skip
    row = told(logs, [ran("s", 5, "make lint")])["w_1", "used"]
    assert (row["shown"], row["held"], row["offered"]) == (1, 0, 1)


def test_without_offers_there_is_nothing() -> None:
    assert told([]) == {}


def test_what_harms_or_brings_nothing_is_offered_no_more() -> None:
    never = [offer(f"s{n}", "start", "w_1") for n in range(MANY)]
    runs = [ran(f"s{n}", 5, "ruff check") for n in range(MANY)]
    table = utility(
        rows(RAW_LOGS, *never), rows(COMMAND_RUNS, *runs), rows(FAILURES), FIX, LINT,
        rows(FACT_SOURCES),
    )  # fmt: skip
    assert offered_no_more(table).to_list() == ["w_1"]
    assert verdict("used", 0, MANY - 1, 0, 0) == TOO_FEW
    assert verdict("used", 0, MANY, 0, 0) == NOTHING
    assert verdict("used", 2, 30, 10, 10) == HARMS
    assert verdict("used", 29, 30, 2, 12) == HELPS
    assert verdict("used", 1, 2, 1, 1) == TOO_FEW


@pytest.mark.parametrize(
    ("shown_rate", "held_rate"), [(0.8, 0.5), (0.5, 0.5), (0.9, 0.9), (0.3, 0.6)]
)
def test_the_interval_holds_the_true_difference(shown_rate: float, held_rate: float) -> None:
    """500 simulated logs of 180 sessions with a piece shown and 20 in which it was held out."""
    dice = random.Random(7)
    covered = claimed = 0
    for _ in range(500):
        good = sum(dice.random() < shown_rate for _ in range(180))
        held_good = sum(dice.random() < held_rate for _ in range(20))
        found = difference(good, 180, held_good, 20)
        assert found is not None
        covered += found[1] <= shown_rate - held_rate <= found[2]
        claimed += verdict("used", good, 180, held_good, 20) in (HELPS, HARMS)
    assert 0.92 <= covered / 500 <= 0.99
    if shown_rate == held_rate:
        assert claimed / 500 <= 0.07, "where there is no effect, none is claimed"
