"""The server of the HTTP API: threads that answer, and a line for each request."""

import json
import socket
import sys
from contextlib import suppress
from datetime import UTC, datetime
from threading import Thread

from resources.publication import namespaces
from serving.http.app import create_app
from serving.http.metrics import Seen
from serving.listening import is_local, run
from serving.memory import Memory, make_ready


def serve(memory: Memory, listener: socket.socket, *, as_json: bool) -> None:
    """Answers until it is interrupted or terminated; then lets requests under way end."""
    app = create_app(memory, local=is_local(listener), notes=[_written] if as_json else ())
    Thread(target=_warm, args=(memory,), name="warm", daemon=True).start()
    run(app, listener)


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
