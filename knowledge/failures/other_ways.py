"""The same command run another way, with nothing changed between: that ended the error.

Without the program in front of it, or behind another one, in another folder, outside of the
sandbox, in an environment, without an option that the tool does not know, or with a separator that
the shell knows.
"""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import posixpath
import re
from pathlib import PurePosixPath

from cairn.knowledge.dialogue.retries import FOUND_MISSING
from cairn.knowledge.dialogue.tool_calls import Action, ToolStep, unwrapped
from cairn.knowledge.nlp.names import HOME
from cairn.knowledge.nlp.shell.parser import PREFIXES, SHELLS, commands

_ABSENT = re.compile(
    r"(?i)\b(?:not found|no such file|no module named|cannot find|could not (?:find|locate|determine|read)|can't open"
    r"|ENOENT|missing script|no rule to make|no makefile|no targets|not a git repository|no (?:tests?|package\.json|config\w*) (?:were )?found)\b"
)
"""What says that something is not there: in another folder or environment it may be."""

REFUSED_OPTION = re.compile(
    r"(?i)\b(?:unrecogni[sz]ed|unknown|invalid|illegal|unsupported|unexpected|no such) "
    r"(?:(?:command[- ]line )?(?:arguments?|options?|flags?|switch))(?: provided| found)?:?\s*(?:--\s+)?[\"'`‘]?(-{0,2}[A-Za-z][\w-]*)"
)
"""How tools say that they do not know an option."""

_SEPARATOR = re.compile(r"The token '(&&|\|\|)' is not a valid statement separator")
_FOLDER = re.compile(r"^\s*cd\s+([\w./~@+-]+|\"[^\"$]+\"|'[^']+')\s*(?:&&|;)")
_ACTIVATED = re.compile(r"(?:^|[;&\n(]\s*)(?:source|\.)\s+(\S+/activate)\b")
_FARTHEST = 4
"""Words before a program within which another one runs it."""

_SPEAKS_LIST = (
    "which where whereis type hash man whatis apropos help tldr echo printf grep rg find locate ls cat test [ dpkg rpm "
    "brew apt apt-get dnf yum apk pacman choco winget scoop snap"
)
_SPEAKS = frozenset(_SPEAKS_LIST.split())
"""Programs that look for another one, tell of it or install it, and do not run it."""

_SPEAKING = frozenset(
    {"-v", "-V", "install", "add", "list", "info", "show", "search", "help", "which"}
)
"""Words behind a program that make it one of those: `command -v`, `npm install`."""


def other_way(failed: ToolStep, line: str, before: Action, after: ToolStep) -> str | None:
    """How the run that worked differs, in words; None if in nothing that is known.

    Args:
        failed: The run that failed.
        line: Its key line.
        before: Which of its commands that is of.
        after: The next run of it, with nothing changed between.
    """
    if not after.worked:
        return None
    if _escalated(after) and not _escalated(failed) and set(failed.actions) <= set(after.actions):
        return "Ran it outside of the sandbox."
    if bare := next((action for action in after.actions if unwrapped(before, action)), None):
        front, program = before.key.split()[0], bare.key.split()[0]
        if wrapper := _wrapper_of(program, after):
            return f"Ran `{wrapper} {program} …` instead of `{front} {program} …`."
        return f"Ran it without `{front}`."
    separator = _SEPARATOR.search(line)
    if separator and separator[1] not in after.command:
        return f"Ran the commands one by one (`;`), not with `{separator[1]}` between them."
    return _without(failed, line, before, after) or (
        _where(failed, after) if _is_absent(line) else None
    )


def _is_absent(line: str) -> bool:
    return bool(_ABSENT.search(line) or FOUND_MISSING.search(line))


def _escalated(step: ToolStep) -> bool:
    inputs = step.call.input
    return (
        inputs.get("sandbox_permissions") == "require_escalated"
        or inputs.get("with_escalated_permissions") is True
        or inputs.get("dangerouslyDisableSandbox") is True
    )


def _wrapper_of(program: str, step: ToolStep) -> str:
    """What starts a program in a line: `npx`, `uv run`; empty where it stands for itself."""
    found = commands(step.command[:4000])
    via = next((command.via for command in found if command.name == program), ())
    if not via or via[-1] in PREFIXES or via[-1] in SHELLS:
        return ""
    outer = next(command for command in found if command.name == via[-1])
    words = [word.text for word in outer.words]
    return " ".join(words[: words.index(program)] if program in words else words[:1])


def _without(failed: ToolStep, line: str, before: Action, after: ToolStep) -> str | None:
    """The option that a tool does not know, where the next try has it no more."""
    refused = REFUSED_OPTION.search(line)
    if refused is None:
        return None
    bare = refused[1].lstrip("-")
    given = next(
        (word.partition("=")[0] for word in failed.command.split() if _option(word) == bare), None
    )
    left = given and all(_option(word) != bare for word in after.command.split())
    new = [
        word for word in after.command.split() if _SETS.match(word) and word not in failed.command
    ]
    program = " ".join([*new, *_named(before.key)])
    left = left and all(_PLAIN.search(word) for word in new)
    return f"Ran `{program}` without `{given}`." if left else None


_SETS = re.compile(r"[A-Z][A-Z0-9_]*=\S+$")
_PLAIN = re.compile(r"=(?:true|false|yes|no|on|off|none|cat|:|\d{1,3})$")
"""How a variable is set for a command; and a value that is nobody's own."""


def _named(key: str) -> list[str]:
    """Program and subcommand; of a script the program alone."""
    return [word for word in key.split() if "/" not in word and "." not in word] or key.split()[:1]


def _option(word: str) -> str:
    return word.partition("=")[0].lstrip("-") if word.startswith("-") else ""


def _where(failed: ToolStep, after: ToolStep) -> str | None:
    """The folder, the environment or the program in front that the next try has."""
    if not set(failed.actions) <= set(after.actions):
        return None
    active = _ACTIVATED.search(after.command)
    if active and not _ACTIVATED.search(failed.command):
        name = "/".join(PurePosixPath(active[1]).parts[-3:])
        return f"Ran `source {name}` first."
    if front := _in_front(failed, after):
        return front
    there = folder_of(after)
    if there is None or _FOLDER.match(failed.command) or there == folder_of(failed):
        return None
    return f"Ran it in `{there}`." if there else "Ran it in the root of the repository."


def folder_of(step: ToolStep) -> str | None:
    """The folder of the project that a call names, or its line goes to first.

    Empty for the project's root; None if it goes to none, or to one outside.
    """
    went = _FOLDER.match(step.command)
    goes_to = posixpath.join(step.folder or "", went[1].strip("\"'") if went else "")
    if not goes_to:
        return None
    root, folder = map(_plain, (step.call.project or "", goes_to))
    if root and folder == root:
        return ""
    inside = folder.removeprefix(f"{root}/") if root else folder
    return None if inside.startswith(("/", "~", "..")) else inside


def _plain(path: str) -> str:
    return HOME.sub("~", path).replace("\\", "/").rstrip("/")


def _in_front(failed: ToolStep, after: ToolStep) -> str | None:
    """Another program that runs the one that failed: `uv run pytest` for `pytest`."""
    heads = {
        command.words[0].text for command in commands(failed.command[:4000]) if not command.via
    }
    for command in commands(after.command[:4000]):
        words = [word.text for word in command.words]
        at = next((i for i, word in enumerate(words[:_FARTHEST]) if i and word in heads), 0)
        runs = words[0] not in heads | _SPEAKS and _SPEAKING.isdisjoint(words[1:at])
        if at and runs and not any("/" in word for word in words[:at]):
            return f"Ran `{' '.join(words[: at + 1])} …` instead of `{words[at]} …`."
    return None
