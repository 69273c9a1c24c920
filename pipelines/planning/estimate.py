"""How long a run will take, told before it as a range: by the runs of this home, else by others."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from cairn.resources.home.run_times import RunTime

FIXED_SECONDS = 4.0
"""What a run takes that takes in next to nothing: it starts, makes what follows, and publishes."""
SECONDS_PER_LINE = 0.0008
"""For a line of a log. Both are of four imports of 11 to 36,000 lines (3 kB to 100 MB) on two
cores, which took 3 to 29 seconds, on 2026-11-26."""

FIRST = 0.5, 3.0
"""Between which shares of that a first run is told to take: logs differ, and so do machines."""
NEXT = 0.7, 1.5
"""The same, of the least and the most that the last runs of a home took."""
BUSIEST = 4.0
LAST = 5
"""Runs of the home that count."""


class TimeSpan(NamedTuple):
    """Seconds, at least and at most."""

    least: float
    most: float


def estimate(lines: int, past: Sequence[RunTime], busy: float = 1.0) -> TimeSpan:
    """Seconds that a run without a language model takes.

    Args:
        lines: Lines that it takes in.
        past: The runs of this home, the latest last.
        busy: Runnable processes for each core; above 1, each gets a share of one. What runs beside
            it will not do so for ever, so no more than BUSIEST counts.
    """
    expected = _expected(lines)
    shares = [one.seconds / _expected(one.lines) for one in past[-LAST:]]
    below, above = NEXT if shares else FIRST
    least, most = min(shares, default=1.0) * below, max(shares, default=1.0) * above
    # Runs of before were slowed down by whatever ran beside them: that is in their times.
    return TimeSpan(
        expected * least, expected * most * (1.0 if shares else min(max(busy, 1.0), BUSIEST))
    )


def busyness() -> float:
    """Runnable processes for each core, over the last minute."""
    return os.getloadavg()[0] / (os.cpu_count() or 1)


def _expected(lines: int) -> float:
    return FIXED_SECONDS + SECONDS_PER_LINE * lines
