"""How a home stood when a sensor found nothing to do: the next tick looks at that alone.

Whoever writes a table takes the home's lock and signs it, so that one time tells of all tables of
all namespaces. A tick over a thousand that are idle opens none of them.
"""

import os
from collections.abc import Hashable
from dataclasses import dataclass, field
from pathlib import Path

from cairn.resources.context import State
from cairn.resources.home.home import Home
from cairn.resources.home.sources import files_there


def standing(state: State, *, logs: bool = True) -> Hashable:
    """How a home stands, with the logs it watches; None where no file of this machine tells it.

    Taken before a look, it is what that look has seen: a writer signs the lock again at its end.
    """
    home = state.home
    if state.settings.model or state.sharing or not state.settings.is_local:
        return None
    lock = home.write_lock.stat() if home.write_lock.exists() else None
    places = (home.warehouse, home.index, home.publication)
    files = frozenset(files_there(home)) if logs else None
    return lock and (lock.st_ino, lock.st_mtime_ns), *map(_listed, places), files


def _listed(folder: Path) -> frozenset[tuple[str, int]]:
    """What lies in a folder, one per namespace, and when it last changed."""
    with os.scandir(folder) as entries:
        return frozenset((entry.name, entry.stat().st_mtime_ns) for entry in entries)


@dataclass(frozen=True)
class IdleHomes:
    """Homes in which one sensor found nothing to do, in this process."""

    _seen: dict[Path, Hashable] = field(default_factory=dict[Path, Hashable])

    def holds(self, home: Home, now: Hashable) -> bool:
        """Whether a home stands as it did then."""
        return now is not None and self._seen.get(home.root) == now

    def note(self, home: Home, seen: Hashable) -> None:
        """Notes how a home stood when nothing was found."""
        self._seen[home.root] = seen
