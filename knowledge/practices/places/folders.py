"""Where a path stands in its repository, whichever checkout or worktree it was seen in."""

import posixpath
import re
from collections.abc import Iterable
from functools import lru_cache

from cairn.knowledge.nlp.names import HOME, worktree_place

_WHOLE = re.compile(r"[/~]|[A-Za-z]:[\\/]")


@lru_cache(maxsize=4096)
def normal(path: str) -> str:
    """A path with `/` between folders, without `.` and `..`, and `~` for a home folder."""
    plain = HOME.sub("~", path).replace("\\", "/")
    return posixpath.normpath(plain) if plain else ""


def is_whole(path: str) -> bool:
    """Whether a path begins at the root, at a drive or in a home folder."""
    return _WHOLE.match(path) is not None


def joined(folder: str, path: str) -> str:
    """Where a path leads from a folder, as `normal` has it."""
    return normal(path if is_whole(path) else f"{folder}/{path}")


def under(place: str, root: str) -> bool:
    """Whether a place is a folder, or within it."""
    return place == root or place.startswith(root.rstrip("/") + "/")


class Checkouts:
    """The folders in which one conversation had its project."""

    def __init__(
        self, project: str | None, seen: Iterable[str], worktrees: Iterable[str] = ()
    ) -> None:
        """Takes what is known of the folders.

        Args:
            project: The project as raw_logs has it.
            seen: Working folders that were seen.
            worktrees: Folders that were said to be worktrees of the project.
        """
        self.project = normal(project) if project else None
        self._roots = [self.project] if self.project else []
        self._roots += sorted({normal(folder) for folder in worktrees} - {self.project})
        for folder in sorted({normal(folder) for folder in seen}, key=lambda f: (len(f), f)):
            place = worktree_place(folder)
            root = folder[: place.end] if place and place.exact else folder
            if place and not any(under(root, other) for other in self._roots[1:]):
                self._roots.append(root)
        self._roots.sort(key=lambda root: (-len(root), root))

    @property
    def roots(self) -> tuple[str, ...]:
        """The project and its worktrees, as far as they were seen."""
        return tuple(self._roots)

    def relative(self, path: str) -> str | None:
        """A path from the repository's root, `""` for the root itself; None if it is outside."""
        place = normal(path)
        root = next((root for root in self._roots if under(place, root)), None)
        if root in (None, self.project):
            # Another worktree of the same repository: its name is one folder, as most are.
            of = worktree_place(place)
            if of and of.repository == self.project:
                return place[of.end :].strip("/")
        return place[len(root) :].strip("/") if root is not None else None

    def beside(self, folder: str | None, path: str) -> str | None:
        """Where `cd PATH` leads from a folder of the repository; None out of it."""
        if is_whole(path):
            return self.relative(path)
        if folder is None:
            return None
        place = posixpath.normpath(posixpath.join(folder or ".", path.replace("\\", "/")))
        if place == ".." or place.startswith("../"):
            return None
        return "" if place == "." else place
