"""The night: everything is rebuilt and checked, and tables are tidied."""

import dagster as dg

from cairn.assets.engine.namespaces import make_known
from cairn.pipelines.enrich import nightly_searches
from cairn.pipelines.jobs import night
from cairn.pipelines.planning.pending import is_pending, night_model_work_pending
from cairn.resources.context import State
from cairn.resources.home.marks import last_night
from cairn.resources.warehouse.publication import blocked_namespaces, published


@dg.schedule(
    name="nightly",
    job=night,
    cron_schedule="30 3 * * *",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Consolidates, checks, publishes, tidies each namespace that changed since.",
    tags={"cairn/night": "true"},
)
def nightly(
    context: dg.ScheduleEvaluationContext, state: dg.ResourceParam[State]
) -> list[dg.RunRequest] | dg.SkipReason:
    """One run of each namespace that was published, or has something pending, since its last."""
    due = [own.own for own in state.each() if _is_due(own)]
    if not due:
        return dg.SkipReason("no namespace changed since its last night")
    make_known(context.instance, due)
    at = context.scheduled_execution_time.isoformat()
    return [dg.RunRequest(run_key=f"{night.name}-{name}-{at}", partition_key=name) for name in due]


def _is_due(state: State) -> bool:
    last = last_night(state.home, state.own)
    manifest = published(state.home, state.own)
    return (
        (manifest is not None and manifest.published_at.timestamp() > last)
        or state.own in blocked_namespaces(state.home)
        or night_model_work_pending(state)
        or is_pending(state)
    )


SCHEDULES = [nightly, nightly_searches]
