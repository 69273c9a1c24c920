"""What is due now: the namespaces with something to do, and why others wait.

Asked every few seconds, by the sensor or by who watches the logs.
"""

import math
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
from dagster._core.storage.tags import PARTITION_NAME_TAG

from cairn.assets.engine.namespaces import make_known
from cairn.assets.pending.records import changed_files, new_bytes
from cairn.pipelines.healing import heal
from cairn.pipelines.jobs import update
from cairn.pipelines.planning.idle import IdleHomes, standing
from cairn.pipelines.planning.in_flight import UNFINISHED, reconcile
from cairn.pipelines.planning.pending import is_pending, left_to_model, owes
from cairn.resources.context import State
from cairn.resources.home.damage import Damaged
from cairn.resources.home.home import HomeError
from cairn.resources.home.log_files import LogFile
from cairn.resources.home.nothing_new import Look, last_look, look, unchanged
from cairn.resources.home.write_lock import LockTimeout
from cairn.resources.limits.day import files_held_back

MODEL_PAUSE = 600.0
"""Seconds after a language model was down, or the budget spent, until it is asked again."""

LOOK_EVERY = 300.0
"""Seconds between two looks whether the home is damaged; a run that failed is followed by one."""

MOST_FAILURES = 7
"""Failures in a row that are counted: the longest pause is an hour."""

NOTHING_NEW = "nothing new"
HELD_BACK = "log_bytes of its limits is reached, the rest waits until 00:00 UTC"


@dataclass(frozen=True)
class DueRuns:
    """What is due now, and what is not."""

    namespaces: Sequence[str] = ()
    waits: Sequence[str] = ()
    """Why others are left now, in words."""
    new_bytes: int = 0
    """Of new and grown files of all namespaces, what was not read yet."""

    @property
    def why_nothing(self) -> str:
        """Why nothing is run, if nothing is."""
        return "; ".join(self.waits) or NOTHING_NEW


_IDLE = IdleHomes()


def due(state: State, instance: dg.DagsterInstance) -> DueRuns:
    """The namespaces with something to do, of which no run is queued or under way.

    A home that stands as it did when nothing was found is not looked into; one that is damaged is
    healed first.
    """
    if wrong := _damage(state):
        return DueRuns(waits=[wrong])
    reconcile(instance)
    now = standing(state)
    if _IDLE.holds(state.home, now):
        return DueRuns()
    owns = state.each()
    make_known(instance, [own.own for own in owns])
    unfinished = instance.get_runs(dg.RunsFilter(statuses=UNFINISHED))
    under_way = {run.tags.get(PARTITION_NAME_TAG): run.run_id for run in unfinished}
    changed = changed_files(state)
    files: dict[str, list[LogFile]] = {}
    for file in changed:
        files.setdefault(file.namespace, []).append(file)
    found: list[str] = []
    waits = dict.fromkeys((file.namespace for file in files_held_back(state)), HELD_BACK)
    for own in owns:
        if run_id := under_way.get(own.own):
            waits[own.own] = f"run {run_id[:8]} is under way"
        elif why := _waits(own, instance, files.get(own.own, [])):
            if why != NOTHING_NEW:
                waits[own.own] = why
        else:
            found.append(own.own)
    told = [f"{name}: {why}" for name, why in waits.items()]
    if not (found or told):
        _IDLE.note(state.home, now)
    return DueRuns(found, told, new_bytes(state, changed) if found else 0)


def _waits(state: State, instance: dg.DagsterInstance, files: Sequence[LogFile]) -> str | None:
    """Why a namespace with these changed files is not run now; None if it is."""
    # What owes nothing but a model's word comes after all else is published; days that wait for a
    # model that was just down would else be run at every tick.
    left = left_to_model(state)
    if not (is_pending(state, files, tried=left) or owes(state)):
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
