"""What a check of `cairn doctor` found."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """What a check found."""

    check: str
    level: str
    """ok, warning or error."""
    found: str
    advice: str = ""
