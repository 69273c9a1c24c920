"""Commands that make knowledge, in this process; in one of their own where it is interrupted."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from cairn.assets.engine.progress import Listener, StageReport
from cairn.knowledge.schema.tables import CONVERSATIONS, TABLES
from cairn.pipelines import follow as run
from cairn.pipelines.runner import run_graph
from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.resources.home.sources import add_source
from tests.journeys.running import follow
from tests.serving.conftest import Ask

CAIRN = [sys.executable, "-m", "cairn"]


def message(minute: int, text: str) -> str:
    return json.dumps(
        {"role": "user", "content": text, "timestamp": f"2026-03-01T10:{minute:02}:00Z"}
    )


@pytest.mark.slow
@pytest.mark.usefixtures("by_polars")
def test_what_was_mended_is_read_again_and_days_are_made_anew(
    tmp_path: Path, run_cairn: Ask
) -> None:
    def told(*arguments: str) -> Any:
        return run_cairn("--home", home, *arguments, "--json").json

    home, logs = tmp_path / "home", tmp_path / "chat.jsonl"
    whole = message(0, "We use pnpm here, never npm install.")
    cut = message(1, "We decided to use gzip instead of zstd for the archives.")
    logs.write_text(f"{whole}\n{cut[:-20]}\n")
    state = State(open_home(home), Settings())
    add_source(state.home, logs, "me")
    follow(state)
    (letter,) = told("dead-letters")["dead_letters"]
    assert (letter["source_file"], letter["source_line"]) == (str(logs), 2)
    assert letter["source_offset"] == len(whole) + 1

    logs.write_text(f"{whole}\n{cut}\n")
    retried = run_cairn("--home", home, "dead-letters", "--retry", "--json")
    assert retried.code == 0, retried.err
    assert told("dead-letters")["total"] == 0
    facts = told("facts", "--events")
    assert any("gzip" in fact["content"] for fact in facts["items"])

    days = ["--from", "2026-03-01", "--to", "2026-03-02"]
    stale = run_cairn("--home", home, "backfill", *days, "--stale")
    assert stale.out == "No day of these is stale.\n"
    stages = {row["stage"]: row for row in told("backfill", *days, "--force")["stages"]}
    assert stages["candidates"]["rows_in"] > 0

    spoilt = state.warehouse.read(CONVERSATIONS).with_columns(pl.col("records") + 1).collect()
    state.warehouse.write(CONVERSATIONS, spoilt)
    checked = run_cairn("--home", home, "verify", "--json")
    assert checked.code == 1
    (me,) = checked.json["namespaces"]
    (broken,) = me["broken"]
    assert "counts add up" in str(broken)
    assert me["namespace"] == "me"
    assert me["held"] > len(TABLES), "each table has a key, at least"
    other = run_cairn("--home", home, "verify", "--namespace", "nobody")
    assert "no namespace nobody: there are me" in other.err
    assert told("facts", "--events") == facts


@pytest.mark.slow
def test_an_interrupted_run_publishes_what_is_done(
    tmp_path: Path, samples: Path, run_cairn: Ask
) -> None:
    home, logs = tmp_path / "home", samples / "chat" / "kitchen.jsonl"
    with subprocess.Popen(
        [*CAIRN, "--home", str(home), "run", "--source", str(logs), "--namespace", "me"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stderr
        told, asked = "", False
        for line in process.stderr:
            told += line
            if " introductions:" in line and " done" in line and not asked:
                asked = True
                os.kill(process.pid, signal.SIGINT)
    assert process.returncode == 130, told
    assert "interrupted: publishing what is done" in told
    assert " run` goes on from there" in told
    assert run_cairn("--home", home, "search", "sourdough", "--json").code == 0
    run.follow(State(open_home(home), Settings()))
    status = run_cairn("--home", home, "status", "--json").json
    assert status["namespaces"][0]["pending_days"] == []


@pytest.mark.slow
def test_two_interrupts_stop_at_once(tmp_path: Path, samples: Path) -> None:
    with subprocess.Popen(
        [*CAIRN, "--home", str(tmp_path / "home"), "run", "--source", str(samples)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stderr
        for line in process.stderr:
            if " records:" in line or "interrupted" in line:
                os.kill(process.pid, signal.SIGINT)
            if "interrupted" in line:
                break
        rest = process.stderr.read()
    assert process.returncode == 130
    assert "published" not in rest


class Gone:
    """Interrupts where what is raised is dropped."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("stage", ["records", "publication"])
def test_an_interrupt_that_python_drops_interrupts_all_the_same(tmp_path: Path, stage: str) -> None:
    logs = tmp_path / "chat.jsonl"
    logs.write_text(message(0, "We use pnpm here, never npm install.") + "\n")
    state = State(open_home(tmp_path / "home"), Settings())
    add_source(state.home, logs, "me")
    dropped: list[str] = []

    def ended(report: StageReport) -> None:
        if report.stage == stage:
            dropped.append(report.stage)
            Gone()

    assert run_graph(state, listener=Listener(ended=ended)).interrupted
    assert dropped
