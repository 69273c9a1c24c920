"""The night: everything is rebuilt and checked, and tables are tidied."""

import dagster as dg

from cairn.pipelines.enrich import nightly_searches
from cairn.pipelines.jobs import night

nightly = dg.ScheduleDefinition(
    name="nightly",
    job=night,
    cron_schedule="30 3 * * *",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Consolidates, checks, publishes, tidies.",
    tags={"cairn/night": "true"},
)

SCHEDULES = [nightly, nightly_searches]
