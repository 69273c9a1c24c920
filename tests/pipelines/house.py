"""A home whose graph Dagster runs in this process, as the sensor asks for it."""

import json
from collections.abc import Collection, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from uuid import uuid4

import dagster as dg
from dagster._core.storage.event_log import InMemoryEventLogStorage
from sqlalchemy import Connection

from cairn.assets.engine.namespaces import make_known
from cairn.pipelines.assembly import definitions
from cairn.pipelines.planning.event_log import do_less, kept_open
from cairn.pipelines.runner import QUIET
from cairn.pipelines.sensors import new_logs
from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.resources.home.sources import add_source


@dataclass(frozen=True)
class House:
    """A home, a folder of logs that it watches, and Dagster's instance of it."""

    state: State
    logs: Path
    given: dg.DagsterInstance | None = None

    @cached_property
    def instance(self) -> dg.DagsterInstance:
        """The one that was given, or one in memory, which only those make who ask Dagster."""
        instance = self.given or dg.DagsterInstance.ephemeral()
        keep_connected(instance)
        return instance

    @cached_property
    def graph(self) -> dg.Definitions:
        """The graph over its home."""
        return definitions(self.state)

    def looked(self, sensor: dg.SensorDefinition) -> str:
        """What a sensor does now: the job that it starts, or why there is none."""
        result = self.tick(sensor=sensor)
        if isinstance(result, str):
            return result
        (request,) = result.run_requests or ()
        return request.job_name or ""

    def tick(
        self, cursor: str | None = None, sensor: dg.SensorDefinition = new_logs
    ) -> dg.SensorResult | str:
        """What a sensor does now: a run request, or why there is none."""
        context = dg.build_sensor_context(
            instance=self.instance, cursor=cursor, resources={"state": self.state}
        )
        result = sensor(context)
        if isinstance(result, dg.SkipReason):
            return result.skip_message or ""
        assert isinstance(result, dg.SensorResult)
        return result

    def run(
        self,
        job: str,
        tags: dict[str, str] | None = None,
        namespace: str = "default",
        *,
        assets: Collection[str] = (),
        checks: Collection[dg.AssetCheckKey] = (),
    ) -> dg.ExecuteInProcessResult:
        """Runs a job, of a namespace if it makes assets; a failure is in what it gives.

        All of it, or just some `assets` and `checks`.
        """
        made, run_id = self.graph.resolve_job_def(job), str(uuid4())
        if assets or checks:
            made = made.get_subset(
                asset_selection={dg.AssetKey(name) for name in assets},
                asset_check_selection={*checks},
            )
        make_known(self.instance, [namespace])
        with kept_open(self.instance, run_id):  # as commands do
            return made.execute_in_process(
                run_config=QUIET,
                instance=self.instance,
                tags=tags,
                raise_on_error=False,
                run_id=run_id,
                partition_key=namespace if made.partitions_def else None,
            )

    def follow(self) -> list[str]:
        """Ticks and runs until nothing is new; gives the jobs."""
        jobs: list[str] = []
        cursor = None
        while not isinstance(result := self.tick(cursor), str):
            for request in result.run_requests or ():
                assert request.job_name
                namespace = request.partition_key or "default"
                done = self.run(request.job_name, dict(request.tags), namespace)
                assert done.success, failure(done)
                jobs.append(request.job_name)
            cursor = result.cursor
        return jobs


def keep_connected(instance: dg.DagsterInstance) -> None:
    """Has events in memory written over one connection, as `kept_open` has those in files.

    Dagster opens one for each, which is a quarter of a run, and asks each time what is there.
    """
    storage = instance.event_log_storage
    if not isinstance(storage, InMemoryEventLogStorage) or "_connect" in vars(storage):
        return

    @contextmanager
    def held() -> Generator[Connection]:
        with storage._db_lock, storage._held_conn.begin():
            yield storage._held_conn

    storage._connect = held
    do_less(storage)


def failure(result: dg.ExecuteInProcessResult) -> str:
    """Messages of the innermost errors of steps that failed."""
    messages: list[str] = []
    for event in result.get_step_failure_events():
        error = event.step_failure_data.error
        while error and error.cause:
            error = error.cause
        messages.append(error.message if error else "")
    return "\n".join(messages)


def open_house(folder: Path, instance: dg.DagsterInstance | None = None) -> House:
    """A new house."""
    logs = folder / "logs"
    logs.mkdir(parents=True)
    state = State(open_home(folder / "home"), Settings())
    add_source(state.home, logs, "default")
    return House(state, logs, instance)


def talk(folder: Path, number: int, text: str, at: str) -> Path:
    """A file with a conversation of its own."""
    line = {"role": "user", "name": "Mira", "content": text, "timestamp": at,
            "conversation_id": f"talk-{number}", "id": f"m-{number}"}  # fmt: skip
    path = folder / f"{number}.jsonl"
    path.write_text(json.dumps(line) + "\n")
    return path
