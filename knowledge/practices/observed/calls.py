"""A command line that ran in its project, with what it printed, as the rules here read it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from cairn.knowledge.dialogue.tool_calls import ToolStep
from cairn.knowledge.nlp.shell.words import ShellWord
from cairn.knowledge.practices.briefs.line_shapes import LinePart
from cairn.knowledge.practices.command_runs import parts_of
from cairn.knowledge.practices.places.folders import Checkouts

_ELSEWHERE_LIST = (
    "docker docker-compose podman nerdctl kubectl oc ssh mosh vagrant multipass lxc incus gh glab "
    "act"
)
ELSEWHERE = frozenset(_ELSEWHERE_LIST.split())
"""Programs whose output tells of a container or of another machine."""

LONGEST_OUTPUT = 60_000
"""Characters of an output that are read: half from its beginning, half from its end."""

_COLOUR = re.compile(r"\x1b\[[\d;?]*[A-Za-z]")
_GIT_VALUE = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace"})
"""Options of git itself that take the next word."""


class Observation(NamedTuple):
    """Something that a call tells of its project."""

    kind: str
    name: str
    value: str | None
    rule: str


class GitCommand(NamedTuple):
    """What git was told to do in the repository of the project."""

    verb: str
    words: tuple[ShellWord, ...]
    """What stands behind the verb."""
    part: LinePart

    @property
    def texts(self) -> list[str]:
        """`words` without their places."""
        return [word.text for word in self.words]

    @property
    def operands(self) -> list[str]:
        """Words that are no options, and known before it runs."""
        return [
            word.text for word in self.words if not word.dynamic and not word.text.startswith("-")
        ]


@dataclass(frozen=True)
class ShellCall:
    """One call of a shell, its commands that ran in the project, and its output."""

    parts: Sequence[LinePart]
    git: Sequence[GitCommand]
    output: str
    worked: bool | None

    @cached_property
    def lines(self) -> list[str]:
        """Lines of the output that are not blank, without the space behind them."""
        return [line.rstrip() for line in self.output.splitlines() if line.strip()]

    @property
    def is_elsewhere(self) -> bool:
        """Whether a part of it ran in a container or on another machine."""
        return any(part.shown.name in ELSEWHERE for part in self.parts)


def shell_call(step: ToolStep, checkouts: Checkouts) -> ShellCall | None:
    """A call as the rules read it; None if nothing came back, or all of it ran outside."""
    if not step.command or step.result is None or step.kind not in ("run", "read", "edit"):
        return None
    parts = [part for part in parts_of(step, checkouts) if part.folder is not None]
    if not parts:
        return None
    text = step.result.text
    if len(text) > LONGEST_OUTPUT:
        half = LONGEST_OUTPUT // 2
        text = f"{text[:half]}\n{text[-half:]}"
    return ShellCall(parts, list(_git(parts, checkouts)), _COLOUR.sub("", text), step.worked)


def _git(parts: Sequence[LinePart], checkouts: Checkouts) -> Iterator[GitCommand]:
    for part in parts:
        if part.shown.name != "git":
            continue
        words, at, folder = part.shown.words, 1, part.folder
        while at < len(words) and words[at].text.startswith("-"):
            option = words[at].text
            if option == "-C" and at + 1 < len(words):
                to = words[at + 1]
                folder = None if to.dynamic else checkouts.beside(folder, to.text)
            at += 2 if option in _GIT_VALUE else 1
        if at < len(words) and folder is not None and not words[at].dynamic:
            yield GitCommand(words[at].text, words[at + 1 :], part)


def options(words: Sequence[ShellWord], *names: str) -> Iterator[str]:
    """Values of options, written `--name value` or `--name=value`; none that is dynamic."""
    for at, word in enumerate(words):
        name, is_given, value = word.text.partition("=")
        if name in names and is_given and name.startswith("--"):
            if not word.dynamic:
                yield value
        elif word.text in names and at + 1 < len(words) and not words[at + 1].dynamic:
            yield words[at + 1].text
