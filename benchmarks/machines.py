"""Homes with the same sources that share a folder: how much faster two are than one.

Each is a process on a core of its own, as a machine would be.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.sessions import A_CHAT
from cairn.resources.home.home import open_home
from cairn.resources.home.sources import add_source

GOAL = 1.7


def measured(count: int) -> dict[str, Any]:
    """Seconds in which one machine, and two, take in some chats in each of `count` namespaces."""
    return {
        "namespaces": count,
        "one": _seconds(count, 1),
        "two": _seconds(count, 2) if len(os.sched_getaffinity(0)) > 1 else None,
    }


def _seconds(count: int, machines: int) -> float:
    with TemporaryDirectory() as folder:
        place = Path(folder)
        sources = [_chats(place / "logs" / f"tenant-{number}") for number in range(count)]
        homes = [_home(place / f"machine-{number}", sources) for number in range(machines)]
        cores = sorted(os.sched_getaffinity(0))
        start = time.perf_counter()
        running = [
            _started(home, place / "store", core) for home, core in zip(homes, cores, strict=False)
        ]
        for process in running:
            if process.wait():
                raise RuntimeError(f"machine {process.args} failed")
        return time.perf_counter() - start


def _chats(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for file in sorted(A_CHAT.parent.glob("*.jsonl")):
        shutil.copy(file, folder)
    return folder


def _home(root: Path, sources: Sequence[Path]) -> Path:
    root.mkdir()
    home = open_home(root)
    for folder in sources:
        add_source(home, folder, folder.name)
    return root


def _started(home: Path, store: Path, core: int) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "cairn", "--home", str(home), "run", "--no-report"]
    given = {"CAIRN_WAREHOUSE": str(store), "POLARS_MAX_THREADS": "1"}
    process = subprocess.Popen(
        command, env={**os.environ, **given}, stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    os.sched_setaffinity(process.pid, {core})
    return process
