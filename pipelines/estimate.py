"""How long a run will take, told before it as a range: by the runs of this home, else by others."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from resources.run_times import RunTime

FIXED_SECONDS = 24.0
"""What a run takes that takes in next to nothing: it starts, publishes, and checks all tables."""
SECONDS_PER_LINE = 0.013
"""For a line of a log, a message as a rule. Bytes tell less: a chat of 0.4 MB took twice as long as
sessions of 1 MB that are mostly results of tools."""
SECONDS_PER_KNOWN_LINE = 0.0
"""For a line that was taken in before: tables that follow from all of it are looked at anew."""

FIRST = 0.5, 2.5
"""Between which shares of that a first run is told to take: logs differ, and so do machines."""
NEXT = 0.7, 1.5
"""The same, of the least and the most that the last runs of a home took."""
LAST = 5
"""Runs of the home that count."""


class Span(NamedTuple):
    """Seconds, at least and at most."""

    least: float
    most: float


def estimate(lines: int, known: int, past: Sequence[RunTime], busy: float = 1.0) -> Span:
    """Seconds that a run without a language model takes.

    Args:
        lines: Lines that it takes in.
        known: Lines that were taken in before.
        past: The runs of this home, the latest last.
        busy: Runnable processes for each core; above 1, each gets a share of one.
    """
    expected = _expected(lines, known)
    shares = [one.seconds / _expected(one.lines, one.known_lines) for one in past[-LAST:]]
    below, above = NEXT if shares else FIRST
    least, most = min(shares, default=1.0) * below, max(shares, default=1.0) * above
    # Runs of before were slowed down by whatever ran beside them: that is in their times.
    return Span(expected * least, expected * most * (1.0 if shares else max(busy, 1.0)))


def busyness() -> float:
    """Runnable processes for each core, over the last minute."""
    return os.getloadavg()[0] / (os.cpu_count() or 1)


def _expected(lines: int, known: int) -> float:
    return FIXED_SECONDS + SECONDS_PER_LINE * lines + SECONDS_PER_KNOWN_LINE * known
