"""What is due to be told: the job that tells it, at its pace.

No other job tells anything: rebuilds, backfills and `cairn run` do not act.
"""

from dataclasses import asdict

import dagster as dg

from cairn.assets.effects import notify as acting
from cairn.knowledge.schema.tables import NOTIFICATIONS
from cairn.pipelines.planning.idle import IdleHomes, standing
from cairn.pipelines.planning.in_flight import UNFINISHED
from cairn.pipelines.planning.pending import is_pending, left_to_model
from cairn.resources.context import State
from cairn.resources.effects import now, switched_off

NOTHING_DUE = "nothing is due"

_IDLE = IdleHomes()


@dg.op(description="Tells what is due; that it was told comes back as logs.")
def telling(context: dg.OpExecutionContext, state: dg.ResourceParam[State]) -> None:
    """Tells at most one thing in each namespace."""
    report = acting.dispatch(state)
    context.log.info(f"{report.sent} of {report.due} sent")
    context.add_output_metadata(asdict(report))


@dg.job(description="Tells people what was found about the things that they care about.")
def dispatch() -> None:
    """One step."""
    telling()


@dg.sensor(
    job=dispatch,
    minimum_interval_seconds=15,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Tells what is due once the logs hold all that was told and answered before.",
)
def news(
    context: dg.SensorEvaluationContext, state: dg.ResourceParam[State]
) -> dg.SensorResult | dg.SkipReason:
    """Starts `dispatch` when something is due and nothing waits to be taken in."""
    seen = standing(state, logs=False)
    if _IDLE.holds(state.home, seen):
        return dg.SkipReason(NOTHING_DUE)
    if not acting.waiting(state):
        _IDLE.note(state.home, seen)
        return dg.SkipReason(NOTHING_DUE)
    if not (acting.due(state, now()).height or switched_off(state, NOTIFICATIONS)):
        return dg.SkipReason(NOTHING_DUE)
    if context.instance.get_runs(dg.RunsFilter(statuses=UNFINISHED), limit=1):
        return dg.SkipReason("a run is under way")
    if is_pending(state, tried=left_to_model(state)):
        return dg.SkipReason("what was logged is taken in first")
    tick = int(context.cursor or 0) + 1
    run = dg.RunRequest(run_key=f"dispatch-{tick}", job_name=dispatch.name)
    return dg.SensorResult(run_requests=[run], cursor=str(tick))
