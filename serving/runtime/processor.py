"""On how many cores a process works: little work is done sooner on one of them."""

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

LITTLE = 1024 * 1024
"""Bytes of new logs that are worked on in one thread, on one core."""


def one_thread() -> None:
    """Has what is not imported yet work in one thread: for who answers questions, or has few rows.

    To hand few rows to other threads takes a fifth of the processor time of a search, or of a run
    with ten new lines; and those threads are wanted for other questions.
    """
    for threads in ("POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS", "TOKIO_WORKER_THREADS"):
        os.environ.setdefault(threads, "1")


@contextmanager
def one_core() -> Generator[None]:
    """Keeps this process on the core that it is on, where the operating system can.

    Polars hands each operation to its one thread. To wake that on another core takes five times as
    long as an operation over few rows, where cores are virtual. For some seconds at most: the
    core may be wanted by others, too.
    """
    try:
        before = os.sched_getaffinity(0)
        # The 39th field of proc(5)'s stat; what stands before has a name with any signs in it.
        core = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[36])
    except (AttributeError, OSError, ValueError, IndexError):
        yield
        return
    _keep_to({core})
    try:
        yield
    finally:
        _keep_to(before)


def _keep_to(cores: set[int]) -> None:
    """Keeps all threads of this process to some cores; what begins later is as this thread."""
    for thread in Path("/proc/self/task").iterdir():
        with suppress(OSError):  # it has ended
            os.sched_setaffinity(int(thread.name), cores)
