"""Runs that Dagster keeps and nobody needs: an intake makes hundreds a day, of a megabyte each."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
from dagster._core.storage.event_log import SqliteEventLogStorage
from dagster._core.storage.tags import PARTITION_NAME_TAG

ALL_KEPT = timedelta(days=2)
"""How long all runs stay."""
FAILED_KEPT = timedelta(days=30)
"""How long those stay that failed or were cancelled."""
DAILY_KEPT = timedelta(days=90)
"""How long the last good run of each day stays: what the UI plots over time is read of it."""

FAILED = (dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED)
"""How a run ends that made nothing."""

OF_ALL = ("dispatch", "enrich")
"""Jobs whose runs are of no namespace."""


def remove_old_runs(instance: dg.DagsterInstance, namespace: str, now: datetime) -> int:
    """Removes runs of a namespace, and of no namespace, with their events; gives how many.

    Whatever made an asset last stays, however old it is: it says that the asset is there.
    """
    filters = [
        dg.RunsFilter(
            tags=tags, job_name=job, created_before=now - ALL_KEPT,
            statuses=[dg.DagsterRunStatus.SUCCESS, *FAILED],
        )
        for tags, job in (({PARTITION_NAME_TAG: namespace}, None), *(({}, job) for job in OF_ALL))
    ]  # fmt: skip
    going = {
        record.dagster_run.run_id
        for which in filters
        for record in _not_kept(instance.get_run_records(which), now)
    }
    if going:
        going -= set(_made_last(instance, namespace))
    for run_id in sorted(going):
        instance.delete_run(run_id)
        storage = instance.event_log_storage
        if isinstance(storage, SqliteEventLogStorage):  # it leaves the file, with room in it
            for behind in ("", "-wal", "-shm"):
                with suppress(OSError):
                    Path(f"{storage.path_for_shard(run_id)}{behind}").unlink()
    return len(going)


def _not_kept(old: Sequence[dg.RunRecord], now: datetime) -> Iterator[dg.RunRecord]:
    """Those of some runs, the latest first, whose time is over."""
    days: set[str] = set()
    for record in old:
        age, day = now - record.create_timestamp, f"{record.create_timestamp.astimezone(UTC):%F}"
        if record.dagster_run.status in FAILED:
            if age > FAILED_KEPT:
                yield record
        elif day in days or age > DAILY_KEPT:
            yield record
        else:
            days.add(day)


def _made_last(instance: dg.DagsterInstance, namespace: str) -> Iterator[str]:
    """The runs that made the assets of a namespace last."""
    for key in instance.get_asset_keys():
        asked = dg.AssetRecordsFilter(asset_key=key, asset_partitions=[namespace])
        for found in instance.fetch_materializations(asked, limit=1).records:
            yield found.run_id
