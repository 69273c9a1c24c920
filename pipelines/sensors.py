"""Near real time: new and grown files become published knowledge within a minute."""

import math
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import dagster as dg
from dagster._core.storage.tags import PARTITION_NAME_TAG

from cairn.assets.engine.namespaces import make_known
from cairn.assets.pending.records import changed_files
from cairn.pipelines.dispatch import news
from cairn.pipelines.enrich import idle
from cairn.pipelines.healing import heal
from cairn.pipelines.jobs import update
from cairn.pipelines.planning.idle import IdleHomes, standing
from cairn.pipelines.planning.in_flight import UNFINISHED, reconcile
from cairn.pipelines.planning.pending import is_pending, left_to_model
from cairn.resources.context import State
from cairn.resources.home.damage import Damaged
from cairn.resources.home.home import HomeError
from cairn.resources.home.log_files import LogFile
from cairn.resources.home.nothing_new import Look, last_look, look, unchanged
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
    description="Sees new and grown files and the inbox, and runs just the namespaces with any.",
)
def new_logs(
    context: dg.SensorEvaluationContext, state: dg.ResourceParam[State]
) -> dg.SensorResult | dg.SkipReason:
    """Starts a run of each namespace with something to do, unless one is queued or running."""
    if wrong := _damage(state):
        return dg.SkipReason(wrong)
    state.home.sensor_mark.touch()
    reconcile(context.instance)
    now = standing(state)
    if _IDLE.holds(state.home, now):
        return dg.SkipReason(NOTHING_NEW)
    tick = int(context.cursor or 0) + 1
    requests: list[dg.RunRequest] = []
    waits: dict[str, str] = {}
    owns = state.each()
    make_known(context.instance, [own.own for own in owns])
    unfinished = context.instance.get_runs(dg.RunsFilter(statuses=UNFINISHED))
    under_way = {run.tags.get(PARTITION_NAME_TAG): run.run_id for run in unfinished}
    files: dict[str, list[LogFile]] = {}
    for file in changed_files(state):
        files.setdefault(file.namespace, []).append(file)
    for own in owns:
        if run_id := under_way.get(own.own):
            waits[own.own] = f"run {run_id[:8]} is under way"
        elif why := _waits(own, context.instance, files.get(own.own, [])):
            waits[own.own] = why
        else:
            requests.append(request(own.own, tick))
    if not requests:
        told = [f"{name}: {why}" for name, why in waits.items() if why != NOTHING_NEW]
        if not told:
            _IDLE.note(state.home, now)
        return dg.SkipReason("; ".join(told) or NOTHING_NEW)
    return dg.SensorResult(run_requests=requests, cursor=str(tick))


NOTHING_NEW = "nothing new"

_IDLE = IdleHomes()


def _waits(state: State, instance: dg.DagsterInstance, files: Sequence[LogFile]) -> str | None:
    """Why a namespace with these changed files is not run now; None if it is."""
    # What owes nothing but a model's word comes after all else is published; days that wait for a
    # model that was just down would else be run at every tick.
    left = left_to_model(state)
    if not is_pending(state, files, tried=left):
        if not left:
            return NOTHING_NEW
        if state.model_waited < MODEL_PAUSE:
            return "the language model is waited for"
    if (wait := _pause(instance, state.own)) > 0:
        return f"{update.name} failed: tried again in {wait:.0f} s"
    return None


_LOOKED: dict[Path, float] = {}
"""When it was last looked whether a home is damaged."""

_SOUND: dict[Path, Look] = {}
"""How it stood then: a namespace that stands so still is not looked at again."""


def _damage(state: State) -> str | None:
    """Heals what is damaged, now and then; why nothing can be run, where that cannot be done."""
    now, root = time.monotonic(), state.home.root
    if now - _LOOKED.get(root, -math.inf) < LOOK_EVERY:
        return None
    before, seen = _SOUND.get(root) or last_look(state.home), None
    with suppress(OSError):  # what cannot be looked at is no sound namespace
        seen = look(state.home, before=before)
    try:
        heal(state, timeout=0, sound=unchanged(before, seen) if before and seen else ())
    except LockTimeout:
        return None  # who writes now did it before
    except (Damaged, HomeError) as error:
        return str(error)
    _LOOKED[root] = now
    if seen:
        _SOUND[root] = seen
    return None


def _pause(instance: dg.DagsterInstance, namespace: str) -> float:
    """Seconds until a failed run is due again: a minute, doubled with each failure in a row."""
    filters = dg.RunsFilter(job_name=update.name, tags={PARTITION_NAME_TAG: namespace})
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


def request(namespace: str, tick: int) -> dg.RunRequest:
    """A run. A run key is remembered for ever, so it has the tick in it."""
    return dg.RunRequest(
        run_key=f"{update.name}-{namespace}-{tick}",
        job_name=update.name,
        partition_key=namespace,
    )


SENSORS = [new_logs, idle, news]
