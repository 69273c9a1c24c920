"""kill -9 in each kind of asset, again and again in one home; then a run makes it whole."""

import multiprocessing
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from polars.testing import assert_frame_equal

from cairn.assets.pending.records import changed_files
from cairn.assets.records import intake
from cairn.knowledge.assembly.build import build, comparable
from cairn.knowledge.engine.stage import StageContext
from cairn.knowledge.schema.tables import RECORDS, TABLES, Table
from cairn.pipelines.planning.in_flight import reconcile
from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.resources.home.sources import add_source
from cairn.resources.warehouse.publication import published

FILES = (
    "chat/homelab.jsonl",
    "claude_code/lantern-shop/726523c3-0f72-49e9-a1f4-c1656b2471d9.jsonl",
)


PLACES = (
    "records", "source_files", "extractors", "raw_logs", "candidates", "entities", "fact_sources",
    "embeddings", "merges", "index", "vector_index", "before publication", "after publication",
)  # fmt: skip
"""One of each kind of asset: what comes of files, of days, of conversations and of a whole table,
made of everything or of a change; the first and the last of several tables; what is not a table.
"""


class Deaths:
    """Where processes died, kept in a file: each place kills once."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def places(self) -> list[str]:
        return self._file.read_text().splitlines() if self._file.exists() else []

    def at(self, place: str) -> None:
        if place in PLACES and place not in self.places():
            with self._file.open("a") as file:
                file.write(place + "\n")
            os.kill(os.getpid(), signal.SIGKILL)


def run(home: Path, deaths: Deaths) -> None:
    """What `cairn run` does, until something is written where nobody has died yet.

    Behind the commit of a table a stage has other tables left to write, or its units of work.
    """
    from cairn.assets import publication
    from cairn.pipelines.runner import run_graph
    from cairn.resources.context import open_state
    from cairn.resources.vector_index.edge import EdgeIndex
    from cairn.resources.warehouse.tables import Tables

    commit, index, publish = Tables._commit, EdgeIndex.publish, publication.publish

    def dying_commit(self: Tables, table: Table, *args: Any, **kwargs: Any) -> Any:
        written = commit(self, table, *args, **kwargs)
        deaths.at(table.name)
        return written

    def dying_index(self: EdgeIndex, *args: Any, **kwargs: Any) -> Any:
        made = index(self, *args, **kwargs)
        deaths.at("index")
        return made

    def dying_publish(*args: Any) -> bool:
        deaths.at("before publication")
        written = publish(*args)
        deaths.at("after publication")
        return written

    Tables._commit = dying_commit
    EdgeIndex.publish = dying_index
    publication.publish = dying_publish
    run_graph(open_state(home))


@pytest.mark.faults
def test_killed_in_every_kind_of_asset_it_ends_in_the_same_rows(
    samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for name in FILES:
        shutil.copy(samples / name, logs)
    state = State(open_home(tmp_path / "home"), Settings())
    add_source(state.home, logs, "default")
    monkeypatch.setenv("CAIRN_HOME", str(state.home.root))
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(
        [
            __name__,
            "cairn.pipelines.definitions",
            "cairn.pipelines.runner",
            "cairn.resources.embedders.wordllama",
            "cairn.resources.llm.language_model",
            "cairn.resources.vector_index.edge",
            "dagster._core.execution.execute_in_process",
            "dagster._core.executor.in_process",
            "dagster._core.instance.runs.run_domain",
            "dagster._core.storage.noop_compute_log_manager",
            "dagster._core.storage.sqlite_storage",
            "dagster._core.workspace.context",
            "json_repair",
            "scipy.sparse.csgraph",
            "upath.implementations.local",
            "wordllama",
        ]
    )

    deaths = Deaths(tmp_path / "deaths")
    exits: list[int | None] = []
    while 0 not in exits:
        process = processes.Process(target=run, args=(state.home.root, deaths))
        process.start()
        process.join(240)
        exits.append(process.exitcode)
        assert set(exits) <= {-signal.SIGKILL, 0}
        assert len(exits) == len(deaths.places()) + (0 in exits)
    assert sorted(deaths.places()) == sorted(PLACES)

    undisturbed = State(open_home(tmp_path / "other"), Settings())
    add_source(undisturbed.home, logs, "default")
    intake(undisturbed, changed_files(undisturbed))
    records = undisturbed.warehouse.read(RECORDS).collect()
    expected = comparable(build(records, StageContext(state.policy, state.embedder)))
    expected |= comparable({"records": records})
    for name, frame in expected.items():
        stored = comparable({name: state.warehouse.read(TABLES[name]).collect()})
        assert_frame_equal(stored[name], frame, check_exact=True)
    assert published(state.home, "default") is not None
    with dg.DagsterInstance.from_config(str(state.home.dagster)) as instance:
        reconcile(instance)
        statuses = [run.status for run in instance.get_runs()]
    # The last one died behind its publication, so that nothing was pending then.
    assert set(statuses) == {dg.DagsterRunStatus.FAILURE}
    assert statuses.count(dg.DagsterRunStatus.FAILURE) == len(PLACES)
