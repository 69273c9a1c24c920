"""What a line activates before its commands run: without it they would run in another environment.

`source venv/bin/activate && pip install -e .` installs there, and without it into the system.
"""

import posixpath
import re
from typing import NamedTuple

from cairn.knowledge.practices.line_shapes import LinePart
from cairn.knowledge.practices.places.folders import Checkouts

_SCRIPT = re.compile(r"(?:^|/)(?:bin|Scripts)/activate(?:\.\w+)?$")
_CONDA = frozenset({"conda", "mamba", "micromamba"})


class Activation(NamedTuple):
    """The script of the repository that activates an environment, or the command of conda."""

    script: str = ""
    command: str = ""

    def told_from(self, folder: str) -> str:
        """The command that activates it, typed in a folder of the repository."""
        return self.command or f"source {posixpath.relpath(self.script, folder or '.')}"


def activation(part: LinePart, checkouts: Checkouts) -> Activation | None:
    """What a command activates for those behind it; None if nothing, or nothing of the project."""
    words = part.shown.args
    if not words or any(word.dynamic for word in words):
        return None
    if part.shown.name in _CONDA and words[0].text == "activate" and len(words) > 1:
        name = words[1].text
        return None if "/" in name else Activation(command=f"{part.shown.name} activate {name}")
    if part.shown.name not in ("source", ".") or not _SCRIPT.search(words[0].text):
        return None
    script = checkouts.beside(part.folder, words[0].text)
    return Activation(script) if script else None
