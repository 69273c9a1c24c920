"""Everything that Dagster sees, over one home."""

import warnings
from collections.abc import Generator
from contextlib import contextmanager, nullcontext

import dagster as dg
from dagster._core.storage.tags import PARTITION_NAME_TAG

from cairn.pipelines.checks.frames import CHECKS, VERIFY
from cairn.pipelines.graph import ASSETS, NIGHT, versioned
from cairn.pipelines.interrupts import INTERRUPTS
from cairn.pipelines.jobs import JOBS
from cairn.pipelines.planning.in_flight import AGAIN_TAG, BATCH_TAG, COMMAND_TAG, process_tag
from cairn.pipelines.schedules import SCHEDULES
from cairn.pipelines.sensors import SENSORS
from cairn.resources.context import State
from cairn.resources.telemetry.spans import RUN, span

# Dagster 1.13 warns of a parameter that it passes itself when it gives a sensor its job.
warnings.filterwarnings("ignore", "Parameter `owners` of initializer `SensorDefinition")


def is_night(job: str | None, command: str | None) -> bool:
    """Whether a run is that of the night: the schedule's, or the last one of a command.

    Runs of the sensor ask no model about what waits for the night.
    """
    return job == NIGHT or (job == VERIFY and command is not None)


@contextmanager
def _told(context: dg.InitResourceContext, namespace: str | None) -> Generator[None]:
    """Tells of a run: wherever it is executed, it opens what it works on. Sensors do, too."""
    run, instance = context.run, context.instance
    if run is None or instance is None:
        yield
        return
    with span(RUN, namespace, job=run.job_name, run_id=run.run_id) as told:
        yield
        if told.is_heard and (error := _failure(instance, run.run_id)):
            told.note(outcome="interrupted" if error in INTERRUPTS else "failed", error=error)


def _failure(instance: dg.DagsterInstance, run_id: str) -> str | None:
    """The class of the error by which a step failed, if one did: Dagster has caught it."""
    for event in instance.all_logs(run_id, of_type=dg.DagsterEventType.STEP_FAILURE):
        error = event.dagster_event and event.dagster_event.step_failure_data.error
        while error and error.cause:
            error = error.cause
        return (error and error.cls_name) or "unknown"
    return None


def definitions(state: State) -> dg.Definitions:
    """The graph over one home."""

    @dg.resource(description="The home: tables, index, settings.")
    def opened(context: dg.InitResourceContext) -> Generator[State]:
        """The state; a run that opens it says by which process, so that it can be told dead.

        It holds the lease of its namespace to its end: nobody publishes what it has half made.
        """
        tags = context.run.tags if context.run else {}
        command = tags.get(COMMAND_TAG)
        night = is_night(context.run.job_name if context.run else None, command)
        by_night = context.run is not None and context.run.job_name == NIGHT
        state.begin_run(
            command,
            night=night,
            again=AGAIN_TAG in tags,
            in_batches=BATCH_TAG in tags or (by_night and state.settings.batch == "nights"),
        )
        if context.instance and context.run:
            context.instance.add_run_tags(context.run.run_id, process_tag())
        namespace = tags.get(PARTITION_NAME_TAG)
        leased = state.of(namespace).leased() if namespace else nullcontext()
        with _told(context, namespace), leased:
            yield state

    return dg.Definitions(
        assets=versioned(ASSETS, state.settings),
        asset_checks=CHECKS,
        jobs=JOBS,
        schedules=SCHEDULES,
        sensors=SENSORS,
        resources={"state": opened},
        # One process per run: a step then costs 0.1 s instead of 2 s.
        executor=dg.in_process_executor,
    )
