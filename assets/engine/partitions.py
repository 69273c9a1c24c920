"""The daily partitions."""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime, time
from functools import lru_cache

import dagster as dg
from dagster._core.instance import DynamicPartitionsStore


class Days(dg.DailyPartitionsDefinition):
    """Daily partitions whose keys are listed once a day.

    Dagster lists all of them (there are thousands) for each input of each step: 40 ms each time.
    """

    def get_partition_keys(
        self,
        current_time: datetime | None = None,
        dynamic_partitions_store: DynamicPartitionsStore | None = None,
    ) -> Sequence[str]:
        """All days, the first one first."""
        del dynamic_partitions_store
        return _keys(self, (current_time or datetime.now(UTC)).astimezone(UTC).date())


@lru_cache(maxsize=2)
def _keys(days: Days, today: date) -> Sequence[str]:
    return super(Days, days).get_partition_keys(datetime.combine(today, time(12), UTC))


DAYS = Days(start_date="2015-01-01", end_offset=1)
"""A conversation belongs to the UTC day on which it began; undated ones to the first.

The last one stands for all days after it, too: of logs whose clock is ahead, or where the clock of
this machine is behind. Which days there are follows from the logs.
"""


def last_day() -> str:
    """The last partition there is now."""
    return DAYS.get_partition_keys()[-1]


def days_asked_for(
    context: dg.AssetExecutionContext, held: Callable[[], Iterable[str]]
) -> list[str]:
    """The days of a run; `held` are all days that there are, asked for only where it matters."""
    days, last = list(context.partition_keys), last_day()
    return days + sorted({day for day in held() if day > last}) if last in days else days
