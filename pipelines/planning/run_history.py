"""What Dagster ran: when, how long it took, who asked for it, and why it failed."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import dagster as dg
from dagster._core.storage.tags import (
    BACKFILL_ID_TAG,
    PARTITION_NAME_TAG,
    SCHEDULE_NAME_TAG,
    SENSOR_NAME_TAG,
)
from dagster_shared.error import SerializableErrorInfo

from cairn.assets.engine.old_runs import FAILED
from cairn.pipelines.interrupts import INTERRUPTS
from cairn.pipelines.planning.in_flight import COMMAND_TAG, PROCESS_TAG, UNFINISHED
from cairn.resources.processes import is_gone

ASKED_BY = {
    COMMAND_TAG: "command",
    SENSOR_NAME_TAG: "sensor",
    SCHEDULE_NAME_TAG: "schedule",
    BACKFILL_ID_TAG: "backfill",
}
"""By a tag of a run who asked for it; of none of them somebody did in Dagster's UI."""


class RecordedRun(NamedTuple):
    """A run as Dagster keeps it."""

    run_id: str
    namespace: str | None
    """None of a run that makes no assets, or was made before namespaces were partitions."""
    job: str
    status: str
    """Dagster's word in lower case; `failure`, too, where the process that executed it is gone."""
    asked_by: str
    """One of ASKED_BY, or `ui`."""
    created_at: datetime
    seconds: float | None
    """From its start to its end; None while it runs, or if it never began."""
    reason: str | None
    """Why it failed, in a line."""


def recorded_runs(
    instance: dg.DagsterInstance,
    namespace: str | None = None,
    *,
    failed: bool = False,
    limit: int = 20,
) -> list[RecordedRun]:
    """The latest runs, the last one first.

    Args:
        instance: Dagster's of a home.
        namespace: Whose; all, if None.
        failed: Those alone that failed or were cancelled.
        limit: How many, at most.
    """
    tags: Mapping[str, str | list[str]] = {PARTITION_NAME_TAG: namespace} if namespace else {}
    asked = dg.RunsFilter(tags=tags, statuses=FAILED if failed else ())
    return [_recorded(instance, record) for record in instance.get_run_records(asked, limit=limit)]


def _recorded(instance: dg.DagsterInstance, record: dg.RunRecord) -> RecordedRun:
    run = record.dagster_run
    dead = run.status in UNFINISHED and is_gone(run.tags.get(PROCESS_TAG, ""))
    begun, ended = record.start_time, record.end_time
    return RecordedRun(
        run.run_id,
        run.tags.get(PARTITION_NAME_TAG),
        run.job_name,
        "failure" if dead else run.status.value.lower(),
        next((who for tag, who in ASKED_BY.items() if tag in run.tags), "ui"),
        record.create_timestamp.astimezone(UTC),
        round(ended - begun, 1) if begun and ended else None,
        "the process that executed it is gone" if dead else _why(instance, run),
    )


_SAY_WHY = {
    dg.DagsterEventType.STEP_FAILURE,
    dg.DagsterEventType.RESOURCE_INIT_FAILURE,
    dg.DagsterEventType.RUN_FAILURE,
    dg.DagsterEventType.RUN_CANCELED,
}


def _why(instance: dg.DagsterInstance, run: dg.DagsterRun) -> str | None:
    if run.status not in FAILED:
        return None
    kept = instance.all_logs(run.run_id, of_type=_SAY_WHY)
    events = [entry.dagster_event for entry in kept if entry.dagster_event]
    return reason(events) or next((each.message for each in events if each.message), None)


def reason(events: Sequence[dg.DagsterEvent]) -> str | None:
    """The innermost error of the first step that failed, or of what no step could begin without."""
    for event in events:
        if error := innermost(event):
            if error.cls_name in INTERRUPTS:
                return "interrupted"
            said = _first_line(error.message).removeprefix(f"{error.cls_name}: ")
            return f"{event.step_key}: {error.cls_name}: {said}"
    for event in events:
        if event.event_type == dg.DagsterEventType.RESOURCE_INIT_FAILURE:
            error = event.engine_event_data.error
            if error:  # before any step: another home writes, or what homes share is away
                said = _first_line(error.message)
                return said.removeprefix(f"{said.partition(': ')[0]}: ")
    return None


def innermost(event: dg.DagsterEvent) -> SerializableErrorInfo | None:
    """What a step that failed ended with, below all that passed it on."""
    if event.event_type != dg.DagsterEventType.STEP_FAILURE:
        return None
    error = event.step_failure_data.error
    while error and error.cause:
        error = error.cause
    return error


def _first_line(message: str) -> str:
    return message.strip().splitlines()[0]
