"""The pace of what is told unasked: at once, then after 1, 2, 4, 8 … minutes.

The pause doubles with each telling that nobody answers; whatever a person does answers all that
was told before it.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

FIRST = timedelta(minutes=1)
"""The pause after the first unanswered one."""

_MOST_DOUBLINGS = 20
"""Two years: what waits longer is never told anyway."""


class Pace(NamedTuple):
    """How things stand with one person."""

    unanswered: int
    """How many were told since the person last did anything."""
    last: datetime | None
    """When the last was told."""

    def next_at(self, not_before: datetime) -> datetime:
        """When the next may be told."""
        if not self.unanswered or self.last is None:
            return not_before
        return max(not_before, self.last + FIRST * 2 ** min(self.unanswered - 1, _MOST_DOUBLINGS))

    def told(self, at: datetime) -> "Pace":
        """After one more was told."""
        return Pace(self.unanswered + 1, at)


def pace(told: Sequence[datetime], acted: datetime | None) -> Pace:
    """How things stand."""
    return Pace(sum(acted is None or at > acted for at in told), max(told, default=None))
