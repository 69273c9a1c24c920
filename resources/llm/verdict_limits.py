"""What the suites said of the tables: which passed for just these versions, and what is broken."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from cairn.resources.home.atomic_files import replace_file
from cairn.resources.home.home import Home, check_namespace
from cairn.resources.home.notes import NoteError, read_note

CHECKS = "checks"
"""Folder in the home, with a file per namespace."""

Broken = Mapping[str, int]
"""Rules that do not hold, each with the number of rows that break it."""


@dataclass(frozen=True)
class KeptVerdicts:
    """What is noted of the suites of a namespace."""

    passed: dict[str, str] = field(default_factory=dict[str, str])
    """What each that passed had seen (a digest)."""
    broken: dict[str, Broken] = field(default_factory=dict[str, Broken])
    """What each other one found."""


def kept_verdicts(file: Path) -> KeptVerdicts:
    """What is noted of the suites of a namespace.

    Raises:
        FileNotFoundError: nothing is.
        NoteError: it cannot be read.
    """
    return read_note(file, KeptVerdicts)


class SuiteVerdicts:
    """The last verdict of each suite over the tables of a namespace, kept in the home.

    A suite that passed is not run again for the same versions of the tables that it reads. What is
    broken holds the namespace back until the suite has passed. What cannot be read is no verdict.
    """

    def __init__(self, home: Home, namespace: str) -> None:
        self._file: Path = home.root / CHECKS / f"{check_namespace(namespace)}.json"
        kept = KeptVerdicts()
        with suppress(FileNotFoundError, NoteError):
            kept = kept_verdicts(self._file)
        self._passed, self._broken = kept.passed, kept.broken
        self._unsaved = False

    def passed(self, suite: str, seen: str) -> bool:
        """Whether a suite passed for what it would see now (a digest)."""
        return self._passed.get(suite) == seen

    def keep(self, suite: str, seen: str, broken: Broken) -> None:
        """Keeps what a suite said; nothing broken is a pass.

        What holds the namespace back, or does so no more, is saved at once: a suite that only
        passed is run again where that is lost, so its verdict waits for `save`.
        """
        was_broken = self._broken.pop(suite, None)
        self._passed.pop(suite, None)
        if broken:
            self._broken[suite] = broken
        else:
            self._passed[suite] = seen
        self._unsaved = True
        if broken or was_broken:
            self.save()

    def save(self) -> None:
        """Writes what was kept since the last time."""
        if not self._unsaved:
            return
        content = json.dumps(
            {"passed": self._passed, "broken": self._broken}, indent=1, sort_keys=True
        )
        self._file.parent.mkdir(mode=0o700, exist_ok=True)
        replace_file(self._file, content.encode())
        self._unsaved = False

    @property
    def held(self) -> int:
        """Suites that passed the last time."""
        return len(self._passed)

    @property
    def any_broken(self) -> bool:
        """Whether some suite holds the namespace back."""
        return bool(self._broken)

    @property
    def reasons(self) -> list[str]:
        """What holds the namespace back, in words: table, rule and count."""
        return [
            f"{suite.partition('.')[0]}: {told(rule, count)}"
            for suite, broken in sorted(self._broken.items())
            for rule, count in sorted(broken.items())
        ]


def told(rule: str, count: int) -> str:
    """A rule that does not hold, in words."""
    return f"{rule}: not so in {count:,} row{'' if count == 1 else 's'}"
