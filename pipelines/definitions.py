"""The code location: everything that Dagster sees."""

import os
import socket

import dagster as dg

from pipelines.checks import CHECKS
from pipelines.graph import ASSETS, versioned
from pipelines.jobs import JOBS
from pipelines.run import PROCESS_TAG
from pipelines.schedules import SCHEDULES
from pipelines.sensors import SENSORS
from resources.state import State, open_state

state = open_state()
state.home.dagster_environment()


@dg.resource(description="The home: tables, index, settings.")
def opened_state(context: dg.InitResourceContext) -> State:
    """The state; a run that opens it says in which process it is, so that it can be told dead."""
    if context.instance and context.run_id:
        context.instance.add_run_tags(
            context.run_id, {PROCESS_TAG: f"{socket.gethostname()}:{os.getpid()}"}
        )
    return state


defs = dg.Definitions(
    assets=versioned(ASSETS, state.policy),
    asset_checks=CHECKS,
    jobs=JOBS,
    schedules=SCHEDULES,
    sensors=SENSORS,
    resources={"state": opened_state},
    # One process per run: a step then costs 0.1 s instead of 2 s.
    executor=dg.in_process_executor,
)
