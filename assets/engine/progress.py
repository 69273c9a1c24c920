"""What a stage reports of its work: the same numbers for a terminal and for Dagster."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace

from cairn.resources.telemetry.spans import STAGE, span


@dataclass(frozen=True)
class StageReport:
    """What a stage made: units in, and what became of each; rows out; wall seconds."""

    stage: str
    units: int = 0
    done: int = 0
    empty: int = 0
    rejected: int = 0
    failed: int = 0
    rows: int = 0
    written: int = 0
    """Tables that got a new version."""
    seconds: float = 0.0
    namespace: str | None = None
    """Whose; None of all of them."""

    def __add__(self, other: "StageReport") -> "StageReport":
        return StageReport(
            self.stage,
            self.units + other.units,
            self.done + other.done,
            self.empty + other.empty,
            self.rejected + other.rejected,
            self.failed + other.failed,
            other.rows,
            self.written + other.written,
            self.seconds + other.seconds,
            other.namespace,
        )


def add_up(one: StageReport, two: StageReport) -> StageReport:
    """Reports of one stage in different namespaces, whose rows add up, too."""
    return replace(one + two, rows=one.rows + two.rows)


@dataclass
class Listener:
    """Somebody who watches a run: told when a stage begins and when it has ended."""

    began: Callable[[str], None] = lambda _: None
    ended: Callable[[StageReport], None] = lambda _: None
    reports: dict[str, StageReport] = field(default_factory=dict[str, StageReport])


LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)
"""Set by who runs stages in this process; runs that Dagster launches have none."""


@contextmanager
def timed(
    stage: str, namespace: str | None = None
) -> Generator[Callable[[StageReport], StageReport]]:
    """Times a stage; call what it gives with the report, which comes back with its seconds."""
    listener = LISTENER.get()
    start = time.perf_counter()
    if listener:
        listener.began(stage)

    def finished(report: StageReport) -> StageReport:
        report = replace(report, seconds=time.perf_counter() - start, namespace=namespace)
        told.note(
            units=report.units, done=report.done, empty=report.empty, rejected=report.rejected,
            failed=report.failed, rows=report.rows, written=report.written,
        )  # fmt: skip
        told.close()
        if listener:
            before = listener.reports.get(report.stage)
            listener.reports[report.stage] = before + report if before else report
            listener.ended(report)
        return report

    with span(STAGE, namespace, stage=stage) as told:
        yield finished
