"""Two homes that share: one stops in the middle of a run, and comes back too late."""

import multiprocessing
import os
import shutil
import signal
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from cairn.knowledge.schema.tables import Table
from cairn.resources.context import State, open_state
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.resources.home.sources import add_source
from cairn.resources.sharing.lease import LeaseLost
from cairn.resources.warehouse.publication import published
from cairn.resources.warehouse.tables import Tables
from tests.journeys.running import assert_as_built, follow


def _run(home: Path, talk: Connection) -> None:
    """Makes all and publishes it; the process stops once it has candidates."""
    commit = Tables._commit

    def stopping(self: Tables, table: Table, *args: Any, **kwargs: Any) -> Any:
        written = commit(self, table, *args, **kwargs)
        if table.name == "candidates":
            os.kill(os.getpid(), signal.SIGSTOP)
        return written

    Tables._commit = stopping
    own = open_state(home).of("default")
    try:
        with own.leased():
            follow(own)
    except LeaseLost as lost:
        talk.send(str(lost))
    else:
        talk.send("published")
    os._exit(0)  # to take down all that was loaded takes a second


@pytest.mark.faults
def test_who_comes_back_after_another_went_on_writes_and_publishes_nothing(
    samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    shutil.copy(samples / "chat" / "homelab.jsonl", logs)
    shared = tmp_path / "shared"
    settings = Settings(warehouse=str(shared), lease_seconds=5)
    first, second = (State(open_home(tmp_path / name), settings) for name in ("a", "b"))
    for state in (first, second):
        add_source(state.home, logs, "default")
    monkeypatch.setenv("CAIRN_WAREHOUSE", str(shared))
    monkeypatch.setenv("CAIRN_LEASE_SECONDS", "5")
    spawn = multiprocessing.get_context("spawn")
    here, there = spawn.Pipe()
    process = spawn.Process(target=_run, args=(first.home.root, there))
    process.start()
    assert process.pid
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    own = second.of("default")
    with own.leased():
        follow(own)
    os.kill(process.pid, signal.SIGCONT)
    assert "run again" in here.recv()
    process.join()
    assert_as_built(second)
    assert published(second.home, "default")
    assert published(first.home, "default") is None
    # What the other made stands: it has nothing to make but its own index and publication.
    back = first.of("default")
    with back.leased():
        assert follow(back) == []
    assert published(first.home, "default") == published(second.home, "default")
