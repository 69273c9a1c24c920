"""The server: one process, one event loop, and threads that answer."""

import json
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from ipaddress import ip_address
from threading import Thread
from types import FrameType

import uvicorn

from resources.publication import namespaces
from serving.http.app import create_app
from serving.http.guard import Note
from serving.http.metrics import Seen
from serving.memory import Memory, make_ready

GRACE = 5
"""Seconds that requests under way have when the server ends."""


def bound(host: str, port: int) -> socket.socket:
    """A socket at an address, which nobody else has.

    Raises:
        OSError: the address is in use, or none of this machine.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    family, _, _, _, address = found[0]
    return socket.create_server(address[:2], family=family, backlog=128)


def is_local(listener: socket.socket) -> bool:
    """Whether a socket is reached from this machine alone."""
    return ip_address(listener.getsockname()[0]).is_loopback


def address_of(listener: socket.socket) -> str:
    """Where a socket is asked."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def server_of(memory: Memory, *, local: bool, notes: Sequence[Note] = ()) -> uvicorn.Server:
    """A server that answers from a memory; see `serving.http.app.create_app`."""
    config = uvicorn.Config(
        create_app(memory, local=local, notes=notes),
        log_config=None,
        access_log=False,  # its lines have queries in them
        server_header=False,
        proxy_headers=False,
        ws="none",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=GRACE,
    )
    return uvicorn.Server(config)


def serve(memory: Memory, listener: socket.socket, *, as_json: bool) -> None:
    """Answers until it is interrupted or terminated; then lets requests under way end."""
    server = server_of(memory, local=is_local(listener), notes=[_written] if as_json else ())
    Thread(target=_warm, args=(memory,), name="warm", daemon=True).start()
    before = signal.signal(signal.SIGTERM, _ended)
    try:
        server.run(sockets=[listener])
    except KeyboardInterrupt:
        pass  # that is how it ends
    finally:
        signal.signal(signal.SIGTERM, before)


def _ended(_: int, __: FrameType | None) -> None:
    """Uvicorn repeats the signal once it has ended: that is a good end too."""
    sys.exit(0)


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
