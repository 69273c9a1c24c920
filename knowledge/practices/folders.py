"""Where a path stands in its repository, whichever checkout or worktree it was seen in."""

import posixpath
import re
from collections.abc import Iterable
from functools import lru_cache

from cairn.knowledge.nlp.names import HOME_FOLDER, WORKTREE

_HOME = re.compile(rf"^{HOME_FOLDER}(?=[\\/]|$)")


@lru_cache(maxsize=4096)
def normal(path: str) -> str:
    """A path with `/` between folders, without `.` and `..`, and `~` for a home folder."""
    plain = _HOME.sub("~", path).replace("\\", "/")
    return posixpath.normpath(plain) if plain else ""


class Checkouts:
    """The folders in which one conversation had its project."""

    def __init__(self, project: str | None, seen: Iterable[str]) -> None:
        """Takes the project as raw_logs has it, and the working folders that were seen."""
        self.project = normal(project) if project else None
        self._roots = [self.project] if self.project else []
        for folder in sorted({normal(folder) for folder in seen}, key=lambda f: (len(f), f)):
            match = WORKTREE.search(folder)
            if match and not any(_under(folder, root) for root in self._roots[1:]):
                self._roots.append(folder)
        self._roots.sort(key=lambda root: (-len(root), root))

    def relative(self, path: str) -> str | None:
        """A path from the repository's root, `""` for the root itself; None if it is outside."""
        place = normal(path)
        for root in self._roots:
            if _under(place, root):
                inside = place[len(root) :].strip("/")
                match = WORKTREE.match(f"/{inside}") if root == self.project else None
                return f"/{inside}"[match.end() :].strip("/") if match else inside
        match = WORKTREE.search(place)
        if match and place[: match.start()] == self.project:
            # Another worktree of the same repository: its name is one folder, as most are.
            return place[match.end() :].strip("/")
        return None

    def beside(self, folder: str | None, path: str) -> str | None:
        """Where `cd PATH` leads from a folder of the repository; None out of it."""
        if path.startswith(("/", "~")) or re.match(r"[A-Za-z]:[\\/]", path):
            return self.relative(path)
        if folder is None:
            return None
        place = posixpath.normpath(posixpath.join(folder or ".", path.replace("\\", "/")))
        if place == ".." or place.startswith("../"):
            return None
        return "" if place == "." else place


def _under(place: str, root: str) -> bool:
    return place == root or place.startswith(root.rstrip("/") + "/")
