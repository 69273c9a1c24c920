"""Processes that are kept running: begun again, ended with all that they started, whoever ends."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.places import ROOT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

SUPERVISOR = """
import sys
from cairn.serving.runtime import supervisor
supervisor.TO_END = supervisor.THEN_TO_END = 1
children = [supervisor.Child(f"c{n}", [sys.executable, "-I", "-S", "-c", code])
            for n, code in enumerate(sys.argv[1:])]
supervisor.keep_running(children, [], lambda line: print(line, flush=True))
"""

WAITS = "import os, time; print('I am', os.getpid(), flush=True); time.sleep(1000)"
WITH_A_CHILD = f"""
import os, subprocess, sys
child = subprocess.Popen([sys.executable, '-I', '-S', '-c', {WAITS!r}])
print('I am', os.getpid(), flush=True)
child.wait()
"""
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {WAITS}"
FAILS = "import sys; sys.exit('\\x1b[31mbroken\\x1b[0m')"


class Supervised:
    """A supervisor that runs, and what it has said."""

    def __init__(self, process: "subprocess.Popen[str]", log: Path) -> None:
        self.process = process
        self._log = log

    @property
    def lines(self) -> list[str]:
        return self._log.read_text().splitlines()

    @property
    def pids(self) -> list[int]:
        return [int(line.split()[-1]) for line in self.lines if " I am " in line]

    def wait(self, holds: Callable[[], bool]) -> None:
        end = monotonic() + 120  # a busy machine is slow
        while not holds():
            assert monotonic() < end, self.lines
            sleep(0.02)


@contextmanager
def supervised(tmp_path: Path, *codes: str) -> Iterator[Supervised]:
    log = tmp_path / "log"
    command = [sys.executable, "-c", SUPERVISOR, *codes]
    with (
        log.open("w") as out,
        subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, cwd=ROOT) as process,
    ):
        try:
            yield Supervised(process, log)
        finally:
            process.terminate()


def is_there(pid: int) -> bool:
    try:
        return b"\nState:\tZ" not in Path(f"/proc/{pid}/status").read_bytes()
    except OSError:
        return False


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_all_end_with_what_they_started(tmp_path: Path, how: signal.Signals) -> None:
    with supervised(tmp_path, WAITS, WITH_A_CHILD, STUBBORN) as running:
        running.wait(lambda: len(running.pids) == 4)
        assert all(map(is_there, running.pids))
        running.process.send_signal(how)
        assert running.process.wait(60) == 0
        assert not any(map(is_there, running.pids))
        assert running.lines[-1].endswith(" all has ended")


def test_a_second_signal_waits_for_nothing(tmp_path: Path) -> None:
    code = SUPERVISOR.replace("= 1", "= 1000")
    command = [sys.executable, "-c", code, STUBBORN]
    with (
        (tmp_path / "log").open("w") as out,
        subprocess.Popen(command, stdout=out, cwd=ROOT) as process,
    ):
        running = Supervised(process, tmp_path / "log")
        running.wait(lambda: len(running.pids) == 1)
        process.terminate()
        running.wait(lambda: any("ending" in line for line in running.lines))
        process.terminate()
        assert process.wait(60) == 0
        assert not is_there(running.pids[0])


def test_what_ends_is_started_again_later_each_time_and_told(tmp_path: Path) -> None:
    with supervised(tmp_path, FAILS, WAITS) as running:
        running.wait(lambda: sum("it is started again" in line for line in running.lines) == 3)
        told = [line.partition("c0 ended ")[2] for line in running.lines if "c0 ended" in line]
        assert told == [f"(exit code 1): it is started again in {pause} s" for pause in (1, 2, 4)]
        assert "c0      broken" in running.lines, "in whose name, and without colours"
        first = running.pids[0]
        os.kill(first, signal.SIGKILL)
        running.wait(lambda: len(running.pids) == 2)
        assert any("c1 ended (SIGKILL)" in line for line in running.lines)
        assert running.pids[1] != first


def test_what_it_started_ends_with_one_that_is_killed(tmp_path: Path) -> None:
    with supervised(tmp_path, WITH_A_CHILD) as running:
        running.wait(lambda: len(running.pids) == 2)
        before = running.pids
        running.wait(lambda: all(map(is_there, before)))
        leader = next(pid for pid in before if os.getpgid(pid) == pid)
        os.kill(leader, signal.SIGKILL)
        running.wait(lambda: not any(map(is_there, before)))
        running.wait(lambda: len(running.pids) == 4)


def test_none_is_left_when_it_is_killed_itself(tmp_path: Path) -> None:
    with supervised(tmp_path, WAITS, WAITS) as running:
        running.wait(lambda: len(running.pids) == 2)
        running.process.kill()
        running.wait(lambda: not any(map(is_there, running.pids)))
