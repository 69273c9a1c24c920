"""Days with work as ranges to run: what stands between them, and holds nothing, costs nothing."""

from collections.abc import Iterable, Sequence
from datetime import date

from assets.raw_logs import places
from knowledge.work import DayRange, ranges
from resources.state import State

WIDEST_GAP = 31
"""Empty days in a row that a range may bridge; each is a partition that Dagster writes down."""


def spans(state: State, days: Sequence[str]) -> list[DayRange]:
    """Ranges that cover `days`, and no other day that holds records; the newest first.

    Logs of a person who works every third day are then one range, not a hundred.
    """
    if not days:
        return []
    return bridged(ranges(days, newest_first=False), set(places(state)["day"]) - set(days))


def bridged(parts: Iterable[DayRange], between: set[str]) -> list[DayRange]:
    """Ranges joined over at most `WIDEST_GAP` days, none of them in `between`; newest first."""
    found: list[DayRange] = []
    for part in parts:
        if found and _free(found[-1], part, between):
            found[-1] = DayRange(found[-1].first, part.last)
        else:
            found.append(part)
    return found[::-1]


def _free(before: DayRange, after: DayRange, between: set[str]) -> bool:
    gap = (date.fromisoformat(after.first) - date.fromisoformat(before.last)).days - 1
    return gap <= WIDEST_GAP and between.isdisjoint(DayRange(before.last, after.first).days)
