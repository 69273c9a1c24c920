"""Moments that can be asked about, whichever way the question comes."""

from datetime import UTC, datetime

EARLIEST, LATEST = datetime(1900, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
"""Times beyond count as these: nothing was ever said there, and days around them can be counted."""


def as_moment(at: datetime) -> datetime:
    """A time in UTC, within `EARLIEST` and `LATEST`; one without a zone is UTC's."""
    return min(max(at.replace(tzinfo=at.tzinfo or UTC), EARLIEST), LATEST).astimezone(UTC)
