"""The time of which a statement says that it holds: "since March 2024", "until 2025-05-01".

Only ISO dates and dates with the name of a month and a year are read, behind a word that says what
they are, and only where they open or end a sentence: "the logs from 2024-03-01 are lost" says
nothing of when that holds. A wrong date would hide a fact, so what is unclear is left out.
"""

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from cairn.knowledge.nlp.patterns import lazy_pattern

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
"""The name of a month, in lower case; MONTHS has the first three letters of each in order."""
ORDINAL = r"(?:st|nd|rd|th)"  # codespell:ignore nd
_MONTH = rf"{MONTH}\.?"
_DATE = (
    rf"(?:\d{{4}}-\d\d(?:-\d\d)?|{_MONTH}\ (?:\d{{1,2}}{ORDINAL}?,?\ )?\d{{4}}"
    rf"|\d{{1,2}}{ORDINAL}?\ (?:of\ )?{_MONTH},?\ \d{{4}})(?![\w-])"
)
_SPAN = lazy_pattern(
    rf"""(?P<open>^\W*)?(?:,\ ?)?\b(?:
        (?:from|between)\ (?P<first>{_DATE})\ (?P<till>to|and|until|till|through)\ (?P<last>{_DATE})
      | (?:since|as\ of|starting(?:\ (?:on|in|from))?|effective(?:\ from)?)\ (?P<since>{_DATE})
      | from\ (?P<on>{_DATE})(?:\ on(?:wards?)?\b|(?=,))
      | (?P<bound>until|till|through|up\ to)\ (?P<until>{_DATE})
    )(?:(?P<close>[\s.!)]*$)|,?\s+)""",
    re.VERBOSE | re.IGNORECASE,
)
_DENIED = lazy_pattern(r"\b(?:not|never|no|cannot)\b|n['’]t\b|\?", re.IGNORECASE)
_HINT = lazy_pattern(r"\d{4}")


class StatedTime(NamedTuple):
    """What a statement says of its own time."""

    start: datetime | None
    """First moment at which it holds."""
    end: datetime | None
    """First moment at which it no longer holds."""
    rest: str
    """The statement without that."""


@lru_cache(maxsize=65_536)
def stated_time(statement: str) -> StatedTime:
    """The time that a sentence gives for what it says, in UTC; None for an end that it leaves open.

    "Until May 2025" ends with the first moment of that month, "through May 2025" with its last. A
    denial has no end of its own: what is not so until May begins then. Questions say nothing.
    """
    nothing = StatedTime(None, None, statement)
    if not _HINT.search(statement):
        return nothing
    match = next(
        (m for m in _SPAN.finditer(statement) if m["open"] is not None or m["close"] is not None),
        None,
    )
    if match is None or _DENIED.search(statement):
        return nothing
    start = _moment(match["first"] or match["since"] or match["on"])
    through = (match["till"] or match["bound"] or "").lower() in {"through", "to", "and"}
    end = _moment(match["last"] or match["until"], after=through)
    if (start is None and end is None) or (start and end and end <= start):
        return nothing
    rest = f"{statement[: match.start()]} {statement[match.end() :]}".strip()
    return StatedTime(start, end, rest)


def _moment(date: str | None, *, after: bool = False) -> datetime | None:
    """The first moment of a day or month, or the one after it; None if there is no such day."""
    if date is None:
        return None
    if date[:4].isdigit():
        year, month, *days = map(int, date.split("-"))
    else:
        *days, year = map(int, re.findall(r"\d+", date))
        month = next(at for at, name in enumerate(MONTHS, 1) if name in date.lower())
    try:
        first = datetime(year, month, days[0] if days else 1, tzinfo=UTC)
        if not after:
            return first
        if days:
            return first + timedelta(days=1)
        return datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
