"""Ctrl-C while the graph runs: none is lost, wherever Python is when it comes.

Python raises KeyboardInterrupt where it happens to be. In `__del__`, in a callback of its collector
or in a function that an engine calls, that is dropped, or becomes an error of another kind. So what
came is counted apart, and raised again where it cannot be dropped.
"""

import signal
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

INTERRUPTS = frozenset({"DagsterExecutionInterruptedError", "KeyboardInterrupt"})
"""Classes of errors by which a step says that it was interrupted."""

_ENDING = frozenset({signal.SIGINT, signal.SIGTERM})  # Dagster has both do the same


@contextmanager
def counted() -> Generator[Callable[[], bool]]:
    """Gives a function that says whether an interrupt came since it was last asked.

    Only the main thread gets interrupts: in another one the answer is no. A process that a script
    started in the background ignores Ctrl-C, and Dagster has SIGTERM do what Ctrl-C does: here, and
    from then on, SIGTERM ends it all the same.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    of_background = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    if of_background:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    reader, writer = socket.socketpair()
    with reader, writer:
        reader.setblocking(False)
        writer.setblocking(False)
        before = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)

        def came() -> bool:
            try:
                return not _ENDING.isdisjoint(reader.recv(65_536))
            except BlockingIOError:
                return False

        try:
            yield came
        finally:
            signal.set_wakeup_fd(before)
            if of_background:
                signal.signal(signal.SIGINT, signal.SIG_IGN)


def again_if(came: Callable[[], bool]) -> None:
    """Raises what was dropped as whoever handles interrupts now raises it."""
    if came():
        signal.raise_signal(signal.SIGINT)
