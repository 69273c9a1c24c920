"""What is told of a run, whoever executes it."""

import json
import os
import subprocess
import sys
from collections.abc import Generator
from typing import Any

import pytest

from cairn.knowledge.schema.identity import digest
from cairn.resources.context import State
from cairn.resources.home.home import Home
from cairn.resources.home.settings import Settings
from cairn.resources.telemetry.start import start, stop
from tests.pipelines.house import House
from tests.places import ROOT

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


@pytest.fixture(autouse=True)
def ended() -> Generator[None]:
    yield
    stop()


def lines(home: Home) -> list[dict[str, Any]]:
    (file,) = (home.root / "logs").iterdir()
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_a_run_that_failed_says_by_what_and_in_which_stage(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> bool:
        raise OSError("no room for Mira's talks")

    (house.state.home.publication / "default.json").unlink()
    monkeypatch.setattr("cairn.assets.publication.publish", full)
    start(house.state.home, Settings(), "test")
    assert not house.run("update", assets=["publication"]).success
    *_, stage, run = lines(house.state.home)
    assert (stage["message"], stage["error"]) == ("stage publication failed", "OSError")
    assert (run["message"], run["outcome"]) == ("run update failed", "failed")
    assert run["error"] == "OSError"
    assert run["run_id"] == stage["run_id"]
    assert run["namespace_digest"] == stage["namespace_digest"] == digest("default")
    assert "Mira" not in json.dumps(lines(house.state.home))


def test_a_sensor_that_looks_is_no_run(house: House) -> None:
    start(house.state.home, Settings(), "test")
    house.tick()
    assert not (house.state.home.root / "logs").exists()


@pytest.mark.slow
def test_a_run_in_a_process_of_dagsters_is_told(house: House) -> None:
    """As the daemon starts one: by the code location, without a command of ours."""
    state: State = house.state
    own = {k: v for k, v in os.environ.items() if not k.startswith(("CAIRN_", "DAGSTER_"))}
    command = ["-m", "dagster", "job", "execute", "-m", "cairn.pipelines.definitions", "-j",
               "dispatch"]  # fmt: skip
    environment = {"CAIRN_HOME": str(state.home.root), "DAGSTER_HOME": str(state.home.dagster)}
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env={**own, **environment},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    began, ended, *_ = lines(state.home)  # this command opens the home once more for its own end
    assert (began["message"], ended["message"]) == ("run dispatch began", "run dispatch done")
    assert (ended["command"], ended["outcome"]) == ("dagster", "done")
    assert len(ended["run_id"]) == 36
