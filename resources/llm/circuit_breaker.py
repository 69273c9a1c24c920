"""Stops asking a provider that is down, and waits as long as it asks us to."""

import threading
import time

FAILURES_IN_A_ROW = 5
"""Questions that failed one after the other, each after its retries."""
TIMEOUTS_IN_A_ROW = 2
"""Calls that were not answered in time, one after the other: each takes as long as one may wait."""


class Breaker:
    """One model's. Once open it stays open: the next run tries again. Threads may share it."""

    def __init__(self, limit: int = FAILURES_IN_A_ROW) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._failures = 0
        self._timeouts = 0
        self._opened = threading.Event()
        self._resume = 0.0

    @property
    def open(self) -> bool:
        """Whether nothing more is to be asked."""
        return self._opened.is_set()

    def answered(self) -> None:
        """The provider answered, whatever it said."""
        with self._lock:
            self._failures = self._timeouts = 0

    def failed(self, *, at_once: bool = False, timed_out: bool = False) -> bool:
        """Counts a question that the provider failed; True if this opened the breaker."""
        with self._lock:
            self._failures += 1
            self._timeouts += timed_out
            over = self._failures >= self._limit or self._timeouts >= TIMEOUTS_IN_A_ROW
            if self.open or not (at_once or over):
                return False
            self._opened.set()
            return True

    def hold(self, seconds: float) -> None:
        """The provider asked for a pause: nobody asks before it is over."""
        with self._lock:
            self._resume = max(self._resume, time.monotonic() + seconds)

    def wait(self) -> None:
        """Waits until no pause is asked for, or the breaker is open."""
        while (left := self._resume - time.monotonic()) > 0 and not self._opened.wait(left):
            pass

    def pause(self, seconds: float) -> None:
        """Waits before one question is tried again, or until the breaker is open."""
        self._opened.wait(seconds)

    def stop(self) -> None:
        """Opens it by hand: who waits, and who would ask, does neither."""
        self._opened.set()
