"""What all tests share."""

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

if "PYTEST_XDIST_WORKER" in os.environ:
    # Workers share the cores, and each stage reads a few rows: threads would wait for each other.
    # What tests start is no larger.
    for threads in ("POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS", "TOKIO_WORKER_THREADS"):
        os.environ.setdefault(threads, "1")
    # To wake polars' thread on another core takes longer than what it does there.
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        worker = int(os.environ["PYTEST_XDIST_WORKER"].removeprefix("gw"))
        os.sched_setaffinity(0, {cores[worker % len(cores)]})

# Where Python must not keep what it compiled (PYTHONDONTWRITEBYTECODE), each process that a test
# starts would compile all of Cairn anew, and each worker all tests: a fifth of a short command.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Frames and Dagster's events are many small objects that live on: to look for circles among them at
# each 700 of them is a tenth of the time.
gc.set_threshold(50_000, 20, 20)

# The same examples at each run, so that a red run is the doing of a change. To look for new ones,
# and for more: HYPOTHESIS_PROFILE=default make test
settings.register_profile("steady", derandomize=True, deadline=None, max_examples=50)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

SHARED = Path(__file__).parents[2] / "shared" / "data"


def pytest_xdist_auto_num_workers() -> int:
    """A worker for each core: two took as long (794 and 798 s), and twice the memory, 2 GB each."""
    return os.cpu_count() or 1


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real sessions and labelled pairs beside the checkout; tests that need them skip without."""
    if not SHARED.is_dir():
        pytest.skip("no shared data beside this checkout")
    return SHARED


@pytest.fixture(scope="session")
def samples() -> Path:
    """The samples that the project ships."""
    return Path(__file__).parents[1] / "data" / "samples"


@pytest.fixture(autouse=True)
def _nothing_told_for_another() -> Iterator[None]:
    """What a command has begun to write or send in this process ends with its test."""
    yield
    if telemetry := sys.modules.get("cairn.resources.telemetry.start"):
        telemetry.stop()


@pytest.fixture
def by_polars(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has polars decide what great_expectations does, in a tenth of the time.

    pipelines/checks/test_engines.py holds both to the same counts, of what is built, too; that the
    night asks the library, test_namespaces.py shows.
    """
    from cairn.pipelines.checks import engines

    monkeypatch.setattr(engines, "_by_great_expectations", engines._by_polars)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The slow tests first, so that none of them runs alone at the end while other cores rest.

    Then those on the home of the samples: the second worker begins in the middle, and would wait
    there until the first one has built it.
    """

    def late(item: pytest.Item) -> tuple[bool, bool]:
        slow = any(map(item.get_closest_marker, ("slow", "faults")))
        return not slow, "home" not in getattr(item, "fixturenames", ())

    items.sort(key=late)


def pytest_collection_finish() -> None:
    """What is imported and collected by now stays: none of it is looked at again for circles."""
    gc.freeze()
