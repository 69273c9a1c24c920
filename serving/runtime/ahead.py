"""Threads that read before anybody asks.

They end before the process does: native code that is still at work while the interpreter is taken
down crashes it.
"""

import time
from collections.abc import Callable
from threading import Event, Thread
from typing import Any
from weakref import WeakSet

_THREADS: WeakSet[Thread] = WeakSet()
_ENDING = Event()


def read_ahead(name: str, read: Callable[..., object], *given: Any) -> Thread:
    """Reads in a thread of its own."""
    thread = Thread(target=read, args=given, name=name, daemon=True)
    _THREADS.add(thread)
    thread.start()
    return thread


def is_ending() -> bool:
    """Whether this process ends, so that nobody will ask for what is not read yet."""
    return _ENDING.is_set()


def end_reading(seconds: float) -> None:
    """Has such threads begin nothing more, and waits for what they are at, at most so long."""
    _ENDING.set()
    latest = time.monotonic() + seconds
    for thread in list(_THREADS):
        thread.join(max(0.0, latest - time.monotonic()))
    _ENDING.clear()
