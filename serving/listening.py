"""Where a server listens, to whom, and how it ends: one process, one event loop."""

import signal
import socket
import sys
from ipaddress import ip_address
from types import FrameType
from typing import Any

import uvicorn

GRACE = 5
"""Seconds that requests under way have when a server ends."""


class CannotListen(Exception):  # noqa: N818  what a person is told
    """An address cannot be had, or must not without a key; the message says what to do."""


def listening(host: str, port: int, *, keys: bool) -> socket.socket:
    """A socket at an address, which nobody else has.

    Args:
        host: A name or an address of this machine.
        port: 0: any that is free.
        keys: Whether there are keys: without one only this machine may ask.

    Raises:
        CannotListen: it is in use, none of this machine, or open to others without a key.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, address = found[0]
        listener = socket.create_server(address[:2], family=family, backlog=128)
    except OSError as error:
        raise CannotListen(
            f"{host}:{port}: {error.strerror}: choose another with --host or --port"
        ) from error
    if not keys and not is_local(listener):
        listener.close()
        raise CannotListen(
            f"{host} can be reached from other machines, and there is no key: make one with"
            " `cairn keys add --namespace NAME`, or leave --host out"
        )
    return listener


def is_local(listener: socket.socket) -> bool:
    """Whether a socket is reached from this machine alone."""
    return ip_address(listener.getsockname()[0]).is_loopback


def address_of(listener: socket.socket) -> str:
    """Where a socket is asked."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def server_of(app: Any) -> uvicorn.Server:
    """A server of an ASGI app; its log has no line with a query in it."""
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=GRACE,
    )
    return uvicorn.Server(config)


def run(app: Any, listener: socket.socket) -> None:
    """Answers until it is interrupted or terminated; then lets requests under way end."""
    before = signal.signal(signal.SIGTERM, _ended)
    try:
        server_of(app).run(sockets=[listener])
    except KeyboardInterrupt:
        pass  # that is how it ends
    finally:
        signal.signal(signal.SIGTERM, before)


def _ended(_: int, __: FrameType | None) -> None:
    """Uvicorn repeats the signal once it has ended: that is a good end too."""
    sys.exit(0)
