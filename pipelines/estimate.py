"""How long a run will take, told before it as a range: by the runs of this home, else by others."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from resources.run_times import RunTime

FIXED_SECONDS = 26.0
"""What a run takes that takes in next to nothing: it starts, publishes, and checks all tables."""
SECONDS_PER_MB = 6.0
KNOWN_SECONDS_PER_MB = 0.7
"""Of what was taken in before: tables that follow from all of it are looked at anew."""

FIRST = 0.5, 2.5
"""Between which shares of that a first run took: logs differ in how much each MB says."""
NEXT = 0.7, 1.5
"""The same, of the least and the most that the last runs of a home took."""
LAST = 5
"""Runs of the home that count."""


class Span(NamedTuple):
    """Seconds, at least and at most."""

    least: float
    most: float


def estimate(size: int, known: int, past: Sequence[RunTime], busy: float = 1.0) -> Span:
    """Seconds that a run without a language model takes.

    Args:
        size: Bytes that it takes in.
        known: Bytes of the files that were taken in before.
        past: The runs of this home, the latest last.
        busy: Runnable processes for each core; above 1, each gets a share of one.
    """
    expected = _expected(size, known)
    shares = [one.seconds / _expected(one.bytes, one.known_bytes) for one in past[-LAST:]]
    below, above = NEXT if shares else FIRST
    least, most = min(shares, default=1.0) * below, max(shares, default=1.0) * above
    # Runs of before were slowed down by whatever ran beside them: that is in their times.
    return Span(expected * least, expected * most * (1.0 if shares else max(busy, 1.0)))


def busyness() -> float:
    """Runnable processes for each core, over the last minute."""
    return os.getloadavg()[0] / (os.cpu_count() or 1)


def _expected(size: int, known: int) -> float:
    return FIXED_SECONDS + (SECONDS_PER_MB * size + KNOWN_SECONDS_PER_MB * known) / 1e6
