"""Runs under way: how they are tagged, and which of them are dead."""

import dagster as dg

from cairn.resources.processes import is_gone, process_name

PROCESS_TAG = "cairn/process"
"""The process that executes a run, so that it is known when it is gone."""

COMMAND_TAG = "cairn/command"
"""Names the command whose runs these are: they share a budget, and the breakers of the model."""

AGAIN_TAG = "cairn/ask-again"
"""On runs in which a language model may be asked again what it answered to an earlier prompt."""

BATCH_TAG = "cairn/batch"
"""On runs that ask a language model in batches."""

UNFINISHED = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


def process_tag() -> dict[str, str]:
    """The tag by which a run names this process."""
    return {PROCESS_TAG: process_name()}


def reconcile(instance: dg.DagsterInstance) -> list[str]:
    """Marks runs of this host as failed whose process is gone; gives their ids.

    A run carries the process that executes it as a tag.
    """
    dead: list[str] = []
    for run in instance.get_runs(dg.RunsFilter(statuses=UNFINISHED)):
        if is_gone(run.tags.get(PROCESS_TAG, "")):
            instance.report_run_failed(run, "The process that executed it is gone.")
            dead.append(run.run_id)
    return dead
