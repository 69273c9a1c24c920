"""Which runs Dagster keeps of a namespace, what is told of them, and which go at night."""

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.storage.event_log import SqliteEventLogStorage

from cairn.assets.engine.old_runs import (
    ALL_KEPT,
    DAILY_KEPT,
    FAILED_KEPT,
    OF_ALL,
    remove_old_runs,
)
from cairn.pipelines.jobs import JOBS
from cairn.pipelines.planning.in_flight import COMMAND_TAG, process_tag
from cairn.pipelines.planning.run_history import RecordedRun, recorded_runs

NAMES = dg.DynamicPartitionsDefinition(name="names")
BROKEN: set[str] = set()


@dg.asset(partitions_def=NAMES)
def first() -> None:
    if BROKEN:
        raise ValueError("the quay is closed\nand its gate, too")


@dg.asset(partitions_def=NAMES, deps=[first])
def second() -> None: ...


ALL = dg.Definitions(
    [first, second],
    jobs=[dg.define_asset_job("all"), dg.define_asset_job("half", selection=["first"])],
)


def opened(folder: Path) -> dg.DagsterInstance:
    return dg.DagsterInstance.local_temp(str(folder), overrides={"telemetry": {"enabled": False}})


@pytest.fixture(scope="module")
def without_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of an instance that has executed nothing yet; not to be changed."""
    folder = tmp_path_factory.mktemp("without_runs")
    with opened(folder) as made:
        made.add_dynamic_partitions("names", ["harbor", "quay"])
    return folder


@pytest.fixture
def instance(without_runs: Path, tmp_path: Path) -> Iterator[dg.DagsterInstance]:
    shutil.copytree(without_runs, tmp_path, dirs_exist_ok=True)
    with opened(tmp_path) as made:
        yield made


def run(instance: dg.DagsterInstance, name: str = "harbor", job: str = "all", **tags: str) -> str:
    done = ALL.resolve_job_def(job).execute_in_process(
        instance=instance, partition_key=name, raise_on_error=False, tags=tags
    )
    return done.run_id


def failed(instance: dg.DagsterInstance) -> str:
    BROKEN.add("first")
    try:
        return run(instance)
    finally:
        BROKEN.clear()


def told(instance: dg.DagsterInstance, **asked: bool) -> list[RecordedRun]:
    return recorded_runs(instance, "harbor", **asked)


def later(span: timedelta) -> datetime:
    return datetime.now(UTC) + span + timedelta(minutes=1)


def test_a_run_whose_process_is_gone_did_not_end_well(instance: dg.DagsterInstance) -> None:
    (gone,) = process_tag().items()
    host, where, _, started = gone[1].split(":")
    tags = {"dagster/partition": "harbor", gone[0]: f"{host}:{where}:999999999:{started}"}
    instance.create_run_for_job(
        ALL.resolve_job_def("all"), tags=tags, status=dg.DagsterRunStatus.STARTED
    )
    (one,) = told(instance)
    assert (one.status, one.reason) == ("failure", "the process that executed it is gone")


def test_runs_are_told_and_the_night_keeps_the_last_good_one_of_a_day_and_what_made_an_asset_last(
    instance: dg.DagsterInstance,
) -> None:
    whole = run(instance, **{COMMAND_TAG: "1a2b"})
    twice, half = run(instance), run(instance, job="half")
    bad, other = failed(instance), run(instance, "quay")
    last, *_, one = told(instance)
    assert (one.run_id, one.status, one.asked_by, one.reason) == (whole, "success", "command", None)
    assert (one.namespace, one.job) == ("harbor", "all")
    assert one.seconds is not None
    assert (last.run_id, last.status, last.asked_by) == (bad, "failure", "ui")
    assert last.reason == "first: ValueError: the quay is closed"
    assert [each.run_id for each in told(instance, failed=True)] == [bad]
    assert remove_old_runs(instance, "harbor", datetime.now(UTC)) == 0
    assert remove_old_runs(instance, "harbor", later(ALL_KEPT)) == 1
    # `second` was made last by `twice`, `first` by `half`, which is the day's last good one.
    assert {one.run_id for one in told(instance)} == {twice, half, bad}
    assert remove_old_runs(instance, "harbor", later(FAILED_KEPT)) == 1
    assert remove_old_runs(instance, "harbor", later(DAILY_KEPT)) == 0
    assert {one.run_id for one in told(instance)} == {twice, half}
    assert [one.run_id for one in recorded_runs(instance, "quay")] == [other]
    storage = instance.event_log_storage
    assert isinstance(storage, SqliteEventLogStorage)
    files = {run_id: Path(storage.path_for_shard(run_id)).exists() for run_id in (whole, twice)}
    assert files == {whole: False, twice: True}
    assert instance.get_run_by_id(whole) is None


@dg.job
def dispatch() -> None: ...


def test_runs_of_no_namespace_go_too(instance: dg.DagsterInstance) -> None:
    assert {job.name for job in JOBS if isinstance(job, dg.JobDefinition)} == {*OF_ALL}
    for _ in range(3):
        assert dispatch.execute_in_process(instance=instance).success
    assert remove_old_runs(instance, "harbor", later(ALL_KEPT)) == 2
    assert len(recorded_runs(instance)) == 1


def test_who_has_made_more_since_keeps_one_run_of_each_day(instance: dg.DagsterInstance) -> None:
    runs = [run(instance) for _ in range(3)]
    assert remove_old_runs(instance, "harbor", later(DAILY_KEPT)) == 2
    assert [one.run_id for one in told(instance)] == runs[-1:]
    latest = [instance.get_latest_materialization_event(key) for key in instance.get_asset_keys()]
    assert {one.run_id for one in latest if one} == {runs[-1]}
    assert all(latest)
