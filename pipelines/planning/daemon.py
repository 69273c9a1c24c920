"""What is told of a run while it lasts, and counted at its end."""

from dataclasses import dataclass, field, replace

import polars as pl

from cairn.assets.engine.progress import Listener, StageReport, add_up
from cairn.knowledge.assembly.run import RUN
from cairn.knowledge.schema.tables import TABLES
from cairn.resources.context import State

__all__ = ["ORDER", "TABLE_OF", "Listener", "StageReport", "Stages"]

ORDER = tuple(step.name for step in RUN)
"""Names under which stages report, in the order of the data."""

_ADDED = frozenset({"records", *(step.name for step in RUN if step.by_day)})
"""Stages that report what one run took: over several runs their counts add up."""

TABLE_OF = {step.name: step.writes[0].name for step in RUN if step.writes}
"""What people call a stage: the table that it makes."""


@dataclass
class Stages:
    """What stages reported over a run, by name and namespace; counts as a person would add them."""

    reports: dict[tuple[str, str | None], StageReport] = field(
        default_factory=dict[tuple[str, str | None], StageReport]
    )

    def add(self, report: StageReport) -> None:
        """Takes in a report: stages by day add up, whole tables count as they were last made."""
        place = report.stage, report.namespace
        before = self.reports.get(place)
        if before is None:
            self.reports[place] = report
        elif report.stage in _ADDED:
            self.reports[place] = before + report
        else:
            last = report if report.units else before
            self.reports[place] = replace(
                last,
                seconds=before.seconds + report.seconds,
                written=before.written + report.written,
            )

    def rows(self, state: State) -> list[dict[str, object]]:
        """One row per stage, in the order of the data, with the rows of its table now."""
        summed: dict[str, StageReport] = {}
        for (stage, _), report in self.reports.items():
            summed[stage] = add_up(summed[stage], report) if stage in summed else report

        def height(report: StageReport) -> int:
            table = TABLES.get(TABLE_OF.get(report.stage, report.stage))
            if table is None or table.name == "vector_index":
                return report.rows  # points, and namespaces
            return state.warehouse.read(table).select(pl.len()).collect().item()

        return [
            {
                "stage": TABLE_OF.get(report.stage, report.stage),
                "rows_in": report.units,
                "done": report.done,
                "empty": report.empty,
                "rejected": report.rejected,
                "failed": report.failed,
                "rows": height(report),
                "seconds": round(report.seconds, 3),
            }
            for name in ORDER
            if (report := summed.get(name)) is not None
        ]
