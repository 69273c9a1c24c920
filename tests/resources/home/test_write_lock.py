"""The one writer's lock, between processes."""

import logging
import multiprocessing
import os
import signal
import threading
import time
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest

from cairn.resources.home.home import Home, open_home
from cairn.resources.home.write_lock import LockTimeout, lock_holder, write_lock

SPAWN = multiprocessing.get_context("spawn")


def _hold(root: Path, taken: Event) -> None:
    with write_lock(Home(root), "cairn run"):
        taken.set()
        time.sleep(60)


@pytest.mark.faults
def test_who_waits_says_for_whom_and_a_kill_frees_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    home, taken = open_home(tmp_path / "home"), SPAWN.Event()
    other = SPAWN.Process(target=_hold, args=(home.root, taken))
    other.start()
    assert taken.wait(30)
    holder = lock_holder(home)
    assert holder
    assert (holder.pid, holder.command) == (other.pid, "cairn run")
    with (
        caplog.at_level(logging.INFO, "cairn.resources.home.write_lock"),
        pytest.raises(LockTimeout, match=f"`cairn run` .process {other.pid}"),
        write_lock(home, timeout=1.3),
    ):
        pytest.fail("two writers at once")
    assert [record.message for record in caplog.records] == [f"waiting for {holder}"]
    assert other.pid
    os.kill(other.pid, signal.SIGKILL)
    other.join()
    with write_lock(home, "cairn forget", timeout=5):
        assert lock_holder(home)
    assert lock_holder(home) is None


def test_one_who_gives_it_up_for_a_moment_queues_behind_who_waits(tmp_path: Path) -> None:
    home = open_home(tmp_path / "home")
    order: list[str] = []

    def tick() -> None:
        with write_lock(home, "tick", timeout=10):
            order.append("tick")

    waiting = threading.Thread(target=tick)
    with write_lock(home, "night"):
        waiting.start()
        time.sleep(0.3)
    with write_lock(home, "night", timeout=10):
        order.append("night")
    waiting.join()
    assert order == ["tick", "night"]


def test_namespaces_are_written_side_by_side_and_the_home_alone(tmp_path: Path) -> None:
    home = open_home(tmp_path / "home")
    with write_lock(home, "import", namespace="one"):
        with write_lock(home, "chat", namespace="two", timeout=0):
            pass
        for other in ("one", None):
            refused = pytest.raises(LockTimeout, match="`import`")
            with refused, write_lock(home, "second", namespace=other, timeout=0):
                pytest.fail("two writers of one namespace")
        assert lock_holder(home)
    with write_lock(home, "upgrade"):
        refused = pytest.raises(LockTimeout, match="`upgrade`")
        with refused, write_lock(home, "chat", namespace="two", timeout=0):
            pytest.fail("a writer beside who has the home")
    assert lock_holder(home) is None


def test_who_wants_the_home_is_not_passed_by_those_who_want_a_namespace(tmp_path: Path) -> None:
    home = open_home(tmp_path / "home")
    order: list[str] = []

    def work(command: str, namespace: str | None) -> None:
        with write_lock(home, command, namespace=namespace, timeout=10):
            order.append(command)

    with write_lock(home, "import", namespace="one"):
        threads = [threading.Thread(target=work, args=("upgrade", None)),
                   threading.Thread(target=work, args=("chat", "two"))]  # fmt: skip
        for thread in threads:
            thread.start()
            time.sleep(0.3)
        order.append("import")
    for thread in threads:
        thread.join()
    assert order == ["import", "upgrade", "chat"]
