"""Points of time by their wording, as days: "last spring", "3 May", "2025-05", "3 weeks ago".

What a point means in a sentence, and whether it means a time at all, is for
`cairn.knowledge.nlp.dates.query_dates`: here "may" is a month.

Weeks begin on Monday. Seasons are those of meteorology in the north: spring is March to May,
winter December to February. A month, weekday or date without a year is the latest that has begun.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime, timedelta
from functools import partial
from typing import NamedTuple

from cairn.knowledge.nlp.dates.intervals import MONTH, MONTHS, ORDINAL
from cairn.knowledge.nlp.vocabulary import NUMBERS

_DURING = frozenset(("in", "during", "throughout", "over"))
_ON = frozenset(("on", "from"))
_ANY = _DURING | _ON | {"within", "of"}


class Point(NamedTuple):
    """Days that some words mean, and how these must stand in a sentence to mean them."""

    first: date
    last: date
    leads: frozenset[str] = _ANY
    """Prepositions that may lead to it."""
    alone: bool = True
    """Whether it needs none."""
    over: bool = False
    """Whether the words themselves say that it is past."""
    by_nouns: bool = False
    """Whether a noun may follow: "last week deployments", but not "May 2025 release"."""
    rough: bool = False
    """Whether its ends are estimates."""
    running: bool = False
    """Whether it is a length of time up to now."""
    latest: bool = False
    """Whether it is one of many, the latest that has begun."""


class Worded(NamedTuple):
    """Where a text, in lower case, names a point of time."""

    start: int
    end: int
    point: Callable[[datetime], Point | None]
    """The point as seen from a time; None if no days fit the words. Raises ValueError or
    OverflowError beyond the calendar."""


_DAY = timedelta(days=1)
_UNITS = {
    "hour": timedelta(hours=1),
    "day": _DAY,
    "week": 7 * _DAY,
    "month": 31 * _DAY,
    "year": 366 * _DAY,
}
_VAGUE = {"few": (2, 7), "several": (2, 7), "couple": (1, 4)}
"""What people mean by a number that they do not give, at least and at most."""
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_ABBREVIATED = {*MONTHS, "sept"} - {"may"}
_THIS_STILL = 92 * _DAY
"""For how long "this spring", once it is over, is not the next one."""

_YEAR = r"(?:19|20)\d\d"
_OF_YEAR = rf"(?:,? (?:of )?(?P<year>{_YEAR})|(?: of)? (?P<that_year>last|this) year)"
_WHICH = "(?P<which>last|this past|this)"
_PART = (
    r"(?:(?P<part>early|mid|late|(?:(?:at )?the )?(?:start|beginning|middle|end) of)"
    r"(?: in)?(?: |-))"
)
_CLOCK = "(?: (?:morning|afternoon|evening|night))"
_WEEKDAY = "|".join(_WEEKDAYS)
_NUMBER = rf"(?:a )?(?P<n>\d{{1,4}}|an?|one|{'|'.join(NUMBERS)}|few|several|couple)(?: of)?"
_UNIT = "|".join(_UNITS)

TIME_WORD = (
    rf"(?:{MONTH}|{_WEEKDAY}|{'|'.join(_SEASONS)}|q[1-4]|today|yesterday|tonight|tomorrow"
    rf"|weekend|(?:{_UNIT})s?)"
)
"""A word that names a time or a length of it, in lower case."""
_MENTION = re.compile(rf"\b(?:{TIME_WORD}|ago|night|morning|afternoon|evening)\b|\d{{4}}")


def mentions(text: str) -> bool:
    """Whether a text, in lower case, may name a point of time: quick, and seldom wrong."""
    return bool(_MENTION.search(text))


def worded(text: str) -> list[Worded]:
    """The points of time that a text names, in lower case; of those that overlap, the longer."""
    named = [
        Worded(match.start(), match.end(), partial(read, match))
        for pattern, read in _GRAMMAR
        for match in pattern.finditer(text)
    ]
    points: list[Worded] = []
    for each in sorted(named, key=lambda each: (each.start, -each.end)):
        if not points or each.start >= points[-1].end:
            points.append(each)
    return points


def _day_word(m: re.Match[str], as_of: datetime) -> Point:
    back = 0 if m["today"] else 2 if m["two"] else 1
    first = as_of.date() - back * _DAY
    last = first + _DAY if m[0].endswith("night") else first
    return Point(first, last, over=bool(back or m["earlier"]), by_nouns=True)


def _iso(m: re.Match[str], as_of: datetime) -> Point:
    first = date(int(m["year"]), int(m["month"]), int(m["day"] or 1))
    last = first if m["day"] else _month_end(first)
    return Point(first, last, alone=bool(m["day"]), over=last < as_of.date())


def _date(m: re.Match[str], as_of: datetime) -> Point | None:
    today, named = as_of.date(), _year(m, as_of)
    month, day = _month(m["month"] or m["month_"]), int(m["day"] or m["day_"])

    def days() -> Iterator[date]:
        # A 29th of February is at most eight years back, a 31st of June is nowhere.
        for year in [named] if named else range(today.year, today.year - 9, -1):
            if 0 < day <= _month_end(date(year, month, 1)).day:
                yield date(year, month, day)

    found = next((each for each in days() if named or each <= today), None)
    if found is None or m["weekday"] not in {None, _WEEKDAYS[found.weekday()]}:
        return None
    if named:
        return Point(found, found, over=found < today)
    return Point(found, found, _ON, alone=bool(m["th_"] or m["of"]), latest=True)


def _month_of_year(m: re.Match[str], as_of: datetime) -> Point | None:
    if m["name"] in _ABBREVIATED and not m["year"]:
        return None  # "in Jan" may be a person, "in dec" is decimal
    month = _month(m["name"])
    return _yearly(m, as_of, lambda year: (date(year, month, 1), _month_end(date(year, month, 1))))


def _season(m: re.Match[str], as_of: datetime) -> Point | None:
    if not m["which"] and (m["name"] == "winter" or not _year(m, as_of)):
        return None  # a winter of two years, or a season of any
    month = _SEASONS[m["name"]]
    return _yearly(
        m, as_of, lambda year: (date(year, month, 1), _month_end(date(year, month, 1) + 70 * _DAY))
    )


def _yearly(
    m: re.Match[str], as_of: datetime, days: Callable[[int], tuple[date, date]]
) -> Point | None:
    """Days that each year has: of the year that is named, or the latest that fit."""
    today, named, which = as_of.date(), _year(m, as_of), m["which"]
    if named:
        first, last = _part(m, *days(named))
        return None if which else Point(first, last, over=last < today)
    over = which in {"last", "this past"}
    whole = _latest(map(days, range(today.year, today.year - 3, -1)), today, over=over)
    if which == "this" and whole[0].year < today.year and today - whole[1] > _THIS_STILL:
        return None
    first, last = _part(m, *whole)
    if which:
        return Point(first, last, over=over)
    return Point(first, last, _DURING, alone=False, latest=True)


def _calendar_year(m: re.Match[str], as_of: datetime) -> Point:
    first, last = _part(m, date(int(m["year"]), 1, 1), date(int(m["year"]), 12, 31))
    leads, over = _DURING | {"from"}, last < as_of.date()
    return Point(first, last, leads, alone=bool(m["part"]), over=over)


def _quarter(m: re.Match[str], as_of: datetime) -> Point:
    year = _year(m, as_of) or int(m["year_"])
    first = date(year, 3 * int(m["quarter"] or m["quarter_"]) - 2, 1)
    last = _month_end(first + 70 * _DAY)
    return Point(first, last, over=last < as_of.date())


def _calendar_unit(m: re.Match[str], as_of: datetime) -> Point:
    today, unit = as_of.date(), m["unit"] or m["unit_"]
    back = 2 if m["unit_"] else int(m["which"] == "last")
    if unit == "year":
        days = date(today.year - back, 1, 1), date(today.year - back, 12, 31)
    elif unit == "month":
        months = today.year * 12 + today.month - 1 - back
        first = date(months // 12, months % 12 + 1, 1)
        days = first, _month_end(first)
    else:
        sunday = today + (6 - today.weekday() - 7 * back) * _DAY
        days = sunday - (1 if unit == "weekend" else 6) * _DAY, sunday
    first, last = _part(m, *days)
    return Point(first, last, over=bool(back or m["earlier"]), by_nouns=True)


def _weekday(m: re.Match[str], as_of: datetime) -> Point | None:
    today, which, week = as_of.date(), m["which"], m["week"]
    if which and week:
        return None
    over = which in {"last", "this past"}
    day = today + (_WEEKDAYS.index(m["name"]) - today.weekday()) * _DAY
    if week == "last" or (
        week != "this" and which != "this" and (day > today or (over and day == today))
    ):
        day -= 7 * _DAY
    last = day + _DAY if m[0].endswith("night") else day
    if which or week:
        return Point(day, last, over=over or week == "last", by_nouns=bool(which))
    return Point(day, last, _ON, alone=False, latest=True)


def _rolling(m: re.Match[str], as_of: datetime) -> Point:
    most = _count(m["n"])[1] if m["n"] else 1
    first = as_of - most * _UNITS[m["unit"] or m["unit_"]]
    return Point(
        first.date(),
        as_of.date(),
        _ANY | {"for"},
        alone=bool(m["n"] or m["past"]),
        over=True,
        by_nouns=True,
        rough=True,
        running=True,
    )


def _ago(m: re.Match[str], as_of: datetime) -> Point:
    (least, most), unit = _count(m["n"]), _UNITS[m["unit"]]
    # "3 weeks ago" may be half a week off and "10 years ago" a year; who says "2 days" has counted.
    margin = max(unit / 2, most * unit / 10)
    if unit == _DAY:
        margin = (0 if most < 3 else -(-most // 10)) * _DAY
    if least < most:
        margin *= 0
    first, last = as_of - most * unit - margin, min(as_of, as_of - least * unit + margin)
    return Point(
        first.date(), last.date(), frozenset(("from", "of")), over=True, by_nouns=True, rough=True
    )


def _year(m: re.Match[str], as_of: datetime) -> int | None:
    """The year that is named with a month, season or date."""
    if that := m["that_year"]:
        return as_of.year - (that == "last")
    return int(m["year"]) if m["year"] else None


def _month(name: str) -> int:
    return MONTHS.index(name[:3]) + 1


def _month_end(day: date) -> date:
    return (day.replace(day=1) + 31 * _DAY).replace(day=1) - _DAY


def _part(m: re.Match[str], first: date, last: date) -> tuple[date, date]:
    """The half of some days that is their early, middle or late one."""
    days, part = (last - first).days, m["part"]
    if part is None:
        return first, last
    if part.startswith("mid") or part.endswith("middle of"):
        return first + days // 4 * _DAY, last - days // 4 * _DAY
    if part == "late" or part.endswith("end of"):
        return last - days // 2 * _DAY, last
    return first, first + days // 2 * _DAY


def _latest(spans: Iterable[tuple[date, date]], today: date, *, over: bool) -> tuple[date, date]:
    """The first of some spans that has begun, or is over."""
    return next(
        (first, last) for first, last in spans if (last < today if over else first <= today)
    )


def _count(number: str) -> tuple[int, int]:
    """What a number means, at least and at most."""
    if number in _VAGUE:
        return _VAGUE[number]
    exact = int(NUMBERS.get(number, number)) if number not in {"a", "an", "one"} else 1
    return exact, exact


def _compiled(pattern: str) -> re.Pattern[str]:
    gaps = pattern.replace(" ", r"\s+")
    return re.compile(rf"(?<![\w'’.-])(?:{gaps})(?![\w-])")


_GRAMMAR: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], datetime], Point | None]], ...] = (
    (
        _compiled(
            "(?:(?:early|(?P<earlier>earlier)|late) )?(?:(?P<today>today|this (?:morning|afternoon"
            f"|evening))|yesterday{_CLOCK}?|last night|(?P<two>(?:the )?day before yesterday))"
        ),
        _day_word,
    ),
    (_compiled(r"(?P<year>\d{4})-(?P<month>\d\d)(?:-(?P<day>\d\d))?"), _iso),
    (
        _compiled(
            rf"(?:(?P<weekday>{_WEEKDAY}),? )?(?:(?:the )?(?P<day>\d\d?){ORDINAL}?(?P<of> of)? "
            rf"(?P<month>{MONTH})\.?|(?P<month_>{MONTH})\.? (?:the )?(?P<day_>\d\d?)"
            rf"(?P<th_>{ORDINAL})?){_OF_YEAR}?"
        ),
        _date,
    ),
    (_compiled(rf"{_PART}?(?:{_WHICH} )?(?P<name>{MONTH}){_OF_YEAR}?"), _month_of_year),
    (
        _compiled(f"{_PART}?(?:(?:{_WHICH}|the) )?(?P<name>{'|'.join(_SEASONS)}){_OF_YEAR}?"),
        _season,
    ),
    (_compiled(f"{_PART}?(?:the year )?(?P<year>{_YEAR})"), _calendar_year),
    (
        _compiled(
            f"(?:the )?q(?P<quarter>[1-4]){_OF_YEAR}|(?P<year_>{_YEAR}) q(?P<quarter_>[1-4])"
        ),
        _quarter,
    ),
    (
        _compiled(
            f"(?:(?P<earlier>earlier) |{_PART})?(?P<which>last|this) "
            "(?P<unit>week|weekend|month|year)|(?:the )?(?P<unit_>week|month|year) before last"
        ),
        _calendar_unit,
    ),
    (
        _compiled(
            f"(?:{_WHICH} )?(?P<name>{_WEEKDAY}){_CLOCK}?(?:(?: of)? (?P<week>last|this) week)?"
        ),
        _weekday,
    ),
    (
        _compiled(
            f"(?:(?:the|these|this) )?(?:last|(?P<past>past)) "
            f"(?:{_NUMBER} (?P<unit>{_UNIT})s?|(?P<unit_>{_UNIT}))"
        ),
        _rolling,
    ),
    (_compiled(f"(?:(?:about|around|roughly|some) )?{_NUMBER} (?P<unit>{_UNIT})s? ago"), _ago),
)
