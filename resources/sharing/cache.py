"""What readers pulled: of namespaces that nobody makes here, as much as may stay."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cairn.resources.home.home import NAMESPACE, Home
from cairn.resources.home.sources import SourceError, list_sources
from cairn.resources.sharing.shared_files import SHARED
from cairn.resources.sharing.working_copy import WorkingCopy

RESTS = 60.0
"""Seconds after it was read until it may go: who reads it now may open more of it."""


@dataclass(frozen=True)
class PulledNamespaces:
    """Those of a home."""

    home: Home
    of: Callable[[str], WorkingCopy]
    most: int | None
    """Bytes; None for no bound."""

    def use(self, namespace: str) -> None:
        """Notes that one is read now."""
        with suppress(OSError):  # it was never pulled, or the home can only be read
            os.utime(self._used(namespace))

    def trim(self) -> list[str]:
        """Drops those that were read longest ago, until the others fit; gives their names.

        Those with a source here stay, and those that `WorkingCopy.drop` leaves.
        """
        if self.most is None:
            return []
        try:
            own = {source.namespace for source in list_sources(self.home)}
        except SourceError:  # what is made here is not known; a run says so
            return []
        folders = (self.home.root / SHARED).glob("*/")
        names = [each.name for each in folders if NAMESPACE.fullmatch(each.name)]
        there = [self.of(name) for name in names if name not in own]
        sizes = {copy.namespace: copy.known.size for copy in there if copy.is_here}
        held, now = sum(sizes.values()), time.time()
        dropped: list[str] = []
        for name in sorted(sizes, key=self._read_at):
            if held <= self.most or now - self._read_at(name) < RESTS:
                break
            if self.of(name).drop():
                held -= sizes[name]
                dropped.append(name)
        return dropped

    def _read_at(self, namespace: str) -> float:
        file = self._used(namespace)
        if not file.exists():  # it was just pulled
            file.touch(0o600)
        return file.stat().st_mtime

    def _used(self, namespace: str) -> Path:
        return self.of(namespace).folder / "used"
