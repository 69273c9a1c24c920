"""A command that failed is tried again: the next run of it, and what was thrown away since."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from cairn.knowledge.dialogue.tool_calls import Action, ToolStep, extended, similar, unwrapped

REACH = 60
"""Steps after a failure in which the next try must come."""

THROWS_AWAY = re.compile(
    r"\bgit\b[^|;&\n]*?\s(?:checkout\s+(?:\S+\s+)?(?:--\s|\.(?:\s|$))|restore\s+(?!--staged\b)|reset\s[^|;&\n]*--hard"
    r"|revert\s)"
)
"""Commands that take back what was changed."""

_NAMES_FILE = re.compile(r"[\w-]+\.[A-Za-z]\w{0,5}\b")

FOUND_MISSING = re.compile(r"(?:^|: )([\w.+-]+): (?:command )?not found|command not found: (\S+)")


def next_try(
    steps: Sequence[ToolStep], index: int, before: Action
) -> tuple[int, Action, bool] | None:
    """The next settled run of a command that failed in the line at `index`.

    Returns:
        Its place, the command as it is run there, and whether that line worked.
    """
    failed = steps[index]
    for at in range(index + 1, min(index + 1 + REACH, len(steps))):
        later = steps[at]
        if later.kind != "run" or later.worked is None:
            continue
        if failed.result and later.call.seq < failed.result.seq:
            continue  # called beside it, and not because it failed
        changed = any(step.kind == "edit" for step in steps[index + 1 : at])
        for after in reversed(later.actions):
            if _again(before, after, failed, changed=changed):
                return at, after, later.worked
    return None


def _again(before: Action, after: Action, failed: ToolStep, *, changed: bool) -> bool:
    if similar(before, after) or unwrapped(before, after):
        return True
    if not changed and extended(before, after):
        return True
    missing = FOUND_MISSING.search(failed.result.text) if failed.result else None
    if missing and (missing[1] or missing[2]) == before.key.split()[0]:
        # Another program given the same words: python3 for python.
        mine, other = set(before.words), set(after.words)
        script = before.key.split()[1:]
        if script and script == after.key.split()[1:]:
            return True
        return bool(mine & other) and len(mine & other) * 2 >= len(mine | other)
    return False


def thrown_away(names: Sequence[str], later: Sequence[ToolStep]) -> bool:
    """Whether what was changed in files of these names was thrown away in a later step."""
    return bool(names) and any(
        step.worked
        and THROWS_AWAY.search(step.command)
        and (not _NAMES_FILE.search(step.command) or any(n in step.command for n in names))
        for step in later
    )


def file_names(edits: Sequence[ToolStep]) -> list[str]:
    """Names of edited files, without their folders, each once, in order."""
    return list(dict.fromkeys(PurePosixPath(file).name for edit in edits for file in edit.files))
