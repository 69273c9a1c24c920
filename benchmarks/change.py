"""What a small change costs: CPU seconds of the whole process `cairn run`, beside its imports.

What costs more in a larger home than in a smaller one follows the history, not the change: so the
same change is measured in homes of two sizes, and beside few and many other namespaces.
"""

import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.sessions import A_CHAT, sessions
from benchmarks.start import GRAPH, spent
from benchmarks.watched import searchable

LINES, MESSAGES = 10, 20
"""Lines that a session grows by, and messages of a namespace."""

GOALS = {"lines": (3.0, 1.3), "namespace": (3.0, 1.1)}
"""CPU seconds more than the imports, and the largest home against the smallest."""
SEARCHABLE_GOAL = 2.0
"""Seconds from a line written until search finds it."""

CHAT = 570
"""Messages of a chat over a month, about."""
CHAT_GOAL = 5.0
"""Seconds until it is published, in an empty home."""


def measured(source: Path, sizes: Sequence[int], beside: Sequence[int]) -> dict[str, Any]:
    """CPU seconds by bytes of sessions made of those of `source`, and by other namespaces.

    Each change is measured once, in a home of its own that is as the run before it left it; the
    imports once before and once after each home, of which the median counts.
    """
    imports = [_imports() for _ in range(2)]  # the first compiles what it imports
    imports.pop(0)

    def each(measure: Callable[[Path, int], dict[str, float]], count: int) -> dict[str, float]:
        with TemporaryDirectory() as folder:
            found = measure(Path(folder), count)
        imports.append(_imports())
        return found

    grown = {
        str(size): each(lambda folder, bytes_: of_sessions(folder, source, bytes_), size)
        for size in sorted({*sizes})
    }
    more = {str(count): each(of_namespaces, count) for count in sorted({*beside})}
    chat = each(of_chat, CHAT)
    return {"imports": median(imports), "sessions": grown, "namespaces": more, "chat": chat}


def of_sessions(folder: Path, source: Path, size: int) -> dict[str, float]:
    """CPU seconds of a first import of about `size` bytes, of ten lines more, of nothing new.

    And seconds until a line is found while a process watches.

    The lines are the last ones of the first session that has twice as many, the same at any size.
    """
    sessions(source, folder / "logs", size)
    grows, last = _held_back(folder / "logs")
    _cairn(folder, "sources", "add", str(folder / "logs"))
    first = _cairn(folder, "run")
    with grows.open("ab") as file:
        file.write(last)
    return {
        "first": first,
        "lines": _cairn(folder, "run"),
        "nothing": _cairn(folder, "run"),
        "searchable": searchable(folder / "home", grows),
    }


def of_namespaces(folder: Path, count: int) -> dict[str, float]:
    """CPU seconds of `count` new namespaces at once, of one more beside them, of nothing new."""
    chat = b"".join(A_CHAT.read_bytes().splitlines(keepends=True)[:MESSAGES])
    (folder / A_CHAT.name).write_bytes(chat)
    # Copies differ a little in size: twice as many are surely enough.
    sessions(folder / A_CHAT.name, folder / "logs", 2 * (count + 1) * len(chat))
    *others, more = sorted((folder / "logs").iterdir())[: count + 1]
    for other in others:
        _cairn(folder, "sources", "add", str(other), "--namespace", other.name)
    first = _cairn(folder, "run")
    _cairn(folder, "sources", "add", str(more), "--namespace", more.name)
    return {
        "first": first,
        "namespace": _cairn(folder, "run"),
        "nothing": _cairn(folder, "run"),
    }


def of_chat(folder: Path, messages: int) -> dict[str, float]:
    """Seconds, by the clock, of a first import of a chat of about so many messages; how many."""
    lines = A_CHAT.read_bytes().splitlines(keepends=True)
    size = messages * A_CHAT.stat().st_size // len(lines)
    sessions(A_CHAT, folder / "logs", size)
    _cairn(folder, "sources", "add", str(folder / "logs"))
    began = time.perf_counter()
    cpu = _cairn(folder, "run")
    taken = time.perf_counter() - began
    there = sum(len(path.read_bytes().splitlines()) for path in (folder / "logs").rglob("*.jsonl"))
    return {"messages": there, "seconds": taken, "cpu": cpu}


def _held_back(logs: Path) -> tuple[Path, bytes]:
    """Cuts the last lines off a session; gives its file and them.

    Raises:
        ValueError: no session is long enough.
    """
    for path in sorted(logs.rglob("*.jsonl")):
        lines = path.read_bytes().splitlines(keepends=True)
        if len(lines) >= 2 * LINES:
            path.write_bytes(b"".join(lines[:-LINES]))
            return path, b"".join(lines[-LINES:])
    raise ValueError(f"{logs}: no session of {2 * LINES} lines")


def _cairn(folder: Path, *arguments: str) -> float:
    environment = os.environ | {
        "CAIRN_HOME": str(folder / "home"),
        "PYTHONDONTWRITEBYTECODE": "",  # as an installed copy, whose modules stay compiled
    }
    return spent([sys.executable, "-m", "cairn", *arguments], environment)


def _imports() -> float:
    return spent([sys.executable, "-c", GRAPH], os.environ | {"PYTHONDONTWRITEBYTECODE": ""})
