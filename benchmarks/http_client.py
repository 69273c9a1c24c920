"""One client of `benchmarks.http`: `python -m benchmarks.http_client ADDRESS`.

A process of its own that imports next to nothing, so that it leaves the cores to the server. Once
connected it writes a line; it begins when it reads one of JSON, {seconds, paths}, and ends with
another, {answered, cpu}.
"""

import json
import sys
import time
from collections.abc import Sequence
from http.client import HTTPConnection
from itertools import cycle
from typing import Any


def asked(connection: HTTPConnection, path: str) -> None:
    """Asks once.

    Raises:
        RuntimeError: the answer is no result.
    """
    connection.request("GET", path)
    answered = connection.getresponse()
    answered.read()
    if answered.status != 200:
        raise RuntimeError(f"the server answers {answered.status}")


def measured(connection: HTTPConnection, paths: Sequence[str], seconds: float) -> dict[str, Any]:
    """Requests that are answered one after the other, and the processor time of asking."""
    before, end, answered = time.process_time(), time.perf_counter() + seconds, 0
    for path in cycle(paths):
        if time.perf_counter() >= end:
            break
        asked(connection, path)
        answered += 1
    return {"answered": answered, "cpu": time.process_time() - before}


def main() -> None:
    connection = HTTPConnection(sys.argv[1], timeout=60)
    connection.connect()
    print("connected", flush=True)
    wanted = json.loads(sys.stdin.readline())
    print(json.dumps(measured(connection, wanted["paths"], wanted["seconds"])))


if __name__ == "__main__":
    main()
