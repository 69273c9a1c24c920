"""What a line activates before its commands run: without it they would run in another environment.

`source venv/bin/activate && pip install -e .` installs there, and without it into the system.
"""

import posixpath
import re
from typing import NamedTuple

from cairn.knowledge.practices.briefs.line_shapes import LinePart
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
    if any(word.dynamic for word in part.shown.args):
        return None
    name, texts = part.shown.name, [word.text for word in part.shown.args]
    if name in _CONDA and texts[:1] == ["activate"] and "/" not in texts[-1]:
        return Activation(command=" ".join([name, *texts[:2]])) if len(texts) > 1 else None
    if name not in ("source", ".") or not texts or not _SCRIPT.search(texts[0]):
        return None
    script = checkouts.beside(part.folder, texts[0])
    return Activation(script) if script else None
