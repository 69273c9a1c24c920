"""Leases: of processes that share a warehouse one writes to a namespace at a time."""

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

import polars as pl
import pytest

from cairn.knowledge.schema.tables import FUNNEL
from cairn.resources.home.write_lock import LockTimeout
from cairn.resources.warehouse.lease import Lease, LeaseLost, Leases
from cairn.resources.warehouse.warehouse import Warehouse

SECONDS = 1.0
FOLDER, STORE = "folder", "store"
SPAWN = multiprocessing.get_context("spawn")


@pytest.fixture
def address(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """A folder; or the same by the interface of object stores, where a test asks for both."""
    return f"file://{tmp_path}/store" if getattr(request, "param", "") == STORE else str(tmp_path)


def _rows(number: int) -> pl.DataFrame:
    return FUNNEL.frame(
        [{"namespace": "one", "stage": "s", "gate": "g", "rows_in": number, "passed": 0,
          "rejected": number, "rate": 0.0}]
    )  # fmt: skip


def _write(leases: Leases, number: int) -> None:
    Warehouse(leases.address, leases=leases).write(FUNNEL, _rows(number))


def _hold(address: str, seconds: float, talk: Connection) -> None:
    """Holds the lease of `one`, and writes when it is told to."""
    leases = Leases(address, seconds=seconds)
    with leases.held(["one"], 5):
        talk.send("held")
        talk.recv()
        try:
            _write(leases, 1)
        except LeaseLost as lost:
            talk.send(str(lost))
        else:
            talk.send("written")


@contextmanager
def _another(address: str, seconds: float) -> Generator[tuple[BaseProcess, Connection]]:
    """Another process that holds the lease of `one`."""
    here, there = SPAWN.Pipe()
    process = SPAWN.Process(target=_hold, args=(address, seconds, there))
    process.start()
    try:
        assert here.recv() == "held"
        yield process, here
    finally:
        process.kill()
        process.join()


def test_who_gives_it_up_is_followed_at_once_and_who_only_renews_it_is_not(address: str) -> None:
    first, second = Lease(address, holder="a"), Lease(address, holder="b", seconds=SECONDS)
    refused = pytest.raises(LockTimeout, match=r"waited 0\.2 s for a")
    with first.held(1), first.held(1), refused, second.held(0.2):
        pytest.fail("two at once")
    began = time.monotonic()
    with second.held(5):
        time.sleep(2 * SECONDS)
        third = Lease(address, holder="c", seconds=2 * SECONDS)
        with pytest.raises(LockTimeout), third.held(SECONDS):
            pytest.fail("two at once")
        second.confirm()
    assert time.monotonic() - began < 4 * SECONDS


@pytest.mark.parametrize("address", [FOLDER, STORE], indirect=True)
def test_of_many_that_want_it_one_has_it_at_a_time(address: str) -> None:
    inside, most = [0], [0]

    def work(name: str) -> None:
        for _ in range(5):
            with Lease(address, holder=name).held(30):
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


@pytest.mark.faults
def test_a_process_of_this_machine_that_was_killed_is_not_waited_for(address: str) -> None:
    with _another(address, 60) as (process, _):
        assert process.pid
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        leases = Leases(address)
        with leases.held(["one"], 5):
            _write(leases, 2)


@pytest.mark.faults
def test_one_that_comes_back_after_its_lease_has_ended_writes_nothing_more(address: str) -> None:
    leases = Leases(address, seconds=SECONDS)
    with _another(address, SECONDS) as (process, talk):
        assert process.pid
        os.kill(process.pid, signal.SIGSTOP)
        with leases.held(["one"], 30):
            _write(leases, 2)
        os.kill(process.pid, signal.SIGCONT)
        talk.send("write")
        assert "run again" in talk.recv()
    assert Warehouse(address).read(FUNNEL).collect()["rows_in"].to_list() == [2]


@pytest.mark.parametrize("address", [FOLDER, STORE], indirect=True)
def test_a_table_that_a_later_holder_has_written_tells_an_earlier_one(address: str) -> None:
    earlier, later = Leases(address, seconds=60), Leases(address, seconds=60)
    with later.held(["one"], 1):
        _write(later, 1)
        _write(later, 2)
    with earlier.held(["one"], 1):
        _write(earlier, 3)
    with later.held(["one"], 1):
        _write(later, 4)
        # By its own clock the earlier one holds it still.
        stale = earlier.of("one")
        stale._token, stale._until = 0, later.of("one")._until  # pyright: ignore[reportPrivateUsage]
        with pytest.raises(LeaseLost):
            _write(earlier, 5)
        with pytest.raises(LeaseLost):
            stale.confirm()
    assert Warehouse(address).read(FUNNEL).collect()["rows_in"].to_list() == [4]


def test_without_a_lease_nothing_is_written_to_a_shared_warehouse(address: str) -> None:
    with pytest.raises(LeaseLost):
        _write(Leases(address), 1)
