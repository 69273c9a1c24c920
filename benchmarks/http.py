"""What HTTP adds to a search: the same questions in this process and over loopback.

The server runs in a process of its own, as `cairn serve` starts it; both answer from one home.
`python -m benchmarks.http HOME` measures one that is published.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlencode

import numpy as np

from resources.state import open_state
from serving.memory import Memory
from serving.search import answer

ROOT = Path(__file__).parents[1]
CLIENTS = 8
WARM = 3
"""Rounds that are not counted."""

QUERIES = (
    "the nightly backup fails", "rsync permission denied", "npm or pnpm", "postgres or sqlite",
    "which host is the nas", "why did the checkout tests fail",
)  # fmt: skip


def measured(home: Path, queries: Sequence[str], rounds: int = 100) -> dict[str, Any]:
    """Seconds of searches in process and over HTTP, one after the other; requests a second.

    Args:
        home: A state folder in which something is published.
        queries: What is asked.
        rounds: How often each is asked.

    Returns:
        asked; in_process and http, each with p50 and p95; added, the difference of the medians;
        clients, requests a second of one and of eight at once.
    """
    memory = Memory(open_state(home))
    with serving(home) as address:
        connection = HTTPConnection(address, timeout=60)
        ways: tuple[Callable[[str], object], ...] = (
            lambda query: answer(memory.reader(), query),
            lambda query: _asked(connection, query),
        )
        seconds: tuple[list[float], list[float]] = [], []
        for number in range(WARM + rounds):
            for query in queries:
                for way, taken in zip(ways, seconds, strict=True):
                    begin = time.perf_counter()
                    way(query)
                    if number >= WARM:
                        taken.append(time.perf_counter() - begin)
        connection.close()
        clients = {str(n): _throughput(address, queries, n) for n in (1, CLIENTS)}
    inside, over = ({"p50": _at(taken, 50), "p95": _at(taken, 95)} for taken in seconds)
    return {
        "asked": len(seconds[0]),
        "in_process": inside,
        "http": over,
        "added": over["p50"] - inside["p50"],
        "clients": clients,
    }


@contextmanager
def serving(home: Path) -> Iterator[str]:
    """Host and port of a server over a home, until the end of the block."""
    command = [sys.executable, "-m", "serving.cli", "--home", str(home), "serve", "--port", "0"]
    with subprocess.Popen(
        [*command, "--json"], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout
        address = json.loads(process.stdout.readline())["listening"]
        # Whoever does not read its lines would make it wait.
        Thread(target=list, args=(process.stdout,), daemon=True).start()
        try:
            yield address.removeprefix("http://")
        finally:
            process.terminate()


def _asked(connection: HTTPConnection, query: str) -> None:
    connection.request("GET", f"/v1/search?{urlencode({'query': query})}")
    answered = connection.getresponse()
    answered.read()
    if answered.status != 200:
        raise RuntimeError(f"the server answers {answered.status}")


def _throughput(address: str, queries: Sequence[str], clients: int) -> float:
    """Requests a second of so many clients, each with its own connection."""

    def ask(_: int) -> None:
        connection = HTTPConnection(address, timeout=60)
        for query in [*queries] * 10:
            _asked(connection, query)
        connection.close()

    begin = time.perf_counter()
    with ThreadPoolExecutor(clients) as threads:
        list(threads.map(ask, range(clients)))
    return 10 * len(queries) * clients / (time.perf_counter() - begin)


def _at(seconds: Sequence[float], percentile: int) -> float:
    return float(np.percentile(seconds, percentile))


if __name__ == "__main__":
    print(json.dumps(measured(Path(sys.argv[1]), QUERIES), indent=1))
