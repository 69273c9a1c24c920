"""Literals by their value: 1.80 m is 180 cm, 7 pm is 19:00, version 2.3.0 is 2.3, a dozen is 12.

Only units of a fixed ratio are converted; a month has 28 days or 31. A megabyte has 1,000
kilobytes, a mebibyte 1,024. Money of one currency is one amount however it is written.
"""

import re
from decimal import Decimal
from functools import lru_cache

from cairn.knowledge.nlp.vocabulary import NUMBERS

_RATIOS: dict[str, dict[str, str]] = {
    "mm": {"mm": "1", "cm": "10", "m": "1e3", "km": "1e6", "millimetre": "1", "centimetre": "10",
           "metre": "1e3", "kilometre": "1e6", "millimeter": "1", "centimeter": "10",
           "meter": "1e3", "kilometer": "1e6"},
    "mg": {"mg": "1", "g": "1e3", "kg": "1e6", "gram": "1e3", "kilogram": "1e6", "kilo": "1e6"},
    "ms": {"ms": "1", "millisecond": "1", "s": "1e3", "sec": "1e3", "second": "1e3", "min": "6e4",
           "minute": "6e4", "h": "3.6e6", "hr": "3.6e6", "hour": "3.6e6", "day": "8.64e7",
           "week": "6.048e8"},
    "kib": {"kib": "1", "mib": "1024", "gib": "1048576", "tib": "1073741824"},
    "kilobyte": {"kb": "1", "kilobyte": "1", "mb": "1e3", "megabyte": "1e3", "gb": "1e6",
                 "gigabyte": "1e6", "tb": "1e9", "terabyte": "1e9"},
    "ml": {"ml": "1", "cl": "10", "l": "1e3", "millilitre": "1", "centilitre": "10", "litre": "1e3",
           "milliliter": "1", "centiliter": "10", "liter": "1e3"},
    "inch": {"inch": "1", "inches": "1", "ft": "12", "foot": "12", "feet": "12", "yard": "36",
             "mile": "63360"},
    "ounce": {"oz": "1", "ounce": "1", "lb": "16"},
    "dollar": {"$": "1", "usd": "1", "dollar": "1"},
    "euro": {"€": "1", "eur": "1", "euro": "1"},
    "gbp": {"£": "1", "gbp": "1"},
}  # fmt: skip
"""The unit that stands for a kind of amounts, and how much of it is one of each other."""

_UNITS = {
    form: (base, Decimal(ratio))
    for base, units in _RATIOS.items()
    for unit, ratio in units.items()
    for form in (unit, f"{unit}s" if len(unit) > 2 else unit)
}
_NUMBER = r"(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
_IN_WORDS = rf"(?P<named>{'|'.join(NUMBERS)})"
_WORDS = "|".join(sorted((unit for unit in _UNITS if unit.isalpha()), key=len, reverse=True))
_AMOUNT = re.compile(
    rf"(?<![\w.,/-])(?:{_NUMBER}|{_IN_WORDS}) ?"
    rf"(?:(?P<unit>(?!(?-i:[KMGT]b\b))(?:{_WORDS}))\b(?![/^²³])|(?P<sign>[$€£]))",
    re.IGNORECASE,
)
"""A capital with a small b counts bits."""
_MONEY = re.compile(
    rf"(?:(?P<sign>[$€£])|\b(?P<unit>usd|eur|gbp)\b) ?{_NUMBER}(?!\w|[.,]\d)", re.IGNORECASE
)

_VERSION = re.compile(r"version=(?P<number>\d+(?:\.\d+)*?)(?:\.0+)*")
_DECIMAL = re.compile(r"version=(?P<number>\d+\.\d*?)0*")

_POWERS = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_TENS = "|".join(word for word in NUMBERS if word.endswith("ty"))
_ONES = "|".join(word for word, number in NUMBERS.items() if len(number) == 1)
_COMPOUND = re.compile(rf"\b({_TENS})[- ](one|{_ONES})\b", re.IGNORECASE)
_COUNT = re.compile(
    rf"(?<![\w.,/-])(?:{_NUMBER}|{_IN_WORDS}|(?P<one>an?|one)) "
    rf"(?P<power>dozen|{'|'.join(_POWERS)})\b"
    rf"|(?<![\w.,/-]){_NUMBER.replace('number', 'short')}k\b|\b(?P<dozen>dozen)\b(?! of)",
    re.IGNORECASE,
)
_SINGLE = re.compile(
    r"\b(?P<half>half )?an? (?=(?:hour|day|week|minute|second|litre|liter|mile|metre|kilo)\b)",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b(?:(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?(?: ?(?P<half>[ap])\.?m\b\.?)?"
    r"|(?P<named>noon|midnight))(?![\w:])",
    re.IGNORECASE,
)
_RELEASE = re.compile(r"(?<![\w.])v?(?P<number>\d+\.\d+(?:\.\d+)*?)(?:\.0)+(?![\w.]*\d)")
_DIGITS = str.maketrans("", "", "0123456789")
_NAMED = re.compile(rf"\b{_IN_WORDS}\b", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_ANY = re.compile(
    rf"\d|{_SINGLE.pattern}|\b(?:dozen|noon|midnight|{'|'.join([*NUMBERS, *_POWERS])})\b",
    re.IGNORECASE,
)


def in_one_unit(text: str) -> str:
    """A text with its amounts in the unit that stands for their kind: "1800 mm" for "1.80 m"."""
    return _AMOUNT.sub(_converted, _MONEY.sub(_converted, text))


@lru_cache(maxsize=65_536)
def by_value(text: str) -> str:
    """A text with each literal in the form that stands for its value; itself where there is none.

    Counts in digits, times of 24 hours, amounts in one unit, versions without zeros at their end.
    """
    if _ANY.search(text) is None:
        return text
    text = _COMPOUND.sub(lambda m: str(int(NUMBERS[m[1].lower()]) + _ones(m[2])), text)
    text = _SINGLE.sub(lambda m: "0.5 " if m["half"] else "1 ", text)
    text = _TIME.sub(_of_24_hours, _COUNT.sub(_counted, text))
    text = _THOUSANDS.sub(lambda m: m[0].replace(",", ""), _NAMED.sub(_digits, text))
    return _RELEASE.sub(r"\g<number>", in_one_unit(text))


def equal_in_value(left: str, right: str) -> bool:
    """Whether the numbers of two texts are the same by their value, and not in the same form."""
    if left.translate(_DIGITS) == right.translate(_DIGITS):
        return False
    return _numbers(left) == _numbers(right) != ()


@lru_cache(maxsize=65_536)
def _numbers(text: str) -> tuple[str, ...]:
    return tuple(sorted(re.findall(r"\d[\d.,:]*", by_value(text))))


def plain_value(value: str, *, amount: bool) -> str:
    """A value of a slot (stems; literals as `kind=value`) in one form.

    Args:
        value: What stands in the slot: `version=2.3.0`.
        amount: Whether it is how much of something, so that 2.30 is 2.3; a version is not.
    """
    match = (_DECIMAL if amount else _VERSION).fullmatch(value)
    if match is None:
        return value
    number = match["number"].rstrip(".")
    return f"{'version' if '.' in number else 'number'}={number}"


def _converted(match: re.Match[str]) -> str:
    found = {name: text.lower() for name, text in match.groupdict().items() if text}
    base, ratio = _UNITS[found.get("unit") or found["sign"]]
    number = NUMBERS[found["named"]] if "named" in found else found["number"].replace(",", "")
    return f"{(Decimal(number) * ratio).normalize():f} {base}"


def _ones(word: str) -> int:
    return int(NUMBERS.get(word.lower(), "1"))


def _counted(match: re.Match[str]) -> str:
    if match["dozen"]:
        return "12"
    if match["short"]:
        return f"{(Decimal(match['short'].replace(',', '')) * 1000).normalize():f}"
    number = "1" if match["one"] else _digits(match)
    power = _POWERS.get(match["power"].lower(), 12)
    return f"{(Decimal(number) * power).normalize():f}"


def _digits(match: re.Match[str]) -> str:
    found = match.groupdict()
    return NUMBERS[found["named"].lower()] if found["named"] else found["number"].replace(",", "")


def _of_24_hours(match: re.Match[str]) -> str:
    if match["named"]:
        return "12:00" if match["named"].lower() == "noon" else "00:00"
    hour, half = int(match["hour"]), (match["half"] or "").lower()
    if not (half or match["minute"]) or hour > (12 if half else 24):
        return match[0]
    return f"{hour % 12 + 12 * (half == 'p') if half else hour:02}:{match['minute'] or '00'}"
