"""Installs that what followed took back: that one ended with status 0 proves little.

It was not what works here where another manager's install came after it, where its lock file was
removed, where what failed then was well only after another form of the same install, and where the
person objects to its manager.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import PurePosixPath
from typing import NamedTuple, Protocol

from cairn.knowledge.dialogue.tool_calls import ToolStep, similar
from cairn.knowledge.dialogue.turns import Turn
from cairn.knowledge.nlp.shell.parser import commands

FAMILIES = (("npm", "pnpm", "yarn", "bun"), ("uv", "poetry", "pdm", "pipenv"))
"""Managers of which a project has one."""

LANGUAGES = {
    **dict.fromkeys(FAMILIES[0], "JavaScript"), **dict.fromkeys(FAMILIES[1], "Python"),
    "pip": "Python", "conda": "Python", "cargo": "Rust", "bundle": "Ruby", "gem": "Ruby",
    "composer": "PHP", "go": "Go", "mix": "Elixir",
}  # fmt: skip
"""Of what the packages are that a manager manages."""

LOCK_FILES = {
    "package-lock.json": "npm", "npm-shrinkwrap.json": "npm", "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn", "bun.lock": "bun", "bun.lockb": "bun", "uv.lock": "uv",
    "poetry.lock": "poetry", "pdm.lock": "pdm", "Pipfile.lock": "pipenv",
}  # fmt: skip
"""What an install writes, by its manager."""

_FOLDERS = {"node_modules": FAMILIES[0]}
_GLOBAL = frozenset({"-g", "--global", "global", "tool"})
_REMOVES = frozenset({"rm", "trash", "unlink"})
_GIT_REMOVES = frozenset({"rm", "checkout", "restore", "clean"})
_PACKAGE = "<package>"
_BEGINNING = 300
_NO = "(?:not?|don['’]?t|never|stop|why|instead of|rather than)"


class _InstallRun(Protocol):
    @property
    def seq(self) -> int: ...
    @property
    def folder(self) -> str: ...
    @property
    def command(self) -> str: ...
    @property
    def task(self) -> str | None: ...
    @property
    def passed(self) -> bool | None: ...


class _Install(NamedTuple):
    at: int
    """Which of the runs it is."""
    run: _InstallRun
    manager: str


def taken_back(
    runs: Sequence[_InstallRun], steps: Sequence[ToolStep], turns: Sequence[Turn]
) -> dict[int, datetime | None]:
    """Which runs of one conversation were installs that something took back, and when it did."""
    found: dict[int, datetime | None] = {}
    installs = [
        _Install(at, run, manager)
        for at, run in enumerate(runs)
        if run.task == "install" and run.passed is not False and (manager := _manager(run.command))
    ]
    for install in installs:
        later = [other for other in installs if other.run.seq > install.run.seq]
        for at in _against(install, later, steps, turns):
            found.setdefault(install.at, at)
    return found


def _manager(command: str) -> str | None:
    words = command.split()
    known = any(words[0] in family for family in FAMILIES)
    return words[0] if known and not _GLOBAL & set(words) else None


def _against(
    install: _Install, later: Sequence[_Install], steps: Sequence[ToolStep], turns: Sequence[Turn]
) -> Iterator[datetime | None]:
    """When something told that an install was a mistake, as far as something did."""
    manager, seq = install.manager, install.run.seq
    rivals = {name for family in FAMILIES if manager in family for name in family} - {manager}
    ended = {step.call.seq: step.result.occurred_at for step in steps if step.result}
    for other in later:
        if other.manager in rivals and other.run.folder == install.run.folder:
            yield ended.get(other.run.seq)
    last = max((other.run.seq for other in later if other.manager == manager), default=seq)
    for step in steps:
        gone = step.call.seq > seq and step.worked and _removed(step.command)
        if gone and manager in gone and last < step.call.seq:
            yield ended.get(step.call.seq)
    for other in later:
        if other.manager == manager and _other_form(install.run.command, other.run.command):
            mended = _mended(steps, seq, other.run.seq)
            if mended is not None and mended.result:
                yield mended.result.occurred_at
    for turn in turns:
        if turn.seq > seq and turn.kind == "message" and turn.origin == "human":
            if _objects(turn.text[:_BEGINNING], manager, rivals):
                yield turn.occurred_at
            return


def _removed(line: str) -> set[str]:
    """Managers whose lock file or installed packages a command takes away."""
    found: set[str] = set()
    for command in commands(line[:4000]):
        words = [word.text for word in command.args]
        if command.name in _REMOVES or (command.name == "git" and _GIT_REMOVES & set(words[:1])):
            for word in words:
                name = PurePosixPath(word).name
                found |= {LOCK_FILES[name]} if name in LOCK_FILES else set(_FOLDERS.get(name, ()))
    return found


def _other_form(one: str, other: str) -> bool:
    """Whether two installs are the same but for their options; neither adds packages."""
    a, b = one.split(), other.split()
    return a != b and a[:2] == b[:2] and _PACKAGE not in a and _PACKAGE not in b


def _mended(steps: Sequence[ToolStep], first: int, second: int) -> ToolStep | None:
    """What was well after the second of two installs, and failed between them."""
    red = [
        action
        for step in steps
        if first < step.call.seq < second and step.kind == "run" and step.worked is False
        for action in step.actions
    ]
    return next(
        (
            step
            for step in steps
            if step.call.seq > second and step.kind == "run" and step.worked
            if any(similar(before, after) for before in red for after in step.actions)
        ),
        None,
    )


def _objects(text: str, manager: str, rivals: set[str]) -> bool:
    """Whether a person says that a manager is not the one: `not pnpm`, `we use npm`."""
    no = rf"(?i)\b{_NO}\b[^.!?\n]{{0,40}}\b{manager}\b"
    names = "|".join(sorted(rivals))
    yes = rf"(?i)\b(?:use|uses|using|with|on)\s+(?:{names})\b"
    return bool(re.search(no, text) or re.search(yes, text))
