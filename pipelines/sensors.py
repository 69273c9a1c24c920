"""Near real time: new and grown files become published knowledge within a minute."""

import math
import time
from pathlib import Path

import dagster as dg

from cairn.pipelines.dispatch import news
from cairn.pipelines.enrich import idle
from cairn.pipelines.healing import heal
from cairn.pipelines.jobs import update
from cairn.pipelines.planning.in_flight import UNFINISHED, reconcile
from cairn.pipelines.planning.pending import is_pending, left_to_model
from cairn.resources.context import State
from cairn.resources.home.damage import Damaged
from cairn.resources.home.home import HomeError
from cairn.resources.home.write_lock import LockTimeout

MODEL_PAUSE = 600.0
"""Seconds after a language model was down, or the budget spent, until it is asked again."""

LOOK_EVERY = 300.0
"""Seconds between two looks whether the home is damaged; a run that failed is followed by one."""

MOST_FAILURES = 7
"""Failures in a row that are counted: the longest pause is an hour."""


@dg.sensor(
    job=update,
    minimum_interval_seconds=5,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Sees new and grown files and the inbox, and runs just the days that changed.",
)
def new_logs(
    context: dg.SensorEvaluationContext, state: dg.ResourceParam[State]
) -> dg.SensorResult | dg.SkipReason:
    """Starts one run per tick, while none is queued or running."""
    if wrong := _damage(state):
        return dg.SkipReason(wrong)
    state.home.sensor_mark.touch()
    reconcile(context.instance)
    unfinished = context.instance.get_runs(dg.RunsFilter(statuses=UNFINISHED), limit=1)
    if unfinished:
        return dg.SkipReason(f"run {unfinished[0].run_id[:8]} is under way")
    # What owes nothing but a model's word comes after all else is published; days that wait for a
    # model that was just down would else be run at every tick.
    left = left_to_model(state)
    if not is_pending(state, tried=left):
        if not left:
            return dg.SkipReason("nothing new")
        if state.model_waited < MODEL_PAUSE:
            return dg.SkipReason("the language model is waited for")
    if (wait := _pause(context.instance)) > 0:
        return dg.SkipReason(f"{update.name} failed: tried again in {wait:.0f} s")
    tick = int(context.cursor or 0) + 1
    return dg.SensorResult(run_requests=[request(tick)], cursor=str(tick))


_LOOKED: dict[Path, float] = {}
"""When it was last looked whether a home is damaged."""


def _damage(state: State) -> str | None:
    """Heals what is damaged, now and then; why nothing can be run, where that cannot be done."""
    now, root = time.monotonic(), state.home.root
    if now - _LOOKED.get(root, -math.inf) < LOOK_EVERY:
        return None
    try:
        heal(state, timeout=0)
    except LockTimeout:
        return None  # who writes now did it before
    except (Damaged, HomeError) as error:
        return str(error)
    _LOOKED[root] = now
    return None


def _pause(instance: dg.DagsterInstance) -> float:
    """Seconds until a failed run is due again: a minute, doubled with each failure in a row."""
    filters = dg.RunsFilter(job_name=update.name)
    records = instance.get_run_records(filters, limit=MOST_FAILURES)
    failed = 0
    for record in records:
        if record.dagster_run.status != dg.DagsterRunStatus.FAILURE:
            break
        failed += 1
    if not failed:
        return 0.0
    _LOOKED.clear()
    ended = records[0].end_time or records[0].update_timestamp.timestamp()
    return ended + 60 * 2 ** (failed - 1) - time.time()


def request(tick: int) -> dg.RunRequest:
    """A run. A run key is remembered for ever, so it has the tick in it."""
    return dg.RunRequest(run_key=f"{update.name}-{tick}", job_name=update.name)


SENSORS = [new_logs, idle, news]
