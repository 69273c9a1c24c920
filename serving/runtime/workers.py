"""How a server runs and ends: in this process, or in several that answer at one address.

Each worker loads what is published, and follows it, by itself. Uvicorn's own supervisor has all
workers wait at one socket, where whichever wakes first takes nearly every connection, and they
outlive a parent that is killed; so this is a small one of our own.
"""

import logging
import os
import signal
import socket
import sys
from collections.abc import Callable
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from tempfile import TemporaryDirectory
from threading import Thread
from time import sleep
from types import FrameType
from typing import Any

import uvicorn

from cairn.serving.runtime.ahead import end_reading
from cairn.serving.runtime.connections import BoundedProtocol
from cairn.serving.runtime.logging import configure_logging, verbosity

GRACE = 5
"""Seconds that requests under way have when a server ends."""

PAUSE = 1
"""Seconds before a worker that ended is replaced: one that cannot begin must not take a core."""

COUNTERS = "PROMETHEUS_MULTIPROC_DIR"
"""Names the folder in which workers count, each in files of its own, so that any can tell all."""

logger = logging.getLogger(__name__)


def server_of(app: Any) -> uvicorn.Server:
    """A server of an ASGI app; its log has no line with a query in it."""
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        http=BoundedProtocol,
        ws="none",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=GRACE,
    )
    return uvicorn.Server(config)


def run(make: Callable[[], Any], listener: socket.socket, workers: int = 1) -> None:
    """Answers until it is interrupted or terminated; then lets requests under way end.

    Args:
        make: Makes the ASGI app. Each of several workers makes its own, so it must be a function of
            a module, or a `partial` of one, with what can be pickled.
        listener: Where it is asked.
        workers: Processes that answer; with one, this one does.
    """
    if workers > 1:
        _run_workers(make, listener, workers)
        return
    before = signal.signal(signal.SIGTERM, _ended)
    try:
        _answer(make, listener)
    except KeyboardInterrupt:
        pass  # that is how it ends
    finally:
        signal.signal(signal.SIGTERM, before)


def _answer(make: Callable[[], Any], listener: socket.socket) -> None:
    """Answers in this process, until a signal ends it."""
    try:
        server = server_of(make())
        signal.signal(signal.SIGTERM, server.handle_exit)  # ours would leave its loop half made
        server.run(sockets=[listener])
    finally:
        end_reading(GRACE)


def _run_workers(make: Callable[[], Any], listener: socket.socket, count: int) -> None:
    """Starts workers, replaces those that end, and ends them all."""
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(each, _ended)
    workers: dict[socket.socket, SpawnProcess] = {}
    with TemporaryDirectory(prefix="cairn-") as counters:
        os.environ[COUNTERS] = counters
        listeners = _sharing(listener, count)
        try:
            for each in listeners:
                workers[each] = _started(make, each)
            while True:
                wait([worker.sentinel for worker in workers.values()])
                sleep(PAUSE)
                for each, worker in workers.items():
                    if not worker.is_alive():
                        workers[each] = _started(make, each)
                        logger.warning(
                            "worker %d ended (exit code %s): %d takes its place",
                            worker.pid, worker.exitcode, workers[each].pid,
                        )  # fmt: skip
        finally:
            for worker in workers.values():
                worker.terminate()
            for worker in workers.values():
                worker.join(2 * GRACE)
                worker.kill()
                worker.join()
            for each in listeners:
                each.close()


def _sharing(listener: socket.socket, count: int) -> list[socket.socket]:
    """So many sockets at one address, among which the kernel shares connections by chance.

    This process keeps them all, so that what is waiting at one is answered by the next worker.
    Elsewhere than on Linux it does not share: there all workers wait at the same socket.
    """
    if sys.platform != "linux":
        return [listener.dup() for _ in range(count)]
    # Until now nobody else could listen here; from now on the same account can.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    address, family = listener.getsockname()[:2], listener.family
    others = (
        socket.create_server(address, family=family, backlog=128, reuse_port=True)
        for _ in range(count - 1)
    )
    return [listener, *others]


def _started(make: Callable[[], Any], listener: socket.socket) -> SpawnProcess:
    """A worker; Ctrl-C is for this process alone, which then ends it."""
    resource_tracker.ensure_running()  # it would unblock what is blocked here
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        worker = get_context("spawn").Process(
            target=_work, args=(make, listener, verbosity()), daemon=True
        )
        worker.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return worker


def _work(make: Callable[[], Any], listener: socket.socket, verbose: int) -> None:
    """What a worker does: it ends when whoever started it does, however that was."""
    configure_logging(verbose)
    signal.signal(signal.SIGTERM, _ended)  # until there is a server, which ends in its own time
    Thread(target=_end_with_parent, name="parent", daemon=True).start()
    _answer(make, listener)


def _end_with_parent() -> None:
    if (parent := parent_process()) is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def _ended(_: int, __: FrameType | None) -> None:
    """Ends this process, and says that all is well."""
    sys.exit(0)
