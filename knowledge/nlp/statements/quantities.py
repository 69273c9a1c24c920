"""Amounts in one unit, so that 1.80 m and 180 cm are one value, as are version 2.3.0 and 2.3.

Only units of a fixed ratio are converted: a megabyte may have 1,000 kilobytes or 1,024, a month 28
days or 31. Money of one currency is one amount however it is written.
"""

import re
from decimal import Decimal

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
    "kilobyte": {"kb": "1", "kilobyte": "1"},
    "megabyte": {"mb": "1", "megabyte": "1"},
    "gigabyte": {"gb": "1", "gigabyte": "1"},
    "terabyte": {"tb": "1", "terabyte": "1"},
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
    rf"(?<![\w.,/-])(?:{_NUMBER}|{_IN_WORDS}) ?(?:(?P<unit>{_WORDS})\b(?![/^²³])|(?P<sign>[$€£]))",
    re.IGNORECASE,
)
_MONEY = re.compile(
    rf"(?:(?P<sign>[$€£])|\b(?P<unit>usd|eur|gbp)\b) ?{_NUMBER}(?!\w|[.,]\d)", re.IGNORECASE
)

_VERSION = re.compile(r"version=(?P<number>\d+(?:\.\d+)*?)(?:\.0+)*")
_DECIMAL = re.compile(r"version=(?P<number>\d+\.\d*?)0*")


def in_one_unit(text: str) -> str:
    """A text with its amounts in the unit that stands for their kind: "1800 mm" for "1.80 m"."""
    return _AMOUNT.sub(_converted, _MONEY.sub(_converted, text))


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
