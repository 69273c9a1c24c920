"""Leases: of homes that share a namespace one writes to it at a time."""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from cairn.resources.home.write_lock import LockTimeout
from cairn.resources.sharing import lease as module
from cairn.resources.sharing.lease import Lease, LeaseLost
from cairn.resources.sharing.store import SharedStore

SECONDS = 1.0
SPAWN = multiprocessing.get_context("spawn")


@pytest.fixture
def store(tmp_path: Path) -> SharedStore:
    return SharedStore(str(tmp_path / "store"))


def _hold(address: str, seconds: float, talk: Connection) -> None:
    """Holds a lease, and says whether it does still when it is asked to."""
    lease = Lease(SharedStore(address), "one", seconds)
    try:
        with lease.held(5):
            talk.send("held")
            talk.recv()
            lease.check()
            talk.send("held still")
    except LeaseLost as lost:
        talk.send(str(lost))


@contextmanager
def _another(store: SharedStore, seconds: float) -> Generator[tuple[BaseProcess, Connection]]:
    """Another process that holds the lease of `one`."""
    here, there = SPAWN.Pipe()
    process = SPAWN.Process(target=_hold, args=(store.address, seconds, there))
    process.start()
    try:
        assert here.recv() == "held"
        yield process, here
    finally:
        process.kill()
        process.join()


def test_who_gives_it_up_is_followed_at_once_and_who_only_renews_it_is_not(
    store: SharedStore,
) -> None:
    first, second = (Lease(store, "one", SECONDS, holder) for holder in "ab")
    refused = pytest.raises(LockTimeout, match=r"waited 0\.2 s for a")
    with first.held(1), first.held(1), refused, second.held(0.2):
        pytest.fail("two at once")
    began = time.monotonic()
    with second.held(5):
        time.sleep(2 * SECONDS)
        third = Lease(store, "one", 2 * SECONDS, "c")
        with pytest.raises(LockTimeout), third.held(SECONDS):
            pytest.fail("two at once")
        second.check()
    assert time.monotonic() - began < 4 * SECONDS


def test_of_many_that_want_it_one_has_it_at_a_time(
    store: SharedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even where what it is told by is tidied up all the time."""
    monkeypatch.setattr(module, "MOST_OBJECTS", 1)
    inside, most = [0], [0]

    def work(name: str) -> None:
        for _ in range(5):
            with Lease(store, "one", holder=name).held(30):
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                time.sleep(0.001)
                inside[0] -= 1

    threads = [threading.Thread(target=work, args=(f"holder {one}",)) for one in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]
    assert len(store.listed("one/lease")) < 6


def test_first_and_last_things_are_done_once_while_it_is_held(store: SharedStore) -> None:
    done: list[str] = []
    lease, other = Lease(store, "one", holder="a"), Lease(store, "one", holder="b")

    def last() -> None:
        with pytest.raises(LockTimeout), other.held(0):
            pytest.fail("two at once")
        done.append("last")

    with lease.held(1, lambda: done.append("first"), last), lease.held(1, list, list):
        done.append("work")
    assert done == ["first", "work", "last"]

    def fails() -> None:
        raise ValueError("nothing came")

    with pytest.raises(ValueError, match="nothing came"), lease.held(1, fails):
        pytest.fail("it went on")
    with other.held(0):
        pass


@pytest.mark.faults
def test_a_process_of_this_machine_that_was_killed_is_not_waited_for(store: SharedStore) -> None:
    with _another(store, 60) as (process, _):
        assert process.pid
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        with Lease(store, "one").held(5):
            pass


@pytest.mark.faults
def test_one_that_comes_back_after_its_lease_has_ended_is_told(store: SharedStore) -> None:
    with _another(store, SECONDS) as (process, talk):
        assert process.pid
        os.kill(process.pid, signal.SIGSTOP)
        with Lease(store, "one", SECONDS).held(30):
            os.kill(process.pid, signal.SIGCONT)
            talk.send("still?")
            assert "run again" in talk.recv()


def test_one_that_followed_what_was_tidied_up_since_does_not_have_it(
    store: SharedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It read who is the newest, slept, and finds a place free that was taken, and is gone."""
    late = Lease(store, "one", holder="late")
    with Lease(store, "one", holder="first").held(1):
        pass
    newest = late._newest()
    with Lease(store, "one", holder="second").held(1):
        pass
    monkeypatch.setattr(module, "MOST_OBJECTS", 0)
    with Lease(store, "one", holder="third").held(1):
        reads = iter([newest])
        monkeypatch.setattr(Lease, "_newest", lambda self: next(reads))
        with pytest.raises(LockTimeout), late.held(0):
            pytest.fail("two at once")
