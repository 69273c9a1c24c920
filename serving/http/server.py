"""The server of the HTTP API: threads that answer, and a line for each request."""

import json
import socket
import sys
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from threading import Thread

from fastapi import FastAPI

from cairn.resources.context import State
from cairn.resources.telemetry.start import start
from cairn.resources.warehouse.publication import namespaces
from cairn.serving.http.app import create_app
from cairn.serving.http.metrics import Seen
from cairn.serving.retrieval.open_memory import Memory, make_ready
from cairn.serving.runtime.sockets import is_local
from cairn.serving.runtime.workers import run


def serve(state: State, listener: socket.socket, *, as_json: bool, workers: int = 1) -> None:
    """Answers until it is interrupted or terminated; then lets requests under way end."""
    start(state.home, state.settings, "serve")
    run(partial(_app, state, local=is_local(listener), as_json=as_json), listener, workers)


def _app(state: State, *, local: bool, as_json: bool) -> FastAPI:
    """The app of one process, which begins to read what answers need."""
    start(state.home, state.settings, "serve")
    memory = Memory(state, ahead=True)
    Thread(target=_warm, args=(memory,), name="warm", daemon=True).start()
    return create_app(memory, local=local, notes=[_written] if as_json else ())


def _warm(memory: Memory) -> None:
    """Reads what answers need, so that the first of them waits for less."""
    for name in namespaces(memory.state.home):
        make_ready(memory.reader(name))


def _written(seen: Seen) -> None:
    """A request as one line of JSON: its route and never its path, which may have a query."""
    line = {
        "at": datetime.now(UTC).isoformat(),
        "method": seen.method,
        "route": seen.route,
        "status": seen.status,
        "ms": round(seen.seconds * 1000, 2),
        "namespace": seen.namespace or None,
    }
    with suppress(BrokenPipeError):  # nobody reads them any more: the answer goes out all the same
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
