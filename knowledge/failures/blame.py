"""Which command of a line an error is of."""

import re

from cairn.knowledge.dialogue.retries import FOUND_MISSING
from cairn.knowledge.dialogue.tool_calls import Action, ToolStep
from cairn.knowledge.failures.signatures import FailureLine
from cairn.knowledge.failures.tool_families import FAMILIES, WRAPPERS

_SPEAKER = re.compile(r"^([A-Za-z][\w.+-]*)(?:\[\d+\])?: ")
"""How a program puts its name before what it says."""

_PROGRAMS = {family.name: frozenset(family.programs) for family in FAMILIES}
_SPEAK_FOR_THEMSELVES = frozenset(
    program for name, programs in _PROGRAMS.items() if name not in WRAPPERS for program in programs
)


def blamed(failed: ToolStep, error: FailureLine) -> Action:
    """The command that an error names, or whose tool prints such lines.

    Else the last: it is what a line was for. A command whose tool is not known, or that runs
    others, may have printed anything.
    """
    last = failed.actions[-1]
    missing, speaker = FOUND_MISSING.search(error.line), _SPEAKER.match(error.line)
    name = (missing[1] or missing[2]) if missing else speaker[1] if speaker else ""
    named = [action for action in failed.actions if name in action.key.split()]
    if not named and _SPEAK_FOR_THEMSELVES & set(last.key.split()):
        programs = _PROGRAMS.get(error.family, frozenset())
        named = [action for action in failed.actions if programs & set(action.key.split())]
    return named[-1] if named else last
