"""The night: everything is made anew and checked, and tables are tidied."""

import dagster as dg

from pipelines.jobs import consolidate

nightly = dg.ScheduleDefinition(
    name="nightly",
    job=consolidate,
    cron_schedule="30 3 * * *",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Consolidates, checks, publishes.",
    tags={"cairn/night": "true"},
)

SCHEDULES = [nightly]
