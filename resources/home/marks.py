"""When a namespace was last checked as a whole, and when its last night was."""

import math
import time
from pathlib import Path

from cairn.resources.home.home import Home, check_namespace

VERIFIED, NIGHTS = "verified", "nights"
"""Folders of the home, with an empty file per namespace."""


def note_verified(home: Home, namespace: str) -> None:
    """Notes that all tables of a namespace were checked now."""
    _touch(home.root / VERIFIED / check_namespace(namespace))


def verified_since(home: Home, namespace: str) -> float:
    """Seconds since then; infinite if they never were."""
    return time.time() - _touched(home.root / VERIFIED / namespace)


def note_night(home: Home, namespace: str) -> None:
    """Notes that the night went over a namespace now."""
    _touch(home.root / NIGHTS / check_namespace(namespace))


def last_night(home: Home, namespace: str) -> float:
    """When that was, in seconds since 1970; minus infinity if it never was."""
    return _touched(home.root / NIGHTS / namespace)


def _touch(mark: Path) -> None:
    mark.parent.mkdir(mode=0o700, exist_ok=True)
    mark.touch(mode=0o600)


def _touched(mark: Path) -> float:
    try:
        return mark.stat().st_mtime
    except OSError:
        return -math.inf
