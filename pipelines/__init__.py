"""The Dagster code location: definitions, partitions, jobs, schedules, sensors, checks."""
