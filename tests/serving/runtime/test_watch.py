"""`cairn run --watch`: what comes is found within seconds, by one process that stays."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep

import pytest
from dagster import DagsterInstance

from cairn.pipelines.planning.due import DueRuns
from cairn.resources.context import State, open_state
from cairn.resources.home.daemon_lock import watch_holder
from cairn.resources.home.home import open_home
from cairn.resources.home.sources import add_source
from cairn.serving.read.reader import open_reader
from cairn.serving.retrieval.search import search_memory
from cairn.serving.runtime import watch
from cairn.serving.runtime.processor import one_core
from tests.pipelines.test_sensors import line
from tests.places import ROOT
from tests.serving.conftest import Ask

WATCHER = """
import sys
from cairn.serving.cli.main import main
from cairn.serving.runtime import watch

def due(*of, look=watch.due):
    found = look(*of)
    print(f"looked: {len(found.namespaces)} due", file=sys.stderr, flush=True)
    return found

watch.due, watch.LONGEST_REST = due, 0.5
main()
"""


def until(told: Path, text: str, times: int = 1) -> None:
    """Waits until a process has said something so often."""
    end = monotonic() + 120  # a busy machine is slow
    while told.read_text().count(text) < times:
        assert monotonic() < end, told.read_text()
        sleep(0.05)


@pytest.mark.slow
def test_what_is_written_is_found_by_one_process_that_stays(run_cairn: Ask, tmp_path: Path) -> None:
    home, logs, told = open_home(tmp_path / "home"), tmp_path / "logs", tmp_path / "told"
    logs.mkdir()
    add_source(home, logs, "default")
    command = [sys.executable, "-c", WATCHER, "--home", str(home.root), "run", "--watch"]
    with (
        told.open("w") as err,
        subprocess.Popen(command, stdout=err, stderr=err, cwd=ROOT) as process,
    ):
        try:
            until(told, "watching the logs of ")
            other = run_cairn("--home", home.root, "run", "--watch")
            assert (other.code, f"(process {process.pid}, since " in other.err) == (1, True)
            until(told, "looked: 0 due")  # what is found from now on is new
            said = line("2026-02-01T10:01:00Z", 2, "The lighthouse lamp needs a relay.")
            (logs / "a.jsonl").write_bytes(said)
            until(told, "default: published what was new after ")
            found = search_memory(open_reader(open_state(home.root)), "lighthouse lamp")
            assert "relay" in found[0].text
            # What a setting decides may be all there is: it is left to a process of its own.
            (home.root / "cairn.toml").write_text("[policy]\nepisode_text_characters = 300\n")
            until(told, "Done in ")
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 0
        finally:
            process.terminate()
    assert watch_holder(home) is None
    assert "Traceback" not in told.read_text()


class Dropped:
    """Something that is interrupted as it goes, where Python drops that."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_that_python_drops_ends_it_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, looks = open_home(tmp_path / "home"), []

    def due(state: State, instance: DagsterInstance) -> DueRuns:
        looks.append(Dropped())
        looks.clear()
        monkeypatch.setattr(watch, "due", None)  # it must not look once more
        return found(state, instance)

    found = watch.due
    monkeypatch.setattr(watch, "due", due)
    monkeypatch.setattr(watch, "LOOK_EVERY", 0.1)
    watch.watch(home.root, print)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_small_work_keeps_to_one_core_and_gives_the_others_back() -> None:
    given, ended = os.sched_getaffinity(0), Event()
    os.sched_setaffinity(0, range(os.cpu_count() or 1))  # a test may be kept to one, too
    before = os.sched_getaffinity(0)
    thread = Thread(target=ended.wait)
    thread.start()
    try:
        for_all = (0, thread.native_id or 0)
        with one_core():
            assert {len(os.sched_getaffinity(one)) for one in for_all} == {1}
        assert [os.sched_getaffinity(one) for one in for_all] == [before, before]
    finally:
        os.sched_setaffinity(0, given)
        ended.set()
