"""What HTTP adds to a search, what workers bring, and whether anybody waits for a publish.

Servers and clients are processes of their own, as `cairn serve` and programs are; all answer from
one home of facts that are made up. They share the cores: what clients take, workers cannot have.
`POLARS_MAX_THREADS=1 python -m benchmarks.tasks http 10000 4 5`: one thread, as servers have.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from itertools import cycle
from pathlib import Path
from statistics import median
from threading import Thread
from typing import Any
from urllib.parse import urlencode

import numpy as np

from benchmarks.http_client import asked
from cairn.resources.context import State
from cairn.resources.warehouse.publication import published
from cairn.serving.retrieval.open_memory import Memory
from cairn.serving.retrieval.search import answer

ROOT = Path(__file__).parents[1]
CLIENTS = 8
ROUNDS = 3
"""Rounds of clients; of each figure the median counts."""
WARM = 3
"""Rounds of questions, and seconds of clients, that are not counted."""


def measured(
    state: State, queries: Sequence[str], rounds: int, seconds: float, workers: int
) -> dict[str, Any]:
    """Seconds of searches in process and over HTTP, and requests a second of one and many clients.

    Args:
        state: A home in which one namespace is published. Another publication is made in it.
        queries: What is asked.
        rounds: How often each is asked to see what HTTP adds; with one, two clients are many.
        seconds: How long clients ask, each time.
        workers: Processes of the server that has several; another one has one.

    Returns:
        asked; in_process and http, each with p50 and p95; added, the difference of the medians;
        clients, by number of workers and of clients: requests a second, those of the client that
        got the fewest, and the share of all cores that the clients took; while_publishing: p95 and
        most of one client alone (quiet), and while a process publishes and the server follows.
    """
    home = state.home.root
    with serving(home) as one, serving(home, workers) as several:
        servers = {1: one, workers: several}
        many = CLIENTS if rounds > 1 else 2
        for address in servers.values():
            _throughput(address, queries, many, min(WARM, seconds))
        found = _added(state, one, queries, rounds)
        taken: dict[tuple[int, int], list[dict[str, float]]] = {}
        for _ in range(min(ROUNDS, rounds)):
            for count, address in servers.items():
                for clients in (1, many):
                    told = _throughput(address, queries, clients, seconds)
                    taken.setdefault((count, clients), []).append(told)
        return found | {
            "cores": os.cpu_count(),
            "workers": workers,
            "clients": {
                str(count): {str(n): _medians(taken[count, n]) for n in (1, many)}
                for count in servers
            },
            "while_publishing": _while_publishing(state, one, queries, seconds),
        }


@contextmanager
def serving(home: Path, workers: int = 1) -> Iterator[str]:
    """Host and port of a server over a home, until the end of the block."""
    command = [
        sys.executable,
        "-m",
        "cairn",
        "--home",
        str(home),
        "serve",
        "--port",
        "0",
    ]
    with subprocess.Popen(
        [*command, "--json", "--workers", str(workers)],
        stdout=subprocess.PIPE, text=True, cwd=ROOT,
    ) as process:  # fmt: skip
        assert process.stdout
        address = json.loads(process.stdout.readline())["listening"]
        # Whoever does not read its lines would make it wait.
        Thread(target=list, args=(process.stdout,), daemon=True).start()
        try:
            yield address.removeprefix("http://")
        finally:
            process.terminate()


def _added(state: State, address: str, queries: Sequence[str], rounds: int) -> dict[str, Any]:
    """The same questions in this process and over HTTP, one after the other."""
    memory, connection = Memory(state), HTTPConnection(address, timeout=60)
    ways: tuple[Callable[[str], object], ...] = (
        lambda query: answer(memory.reader(), query),
        lambda query: asked(connection, _path(query)),
    )
    seconds: tuple[list[float], list[float]] = [], []
    warm = min(WARM, rounds)
    for number in range(warm + rounds):
        for query in queries:
            for way, taken in zip(ways, seconds, strict=True):
                begin = time.perf_counter()
                way(query)
                if number >= warm:
                    taken.append(time.perf_counter() - begin)
    connection.close()
    inside, over = ({"p50": _at(taken, 50), "p95": _at(taken, 95)} for taken in seconds)
    return {
        "asked": len(seconds[0]),
        "in_process": inside,
        "http": over,
        "added": over["p50"] - inside["p50"],
    }


def _path(query: str) -> str:
    return f"/v1/search?{urlencode({'query': query})}"


def _throughput(
    address: str, queries: Sequence[str], clients: int, seconds: float
) -> dict[str, float]:
    """Requests a second of so many clients, each a process with its own connection."""
    command = [sys.executable, "-m", "benchmarks.http_client", address]
    processes = [
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        for _ in range(clients)
    ]
    told: list[dict[str, float]] = []
    wanted = json.dumps({"paths": [_path(query) for query in queries], "seconds": seconds})
    for process in processes:
        assert process.stdout
        process.stdout.readline()
    for process in processes:
        assert process.stdin
        process.stdin.write(f"{wanted}\n")
        process.stdin.flush()
    for process in processes:
        out, _ = process.communicate(timeout=seconds + 120)
        if process.returncode:
            raise RuntimeError("a client failed")
        told.append(json.loads(out))
    spent = sum(each["cpu"] for each in told)
    return {
        "rate": sum(each["answered"] for each in told) / seconds,
        "least": min(each["answered"] for each in told) / seconds,
        "share": spent / seconds / (os.cpu_count() or 1),
    }


def _while_publishing(
    state: State, address: str, queries: Sequence[str], seconds: float
) -> dict[str, Any]:
    """Seconds of one client, alone, and while a process publishes and the server follows."""
    (name,) = state.home.publication.glob("*.json")
    connection = HTTPConnection(address, timeout=60)
    asking = cycle(map(_path, queries))

    def until(ended: Callable[[], bool]) -> list[float]:
        taken: list[float] = []
        while not ended():
            begin = time.perf_counter()
            asked(connection, next(asking))
            taken.append(time.perf_counter() - begin)
        return taken

    end = time.perf_counter() + seconds
    quiet = until(lambda: time.perf_counter() >= end)
    before = published(state.home, name.stem)
    command = [sys.executable, "-m", "benchmarks.tasks", "publish", str(state.home.root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout
        process.stdout.readline()
        busy = until(lambda: process.poll() is not None)
    now = published(state.home, name.stem)
    if process.returncode or now is None or now.same_content(before):
        raise RuntimeError("nothing was published")
    end = time.perf_counter() + seconds
    busy += until(lambda: time.perf_counter() >= end)
    connection.close()
    return {
        when: {"p95": _at(taken, 95), "most": max(taken), "asked": len(taken)}
        for when, taken in (("quiet", quiet), ("busy", busy))
    }


def _medians(told: Sequence[dict[str, float]]) -> dict[str, float]:
    return {name: median(each[name] for each in told) for name in told[0]}


def _at(seconds: Sequence[float], percentile: int) -> float:
    return float(np.percentile(seconds, percentile))
