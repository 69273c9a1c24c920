"""Whether a command really passed: its status, where the line shows it, and its output together."""

from typing import NamedTuple

import re2

from cairn.knowledge.dialogue.errors import RUNNER_FAILURES, WINDOW, failure
from cairn.knowledge.dialogue.outcome_words import BLANK, FETCHED
from cairn.knowledge.dialogue.outputs import OutputSays, broke, no_outcome, printed, said

_BLAMED = re2.compile(f"(?m){'|'.join(RUNNER_FAILURES)}")


class Part(NamedTuple):
    """A command of a line as its outcome needs it."""

    task: str | None
    silent: bool = False
    """Whether the line may end well though it fails: before `;`, `|` or `||`."""
    after_success: bool = False
    """Whether it runs only if the one before it did well."""
    perhaps: bool = False
    """Whether nothing tells that it ran at all."""
    shown: bool = True
    """Whether the end of its output is in that of the line: no `grep`, `head` or file takes it."""
    elsewhere: bool = False
    """Whether its output went to a file, or came while the line had gone on."""
    silent_if_well: bool = False
    """Whether it prints nothing where all is well, and the line would show what it prints."""
    status: int | None = None
    """Its status, where the line prints it."""
    target: str = ""
    """The target or script that it runs, or its program."""
    counts: bool = True
    """Whether it may fail as such: `cd` and `echo` do not."""


def outcomes(
    parts: list[Part], *, is_error: bool, output: str | None, tells_status: bool = True
) -> list[bool | None]:
    """Which commands of a line passed: True, False, or None where nothing tells.

    Args:
        parts: The commands in their order.
        is_error: Whether the source reports an error of the call.
        output: Its output; None where there is none.
        tells_status: Whether the source would report one.
    """
    if output is None or no_outcome(output):
        return [None] * len(parts)
    failed = broke(is_error, output)
    fails_at_all = failed or failure(output)
    blamed = _blamed(output)
    tasks = [part.task for part in parts]
    real = [part for part in parts if part.counts]
    # The status is that of one of these: nothing else ends the line.
    ends = [part for part in real if not part.silent and not part.perhaps]
    found = [
        _one(
            part,
            _LineOutput(output, failed, fails_at_all, tells_status),
            alone=len(real) == 1,
            ends_it=len(ends) == 1 and ends[0] is part,
            of_task=tasks.count(part.task) == 1,
        )
        for part in parts
    ]
    if blamed:
        found = [
            False if part.target in blamed else None if one is False and failed else one
            for part, one in zip(parts, found, strict=True)
        ]
    # What runs only after success ran: so what stands before it went well.
    for at in range(len(parts) - 1, 0, -1):
        ran = found[at] is not None and parts[at].after_success and not parts[at].perhaps
        before = at - 1
        if ran and found[before] is None and not parts[before].silent and not parts[before].perhaps:
            found[before] = True
    # What broke off before a later one would have run leaves that without an outcome.
    for at in range(1, len(parts)):
        if parts[at].after_success and found[at - 1] is False:
            found[at] = None if found[at] is not True else found[at]
    return found


def _blamed(output: str) -> set[str]:
    text = output[:WINDOW] + output[-WINDOW:]
    return {name for match in _BLAMED.finditer(text) for name in match.groups() if name}


class _LineOutput(NamedTuple):
    """What is known of a whole line: its output, and how it ended."""

    output: str
    failed: bool
    fails_at_all: bool
    tells_status: bool


def _one(
    part: Part, line: _LineOutput, *, alone: bool, ends_it: bool, of_task: bool
) -> bool | None:
    if part.perhaps or not part.counts:
        return None
    if part.status is not None:
        return part.status == 0
    if FETCHED.search(line.output) and not line.failed:
        return None
    says = (
        said(part.task, line.output, alone=alone)
        if of_task
        else OutputSays(well=False, badly=False)
    )
    shown = part.shown or (says.wholly and not part.elsewhere)
    by_output = True if says.well and not says.badly and shown else None
    if part.silent_if_well and not line.failed and BLANK.fullmatch(printed(line.output)):
        return True
    if line.failed and not part.silent:
        return False if ends_it or (says.badly and not says.well) else by_output
    by_status = line.tells_status and not part.silent
    if says.badly and not (says.well and by_status):
        return False
    if not by_status:
        last = line.output.rstrip().rsplit("\n", 1)[-1]
        breaks = alone and part.shown and by_output is None and failure(last[:400])
        return False if breaks else by_output
    return None if line.fails_at_all and not says.well else True
