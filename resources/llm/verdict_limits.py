"""What the suites said of the tables: which passed for just these versions, and what is broken."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from cairn.resources.home.atomic_files import replace_file
from cairn.resources.home.home import Home
from cairn.resources.home.notes import NoteError, read_note

CHECKS = "checks.json"

EVERY = "*"
"""Stands for all namespaces, where what is broken cannot be laid to some of them."""

Broken = Mapping[str, Mapping[str, int]]
"""Rules that do not hold, by namespace, each with the number of rows that break it."""


@dataclass(frozen=True)
class KeptVerdicts:
    """What is noted of the suites."""

    passed: dict[str, str] = field(default_factory=dict[str, str])
    """What each that passed had seen (a digest)."""
    broken: dict[str, Broken] = field(default_factory=dict[str, Broken])
    """What each other one found."""


def kept_verdicts(home: Home) -> KeptVerdicts:
    """What is noted of the suites.

    Raises:
        FileNotFoundError: nothing is.
        NoteError: it cannot be read.
    """
    return read_note(home.root / CHECKS, KeptVerdicts)


class SuiteVerdicts:
    """The last verdict of each suite, kept in the home.

    A suite that passed is not run again for the same versions of the tables that it reads. What is
    broken holds its namespace back until the suite has passed. What cannot be read is no verdict.
    """

    def __init__(self, home: Home) -> None:
        self._file: Path = home.root / CHECKS
        kept = KeptVerdicts()
        with suppress(FileNotFoundError, NoteError):
            kept = kept_verdicts(home)
        self._passed, self._broken = kept.passed, kept.broken

    def passed(self, suite: str, seen: str) -> bool:
        """Whether a suite passed for what it would see now (a digest)."""
        return self._passed.get(suite) == seen

    def keep(self, suite: str, seen: str, broken: Broken) -> None:
        """Keeps what a suite said; nothing broken is a pass."""
        self._passed.pop(suite, None)
        self._broken.pop(suite, None)
        if broken:
            self._broken[suite] = broken
        else:
            self._passed[suite] = seen
        content = json.dumps(
            {"passed": self._passed, "broken": self._broken}, indent=1, sort_keys=True
        )
        replace_file(self._file, content.encode())

    @property
    def any_broken(self) -> bool:
        """Whether some suite holds a namespace back."""
        return bool(self._broken)

    def against(self, namespace: str) -> list[str]:
        """What holds a namespace back, in words: table, rule and count."""
        return [
            f"{suite.partition('.')[0]}: {told(rule, count)}"
            for suite, broken in sorted(self._broken.items())
            for name in (namespace, EVERY)
            for rule, count in sorted(broken.get(name, {}).items())
        ]


def told(rule: str, count: int) -> str:
    """A rule that does not hold, in words."""
    return f"{rule}: not so in {count:,} row{'' if count == 1 else 's'}"
