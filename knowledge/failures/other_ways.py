"""The same command run another way, with nothing changed between: that ended the error.

Without the program in front of it, or behind another one, in another folder, outside of the
sandbox, in an environment, or without an option that the tool does not know.
"""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re
from pathlib import PurePosixPath

from cairn.knowledge.dialogue.retries import FOUND_MISSING
from cairn.knowledge.dialogue.tool_calls import ToolStep, unwrapped
from cairn.knowledge.nlp.shell.parser import commands

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

_FOLDER = re.compile(r"^\s*cd\s+([\w./~@+-]+|\"[^\"$]+\"|'[^']+')\s*&&")
_ACTIVATED = re.compile(r"(?:^|[;&\n(]\s*)(?:source|\.)\s+(\S+/activate)\b")
_FARTHEST = 4
"""Words before a program within which another one runs it."""


def other_way(failed: ToolStep, line: str, after: ToolStep) -> str | None:
    """How the run that worked differs, in words; None if in nothing that is known.

    Args:
        failed: The run that failed.
        line: Its key line.
        after: The next run of it, with nothing changed between.
    """
    if not after.worked:
        return None
    if _escalated(after) and not _escalated(failed) and set(failed.actions) <= set(after.actions):
        return "Ran it outside of the sandbox."
    before = failed.actions[-1]
    if any(unwrapped(before, action) for action in after.actions):
        return f"Ran it without `{before.key.split()[0]}`."
    return _without(failed, line, after) or (_where(failed, after) if _is_absent(line) else None)


def _is_absent(line: str) -> bool:
    return bool(_ABSENT.search(line) or FOUND_MISSING.search(line))


def _escalated(step: ToolStep) -> bool:
    inputs = step.call.input
    return (
        inputs.get("sandbox_permissions") == "require_escalated"
        or inputs.get("with_escalated_permissions") is True
        or inputs.get("dangerouslyDisableSandbox") is True
    )


def _without(failed: ToolStep, line: str, after: ToolStep) -> str | None:
    """The option that a tool does not know, where the next try has it no more."""
    refused = REFUSED_OPTION.search(line)
    if refused is None:
        return None
    bare = refused[1].lstrip("-")
    given = next(
        (word.partition("=")[0] for word in failed.command.split() if _option(word) == bare), None
    )
    left = given and all(_option(word) != bare for word in after.command.split())
    program = " ".join(_named(failed.actions[-1].key))
    return f"Ran `{program}` without `{given}`." if left else None


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
    there = _FOLDER.match(after.command)
    if there and _FOLDER.match(failed.command) is None:
        folder = there[1].strip("\"'")
        root = (failed.call.project or "").rstrip("/")
        inside = folder[len(root) + 1 :] if root and folder.startswith(f"{root}/") else folder
        if root and folder.rstrip("/") == root:
            return "Ran it in the root of the repository."
        return None if inside.startswith(("/", "~", "..")) else f"Ran it in `{inside}`."
    return None


def _in_front(failed: ToolStep, after: ToolStep) -> str | None:
    """Another program that runs the one that failed: `uv run pytest` for `pytest`."""
    heads = {
        command.words[0].text for command in commands(failed.command[:4000]) if not command.via
    }
    for command in commands(after.command[:4000]):
        words = [word.text for word in command.words]
        at = next((i for i, word in enumerate(words[:_FARTHEST]) if i and word in heads), 0)
        if at and words[0] not in heads and not any("/" in word for word in words[:at]):
            return f"Ran `{' '.join(words[: at + 1])} …` instead of `{words[at]} …`."
    return None
