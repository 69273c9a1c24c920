"""Pages over a home of many made-up facts: the server's time and the size of each, first paint.

The server is a process of its own, as `cairn serve` is, and writes what each request took it. First
paint is what Chromium tells of a page that it opens anew, where it and Playwright are
(`PAGES_CHROMIUM`, `PYTHONPATH=.venv-pages`; `make test-pages` installs them).
"""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import numpy as np

from benchmarks.made_up import NAMESPACE
from cairn.serving.http.pages.page import PAGES

ROOT = Path(__file__).parents[1]
BELOW = f"/n/{NAMESPACE}"
WARM = 2
"""Rounds, at most, that are not counted: tables are read and made at their first use."""
PAINTS = 5
"""Times that a browser opens each page, at most."""

LISTS = {
    "facts": ("/facts?limit=50", "fact_id"),
    "entities": ("/entities?limit=50", "entity_id"),
    "graph": ("/entities?limit=50", "entity_id"),
    "learnings": ("/learnings?limit=50", "learning_id"),
    "conversations": ("/conversations?limit=50", "conversation_id"),
}
"""Pages of a thing, by the beginning of their path: the list that tells ids, and their name."""


def measured(home: Path, asked: int) -> dict[str, Any]:
    """Milliseconds of the server (p50, p95), kilobytes, and milliseconds to first paint, by page.

    Args:
        home: A home in which one namespace of made-up facts and talks is published.
        asked: How often each page is asked for; of a thing, another one each time.
    """
    with _serving(home) as (address, lines):
        connection = HTTPConnection(address, timeout=600)
        paths = _paths(connection, lines)
        pages = {name: _asked(connection, lines, every, asked) for name, every in paths.items()}
        connection.close()
        for name, milliseconds in _painted(address, paths, min(PAINTS, asked)).items():
            pages[name]["paint"] = milliseconds
    return {"asked": asked, "pages": pages}


@contextmanager
def _serving(home: Path) -> Iterator[tuple[str, "Queue[dict[str, Any]]"]]:
    """Host and port of a server, and what it writes of each request."""
    command = [sys.executable, "-m", "cairn", "--home", str(home), "serve", "--port", "0", "--json"]
    lines: Queue[dict[str, Any]] = Queue()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout
        address = json.loads(process.stdout.readline())["listening"].removeprefix("http://")

        def read(told: Iterator[str]) -> None:
            for line in told:
                lines.put(json.loads(line))

        Thread(target=read, args=(process.stdout,), daemon=True).start()
        try:
            connection = HTTPConnection(address, timeout=600)
            while _get(connection, "/health/ready", lines)[1] != 200:
                time.sleep(0.2)
            connection.close()
            yield address, lines
        finally:
            process.terminate()


def _get(
    connection: HTTPConnection, path: str, lines: "Queue[dict[str, Any]]"
) -> tuple[bytes, int, float]:
    """What a path answers, its status, and the milliseconds that the server took."""
    connection.request("GET", path)
    answered = connection.getresponse()
    body = answered.read()
    return body, answered.status, lines.get(timeout=60)["ms"]


def _paths(connection: HTTPConnection, lines: "Queue[dict[str, Any]]") -> dict[str, list[str]]:
    """Page → addresses: one, or those of the things that are there."""

    def listed(path: str, column: str) -> list[str]:
        body, status, _ = _get(connection, path, lines)
        if status != 200:
            raise RuntimeError(f"{path} answers {status}")
        return [row[column] for row in json.loads(body)["items"]]

    ids = {
        kind: listed(f"{BELOW}{path.replace('?', '.json?')}", column)
        for kind, (path, column) in LISTS.items()
    }
    some = [f"{BELOW}/conversations/{one}.json?limit=20" for one in ids["conversations"][:5]]
    ids["records"] = [one for path in some for one in listed(path, "record_id")]
    ids["why"] = ids["facts"]
    words = listed(f"{BELOW}/facts.json?limit=50", "content")
    found = {
        "": [BELOW],
        "/search": [f"{BELOW}/search?query={'+'.join(text.split()[:4])}" for text in words],
    }
    for page in PAGES:
        kind = page.path.split("/")[1]
        if "{" not in page.path:
            found[page.path] = [f"{BELOW}{page.path}"]
        elif kind in ids:
            found[page.path] = [BELOW + re.sub(r"\{\w+\}", one, page.path) for one in ids[kind]]
    return found


def _asked(
    connection: HTTPConnection, lines: "Queue[dict[str, Any]]", paths: list[str], times: int
) -> dict[str, float]:
    taken: list[float] = []
    sizes: list[int] = []
    warm = min(WARM, times)
    for number in range(warm + times):
        path = paths[number % len(paths)]
        body, status, milliseconds = _get(connection, path, lines)
        if status != 200:
            raise RuntimeError(f"{path} answers {status}")
        if number >= warm:
            taken.append(milliseconds)
            sizes.append(len(body))
    p50, p95 = (float(np.percentile(taken, at)) for at in (50, 95))
    return {"p50": p50, "p95": p95, "kb": max(sizes) / 1000}


def _painted(address: str, paths: Mapping[str, list[str]], times: int) -> dict[str, float]:
    """Page → milliseconds to its first paint, the median; nothing where there is no browser."""
    chromium = os.environ.get("PAGES_CHROMIUM")
    if not chromium:
        return {}
    from playwright.sync_api import sync_playwright

    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    found: dict[str, float] = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=options)
        page = browser.new_page()
        for name, every in paths.items():
            taken: list[float] = []
            for number in range(times):
                page.goto(f"http://{address}{every[number % len(every)]}")
                taken.append(page.evaluate(PAINT))
            found[name] = float(np.median(taken))
        browser.close()
    return found


PAINT = """() => new Promise(told => {
    const paint = list => list.find(one => one.name === 'first-contentful-paint');
    const there = paint(performance.getEntriesByType('paint'));
    if (there) return told(there.startTime);
    new PerformanceObserver(list => {
        const one = paint(list.getEntries());
        if (one) told(one.startTime);
    }).observe({type: 'paint', buffered: true});
})"""
"""Milliseconds from the beginning of a visit to its first paint."""
