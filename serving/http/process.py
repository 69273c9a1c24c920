"""One process that answers: what it reads ahead, and a line for each request."""

import json
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime

from fastapi import FastAPI

from cairn.resources.context import State
from cairn.resources.telemetry.start import start
from cairn.resources.warehouse.publication import namespaces
from cairn.serving.http.app import create_app
from cairn.serving.http.metrics import Seen
from cairn.serving.read.reader import NothingPublished
from cairn.serving.retrieval.open_memory import Memory, make_ready
from cairn.serving.runtime.ahead import is_ending, read_ahead

MOST_WARMED = 32
"""Namespaces that are read before anybody asks; of a store with a thousand not all come here."""
LONGEST_START = 60.0
"""Seconds after which it counts as ready with what it has, where a store does not answer."""


def app_of(state: State, *, local: bool, as_json: bool) -> FastAPI:
    """The app of one process, which begins to read what answers need."""
    start(state.home, state.settings, "serve")
    memory = Memory(state, ahead=True)
    warm = read_ahead("warm", _warm, memory)
    latest = time.monotonic() + LONGEST_START

    def starting() -> bool:
        return warm.is_alive() and time.monotonic() < latest

    notes = [_written] if as_json else ()
    return create_app(memory, local=local, notes=notes, starting=starting)


def _warm(memory: Memory) -> None:
    """Pulls what others pushed, and reads what answers need: the first of them waits for less.

    Those that are here already come first; of many the others come as they are asked for.
    """
    state = memory.state
    names = dict.fromkeys([*namespaces(state.home), *state.readable_namespaces()])
    for name in [*names][:MOST_WARMED]:
        if is_ending():
            return
        memory.state.catch_up(name)
        try:
            make_ready(memory.reader(name))
        except NothingPublished:
            continue
        except RuntimeError:  # this process ends, and no thread may begin any more
            return


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
