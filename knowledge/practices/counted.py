"""A thing that counting tells of a project, and who bears it out."""

from datetime import datetime
from typing import NamedTuple


class Bearer(NamedTuple):
    """A conversation that bears something out."""

    conversation: str
    at: datetime | None
    record: str


class CountedFact(NamedTuple):
    """A fact of a project, and who bears it out, of how many that could."""

    kind: str
    name: str
    other: str | None
    seen: list[Bearer]
    every: int
    having: int | None = None
    """Commits or branches that have the form, where it is one."""
    among: int | None = None
    """Commits or branches that were looked at for it."""


def most_first(fact: CountedFact) -> tuple[int, float, str, str]:
    """Most conversations first, then the latest, then by name."""
    times = [each.at.timestamp() for each in fact.seen if each.at is not None]
    return -len(fact.seen), -max(times, default=0.0), fact.name, fact.other or ""
