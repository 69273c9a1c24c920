"""How far a run is, on stderr: a bar on a terminal, plain lines elsewhere."""

import os
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from io import UnsupportedOperation
from typing import TYPE_CHECKING, TextIO, cast

from cairn.pipelines.planning.daemon import ORDER, TABLE_OF, Listener, StageReport, Stages
from cairn.resources.home.log_files import LogFile
from cairn.serving.read.display import count, size
from cairn.serving.runtime.logging import verbosity
from cairn.serving.runtime.streams import GoingOn

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class Display:
    """What a run shows while it lasts."""

    def __init__(self) -> None:
        self.stages = Stages()
        self._start = time.monotonic()
        self._err: TextIO = sys.stderr
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._stretch = 0

    def listener(self) -> Listener:
        """What stages tell."""
        return Listener(began=self._began, ended=self._ended)

    def stretch(self, files: Sequence[LogFile], waiting: int) -> None:
        """A stretch begins."""
        self._stretch += 1
        rest = f", {waiting - len(files):,} wait" if waiting > len(files) else ""
        self.note(
            f"stretch {self._stretch}: {count(len(files), 'file')},"
            f" {size(sum(file.size for file in files))}{rest}"
        )
        if self._bar and self._task is not None:
            self._bar.reset(self._task, total=len(ORDER), description="")

    def checking(self) -> None:
        """All is published, and is looked over once more."""
        self.note("checking all tables")
        if self._bar and self._task is not None:
            self._bar.update(self._task, description="checking", completed=len(ORDER))

    def note(self, text: str) -> None:
        """One line, now."""
        if self._bar:
            self._bar.console.print(text, markup=False)
        else:
            self._err.write(f"{time.monotonic() - self._start:7.1f} s  {text}\n")
            self._err.flush()

    @contextmanager
    def shown(self) -> Generator["Display"]:
        """Shows the bar, if stderr is a terminal."""
        with _own_stderr() as self._err:
            if verbosity() or not self._err.isatty():  # what is logged would go through the bar
                yield self
                return
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

            out = Console(file=self._err, highlight=False)
            columns = (TextColumn("{task.description:<20}"), BarColumn(), TimeElapsedColumn())
            with Progress(*columns, console=out, transient=True) as bar:
                self._bar, self._task = bar, bar.add_task("starting", total=len(ORDER))
                try:
                    yield self
                finally:
                    self._bar = None

    def _began(self, stage: str) -> None:
        if self._bar and self._task is not None:
            # By its place: days in several ranges pass a stage several times.
            place = ORDER.index(stage) if stage in ORDER else 0
            name = TABLE_OF.get(stage, stage)
            self._bar.update(self._task, description=name, completed=place)

    def _ended(self, report: StageReport) -> None:
        self.stages.add(report)
        if not (self._bar or verbosity()) and report.units and report.written:
            name = TABLE_OF.get(report.stage, report.stage)
            counts = {"done": report.done, "empty": report.empty, "rejected": report.rejected,
                      "failed": report.failed}  # fmt: skip
            told = ", ".join(f"{number:,} {what}" for what, number in counts.items() if number)
            self.note(f"{name}: {told}, {report.seconds:.1f} s")
        if report.stage == "publication" and report.written:
            self.note("published: search answers from what is done so far")


@contextmanager
def _own_stderr() -> Generator[TextIO]:
    """Standard error as it is now: within a step Dagster takes it away, for its own log."""
    try:
        descriptor = os.dup(sys.stderr.fileno())
    except UnsupportedOperation:
        yield sys.stderr
        return
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as err:
        yield cast("TextIO", GoingOn(err))
