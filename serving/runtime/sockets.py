"""Where a server listens, and to whom."""

import socket
from ipaddress import ip_address


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
