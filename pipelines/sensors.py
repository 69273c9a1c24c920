"""Near real time: new and grown files become published knowledge within a minute."""

import dagster as dg

from cairn.pipelines.dispatch import news
from cairn.pipelines.enrich import idle
from cairn.pipelines.jobs import update
from cairn.pipelines.planning.due import due
from cairn.resources.context import State
from cairn.resources.home.daemon_lock import watch_holder


@dg.sensor(
    job=update,
    minimum_interval_seconds=5,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Sees new and grown files and the inbox, and runs just the namespaces with any.",
)
def new_logs(
    context: dg.SensorEvaluationContext, state: dg.ResourceParam[State]
) -> dg.SensorResult | dg.SkipReason:
    """Starts a run of each namespace with something to do, unless who watches the logs does."""
    state.home.sensor_mark.touch()
    if watcher := watch_holder(state.home):
        return dg.SkipReason(f"{watcher} takes in what comes")
    found = due(state, context.instance)
    if not found.namespaces:
        return dg.SkipReason(found.why_nothing)
    tick = int(context.cursor or 0) + 1
    requests = [request(namespace, tick) for namespace in found.namespaces]
    return dg.SensorResult(run_requests=requests, cursor=str(tick))


def request(namespace: str, tick: int) -> dg.RunRequest:
    """A run. A run key is remembered for ever, so it has the tick in it."""
    return dg.RunRequest(
        run_key=f"{update.name}-{namespace}-{tick}",
        job_name=update.name,
        partition_key=namespace,
    )


SENSORS = [new_logs, idle, news]
