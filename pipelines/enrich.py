"""Searches that are due: the job that makes them, nightly and when nothing else is to be done.

No other job makes any: rebuilds, backfills and `cairn run` do not act.
"""

from dataclasses import asdict

import dagster as dg

from cairn.assets.effects import search as acting
from cairn.knowledge.schema.tables import ENRICHMENT_QUEUE
from cairn.pipelines.planning.in_flight import UNFINISHED
from cairn.pipelines.planning.pending import is_pending
from cairn.resources.context import State
from cairn.resources.effects import now, switched_off

NO_PROVIDER = "no search provider is set"


@dg.op(description="Makes the searches that are due; their results come back as logs.")
def searches(context: dg.OpExecutionContext, state: dg.ResourceParam[State]) -> None:
    """Searches, unless extraction waits: what is known already comes first."""
    if is_pending(state):
        report = acting.Enriched(why="extraction waits: it comes first")
    else:
        report = acting.enrich(state)
    context.log.info(report.why or f"{report.done} searches brought something")
    context.add_output_metadata(asdict(report))


@dg.job(description="Searches for what is due: learn prompts, schedules, what a person cares for.")
def enrich() -> None:
    """One step."""
    searches()


@dg.sensor(
    job=enrich,
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Searches for what is due when nothing else is to be done.",
)
def idle(
    context: dg.SensorEvaluationContext, state: dg.ResourceParam[State]
) -> dg.SensorResult | dg.SkipReason:
    """Starts `enrich` when something is due and nothing waits to be made."""
    if not state.searches:
        return dg.SkipReason(NO_PROVIDER)
    if acting.waits(state):
        return dg.SkipReason("the search provider is waited for")
    if context.instance.get_runs(dg.RunsFilter(statuses=UNFINISHED), limit=1):
        return dg.SkipReason("a run is under way")
    moment = now()
    due = acting.queue(state, moment).height and acting.left_today(state, moment)
    if not (due or switched_off(state, ENRICHMENT_QUEUE)):
        return dg.SkipReason("nothing is due")
    if is_pending(state):
        return dg.SkipReason("extraction waits")
    tick = int(context.cursor or 0) + 1
    run = dg.RunRequest(run_key=f"enrich-{tick}", job_name=enrich.name)
    return dg.SensorResult(run_requests=[run], cursor=str(tick))


nightly_searches = dg.ScheduleDefinition(
    name="nightly_searches",
    job=enrich,
    cron_schedule="30 5 * * *",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Searches for what is due, after the night.",
)
