"""A run that keeps the event log open leaves in it what Dagster itself leaves."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, nullcontext
from pathlib import Path
from uuid import uuid4

import dagster as dg
from dagster._core.storage.event_log import SqliteEventLogStorage

from cairn.pipelines.planning.event_log import kept_open

NAMES = dg.DynamicPartitionsDefinition(name="names")


def asset(name: str, *deps: str) -> dg.AssetSpec:
    return dg.AssetSpec(name, deps=deps, code_version="1")


@dg.multi_asset(specs=[asset("a"), asset("b", "a")], partitions_def=NAMES)
def first() -> Iterator[dg.MaterializeResult[None]]:
    yield dg.MaterializeResult(asset_key="a", metadata={"rows": 1})
    yield dg.MaterializeResult(asset_key="b", data_version=dg.DataVersion("b1"))


@dg.multi_asset(specs=[asset("c", "a", "b"), asset("d", "c", "b")], partitions_def=NAMES)
def second() -> Iterator[dg.MaterializeResult[None]]:
    yield dg.MaterializeResult(asset_key="c")
    yield dg.MaterializeResult(asset_key="d")


ASSETS = dg.Definitions([first, second], jobs=[dg.define_asset_job("all")])


def run(instance: dg.DagsterInstance, name: str, *, kept: bool) -> str:
    run_id = str(uuid4())
    with kept_open(instance, run_id) if kept else nullcontext():
        done = ASSETS.resolve_job_def("all").execute_in_process(
            instance=instance, partition_key=name, run_id=run_id
        )
        assert done.success
    return run_id


def left(folder: Path, *, kept: bool) -> tuple[object, ...]:
    """What three runs, of two namespaces by turns, leave for the UI and for the next run."""
    folder.mkdir()
    with dg.DagsterInstance.local_temp(str(folder)) as instance:
        storage = instance.event_log_storage
        assert isinstance(storage, SqliteEventLogStorage)
        instance.add_dynamic_partitions("names", ["x", "y"])
        runs = [run(instance, name, kept=kept) for name in ("x", "y", "x")]
        keys = [dg.AssetKey(name) for name in "abcd"]
        events = [
            [(entry.dagster_event_type, entry.asset_materialization) for entry in logs]
            for logs in map(instance.all_logs, runs)
        ]
        latest = [
            (record.asset_entry.last_run_id == runs[-1],
             record.asset_entry.last_materialization_record.asset_materialization)
            for record in instance.get_asset_records(keys)
            if record.asset_entry.last_materialization_record
        ]  # fmt: skip
        tags = [
            storage.get_latest_tags_by_partition(
                key, dg.DagsterEventType.ASSET_MATERIALIZATION, ["dagster/data_version"], ["x", "y"]
            )
            for key in keys
        ]
        with closing(sqlite3.connect(storage.path_for_shard(runs[0]))) as file:
            tables = sorted(file.execute("SELECT type, name, sql FROM sqlite_master").fetchall())
            revision = file.execute("SELECT version_num FROM alembic_version").fetchall()
            mode = file.execute("PRAGMA journal_mode").fetchall()
    assert len(latest) == 4
    assert all(tags)
    return events, latest, tags, tables, revision, mode


def test_it_leaves_what_dagster_itself_leaves(tmp_path: Path) -> None:
    assert left(tmp_path / "kept", kept=True) == left(tmp_path / "own", kept=False)
