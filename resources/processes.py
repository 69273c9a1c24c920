"""Processes by name, so that others can tell that one is gone."""

import os
import socket
from contextlib import suppress
from pathlib import Path


def process_name(pid: int | None = None) -> str:
    """A process of this machine, this one if none is given, as no other is ever called.

    As `host:where:pid:start`, where `where` tells apart what shares the name of a host but does
    not see the same processes.
    """
    pid = pid or os.getpid()
    return f"{socket.gethostname()}:{_where()}:{pid}:{_started(pid)}"


def is_gone(name: str) -> bool:
    """Whether a process of this machine has ended; of another nobody can tell, so it has not."""
    parts = name.split(":")
    if len(parts) == 2:  # as older versions named them
        host, pid = parts
        return host == socket.gethostname() and pid.isdigit() and not lives(int(pid))
    if len(parts) != 4 or not parts[2].isdigit():
        return False
    pid = int(parts[2])
    same_machine = parts[:2] == [socket.gethostname(), _where()]
    return same_machine and not (lives(pid) and parts[3] == _started(pid))


def lives(pid: int) -> bool:
    """Whether a process that can be seen from here has this number."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _where() -> str:
    """The boot of the machine, and which of its processes can be seen from here."""
    with suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text()
        return f"{boot[:8]}-{Path('/proc/self/ns/pid').readlink().name[5:-1]}"
    return ""


def _started(pid: int) -> str:
    """When a process began, in ticks since the machine did; empty where that is not told."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    return ""
