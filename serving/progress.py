"""How far a run is, on stderr: a bar on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import polars as pl
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from serving.terminal import console, count, size

if TYPE_CHECKING:
    from assets.progress import Listener, Report
    from resources.log_files import LogFile
    from resources.state import State


@dataclass
class Stages:
    """What stages reported over a run, by name; counts as a person would add them up."""

    reports: dict[str, "Report"] = field(default_factory=dict[str, "Report"])

    def add(self, report: "Report") -> None:
        """Takes in a report: stages by day add up, whole tables count as they were last made."""
        from pipelines.run import BY_DAY

        before = self.reports.get(report.stage)
        if before is None:
            self.reports[report.stage] = report
        elif report.stage in BY_DAY:
            self.reports[report.stage] = before + report
        else:
            last = report if report.units else before
            self.reports[report.stage] = replace(
                last,
                seconds=before.seconds + report.seconds,
                written=before.written + report.written,
            )

    def rows(self, state: "State") -> list[dict[str, object]]:
        """One row per stage, in the order of the data, with the rows of its table now."""
        from knowledge.tables import TABLES
        from pipelines.run import ORDER, TABLE_OF

        def height(name: str) -> int | None:
            if name not in TABLES:
                return None
            return state.warehouse.read(TABLES[name]).select(pl.len()).collect().item()

        return [
            {
                "stage": TABLE_OF.get(report.stage, report.stage),
                "rows_in": report.units,
                "done": report.done,
                "empty": report.empty,
                "rejected": report.rejected,
                "failed": report.failed,
                "rows": height(TABLE_OF.get(report.stage, report.stage)),
                "seconds": round(report.seconds, 3),
            }
            for name in ORDER
            if (report := self.reports.get(name)) is not None
        ]


class Display:
    """What a run shows while it lasts."""

    def __init__(self) -> None:
        self.stages = Stages()
        self._start = time.monotonic()
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._stretch = 0

    def listener(self) -> "Listener":
        """What stages tell."""
        from assets.progress import Listener

        return Listener(began=self._began, ended=self._ended)

    def stretch(self, files: Sequence["LogFile"], waiting: int) -> None:
        """A stretch begins."""
        from pipelines.run import ORDER

        self._stretch += 1
        rest = f", {waiting - len(files):,} wait" if waiting > len(files) else ""
        self.note(
            f"stretch {self._stretch}: {count(len(files), 'file')},"
            f" {size(sum(file.size for file in files))}{rest}"
        )
        if self._bar and self._task is not None:
            self._bar.reset(self._task, total=len(ORDER), description="")

    def note(self, text: str) -> None:
        """One line, now."""
        if self._bar:
            self._bar.console.print(text, markup=False)
        else:
            sys.stderr.write(f"{time.monotonic() - self._start:7.1f} s  {text}\n")
            sys.stderr.flush()

    @contextmanager
    def shown(self) -> Generator["Display"]:
        """Shows the bar, if stderr is a terminal."""
        err = console(err=True)
        if not err.is_terminal:
            yield self
            return
        columns = (TextColumn("{task.description:<20}"), BarColumn(), TimeElapsedColumn())
        with Progress(*columns, console=err, transient=True) as self._bar:
            from pipelines.run import ORDER

            self._task = self._bar.add_task("starting", total=len(ORDER))
            try:
                yield self
            finally:
                bar, self._bar = self._bar, None
                bar.stop()

    def _began(self, stage: str) -> None:
        from pipelines.run import ORDER, TABLE_OF

        if self._bar and self._task is not None:
            # By its place: days in several ranges pass a stage several times.
            place = ORDER.index(stage) if stage in ORDER else 0
            name = TABLE_OF.get(stage, stage)
            self._bar.update(self._task, description=name, completed=place)

    def _ended(self, report: "Report") -> None:
        from pipelines.run import TABLE_OF

        self.stages.add(report)
        if not self._bar and report.units and report.written:
            name = TABLE_OF.get(report.stage, report.stage)
            failed = f", {report.failed:,} failed" if report.failed else ""
            self.note(
                f"{name}: {report.done:,} of {report.units:,} done{failed}, {report.seconds:.1f} s"
            )
        if report.stage == "publication" and report.written:
            self.note("published: search answers from what is done so far")
