"""Runs under way: how they are tagged, and which of them are dead."""

import os
import socket

import dagster as dg

PROCESS_TAG = "cairn/process"
"""Host and process that execute a run, so that it is known when they are gone."""

COMMAND_TAG = "cairn/command"
"""Names the command whose runs these are: they share a budget, and the breakers of the model."""

AGAIN_TAG = "cairn/ask-again"
"""On runs in which a language model may be asked again what it answered to an earlier prompt."""

UNFINISHED = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


def process_tag() -> dict[str, str]:
    """The tag by which a run names this process."""
    return {PROCESS_TAG: f"{socket.gethostname()}:{os.getpid()}"}


def reconcile(instance: dg.DagsterInstance) -> list[str]:
    """Marks runs of this host as failed whose process is gone; gives their ids.

    A run carries the host and process that execute it as a tag.
    """
    dead: list[str] = []
    for run in instance.get_runs(dg.RunsFilter(statuses=UNFINISHED)):
        host, _, pid = run.tags.get(PROCESS_TAG, "").partition(":")
        if host == socket.gethostname() and pid.isdigit() and not _lives(int(pid)):
            instance.report_run_failed(run, "The process that executed it is gone.")
            dead.append(run.run_id)
    return dead


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
