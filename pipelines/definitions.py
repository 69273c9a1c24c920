"""The code location: everything that Dagster sees."""

import dagster as dg

from pipelines.checks import CHECKS
from pipelines.graph import ASSETS, versioned
from pipelines.jobs import JOBS
from pipelines.schedules import SCHEDULES
from pipelines.sensors import SENSORS
from resources.state import open_state

state = open_state()
state.home.dagster_environment()

defs = dg.Definitions(
    assets=versioned(ASSETS, state.policy),
    asset_checks=CHECKS,
    jobs=JOBS,
    schedules=SCHEDULES,
    sensors=SENSORS,
    resources={"state": state},
    # One process per run: a step then costs 0.1 s instead of 2 s.
    executor=dg.in_process_executor,
)
