"""How calls ended that went on in the background: later calls and notices tell it by their id."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from cairn.knowledge.dialogue.errors import failure
from cairn.knowledge.dialogue.tool_calls import ToolStep

ID_INPUTS = ("task_id", "bash_id", "shell_id", "session_id")
"""How a later call names what it asks about."""

NOTICE = "<task-notification>"
"""How a message begins in which an agent's program tells that something has ended."""

_STARTED = re.compile(
    r"\bbackground(?:ed)?\b[^\n]{0,40}?\bID: ?(\w+)|^Process running with session ID (\d+)",
    re.MULTILINE,
)
_STATUS = re.compile(r"<status>(\w+)</status>")
_EXIT = re.compile(
    r"<exit_code>(-?\d+)</exit_code>|^Process exited with code (-?\d+)", re.MULTILINE
)
_PRINTED = re.compile(r"<(output|stdout|stderr)>\n?(.*?)\n?</\1>", re.DOTALL)
_TOLD_ID = re.compile(r"<task-id>(\w+)</task-id>")
_TOLD_EXIT = re.compile(r"exit code (-?\d+)\)?\s*</summary>")
_ENDED = frozenset({"completed", "failed"})


class BackgroundEnd(NamedTuple):
    """How what ran in the background ended: its status, what it printed, and when that was told."""

    status: int
    output: str
    at: datetime | None


def goes_on(text: str) -> bool:
    """Whether a result says that what was run still runs."""
    return _started(text) is not None


def _started(text: str) -> re.Match[str] | None:
    """Where a result names what was left running."""
    opening = text[:2000]
    # To look for a word takes no time beside a search of every output of every stage.
    named = "background" in opening or "with session ID" in opening
    return _STARTED.search(opening) if named else None


def told_ends(texts: Iterable[tuple[str, datetime | None]]) -> dict[str, BackgroundEnd]:
    """Ends by the id of what ran, as notices tell them: texts with their times, in order."""
    found: dict[str, BackgroundEnd] = {}
    for text, at in texts:
        named, left = _TOLD_ID.search(text[:2000]), _TOLD_EXIT.search(text[:20_000])
        if text.startswith(NOTICE) and named and left:
            found.setdefault(named[1], BackgroundEnd(int(left[1]), "", at))
    return found


def settled(steps: Sequence[ToolStep]) -> list[ToolStep]:
    """Steps of one conversation; one that went on has the result of the call that saw it end.

    Until then nobody knows whether it worked.
    """
    begun: dict[str, int] = {}
    found = list(steps)
    for place, step in enumerate(steps):
        if step.result is None:
            continue
        text = step.result.text
        asked = _asked(step)
        if not asked and (started := _started(text)):
            begun[started[1] or started[2]] = place
            found[place] = replace(step, worked=None)
        elif asked in begun and _ended(text):
            at = begun.pop(asked)
            worked = not (step.result.is_error or failure(text))
            found[at] = replace(found[at], result=step.result, worked=worked)
    return found


def _asked(step: ToolStep) -> str:
    """The id of what a call asks about that went on; empty if about none."""
    inputs = step.call.input
    return next((str(inputs[name]) for name in ID_INPUTS if inputs.get(name)), "")


def _ended(text: str) -> re.Match[str] | None:
    """The exit status that a result tells of what has ended."""
    left, status = _EXIT.search(text), _STATUS.search(text[:2000])
    return left if left and (status is None or status[1] in _ENDED) else None


def ends(steps: Sequence[ToolStep], told: Mapping[str, BackgroundEnd]) -> dict[str, BackgroundEnd]:
    """How calls of one conversation ended that did not wait, by the record of the call.

    `told` is what notices tell, by id.
    """
    begun: dict[str, str] = {}
    printed: defaultdict[str, list[str]] = defaultdict(list)
    found: dict[str, BackgroundEnd] = {}
    for step in steps:
        if step.result is None:
            continue
        text = step.result.text
        asked = _asked(step)
        if not asked and (started := _started(text)):
            begun[started[1] or started[2]] = step.call.record_id
        elif call := begun.get(asked):
            parts = [part for _, part in _PRINTED.findall(text)]
            printed[call] += parts or [text]
            left = _ended(text)
            if left and call not in found:
                code = int(left[1] or left[2])
                found[call] = BackgroundEnd(code, "\n".join(printed[call]), step.result.occurred_at)
    for named, call in begun.items():
        if call not in found and named in told:
            found[call] = told[named]._replace(output="\n".join(printed[call]))
    return found
