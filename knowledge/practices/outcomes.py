"""Whether a command really passed: its status, where the line shows it, and its output together."""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re
from typing import Any, NamedTuple

import re2

from cairn.knowledge.dialogue.errors import OF_PACKAGE, WINDOW, failure, unsettled
from cairn.knowledge.practices.outcome_words import BLANK, SIGNATURES

TELLS_STATUS = frozenset({"claude_code", "codex", "gemini_cli"})
"""Sources that say of each call whether it failed; of others only the output tells."""

_STOPPED = re.compile(
    r"(?i)\b(?:command )?(?:timed out|aborted before completion)|\binterrupted\b|^Exit code 1(?:24|30|37|43)\b"
    r"|\bCommand running in background\b"
)
_STATUS = re.compile(r"(?i)^(?:Exit code:?|.{0,80}exited with code|\"exit_code\":) ?(\d+)")


_QUIETLY = re2.Options()
_QUIETLY.log_errors = False


def _compiled(patterns: tuple[str, ...]) -> Any:
    return (
        re2.compile("(?m)" + "|".join(f"(?:{one})" for one in patterns), _QUIETLY)
        if patterns
        else None
    )


_WHOLE = {task: _compiled(one.whole) for task, one in SIGNATURES.items()}
_PASSED = {task: _compiled(one.passed + one.whole) for task, one in SIGNATURES.items()}
_FAILED = {task: _compiled(one.failed) for task, one in SIGNATURES.items()}
_COMPILED_AT_ALL = _compiled(SIGNATURES["build"].failed)
_BEFORE_LINE = re.compile(
    rf"(?m)\x1b\[[0-9;?]*[A-Za-z]|^(?!\[build\])\[[\w:.-]{{1,40}}\] (?!\S+ \d|failed)|^{OF_PACKAGE}"
)
"""Colours, and the name of a target that runners put before each line of it."""

_COUNTED = re.compile(
    r"(?m)^\s*Tasks:\s+(\d+) successful, (\d+) total|^Cached:\s+(\d+) cached, (\d+) total"
)
_RUN_ALL = re.compile(r"(?m)^\W*(?:NX\s+)?Successfully ran targets? |^lerna success run\b")
_NOT_ALL = re.compile(
    r"(?m)^\W*(?:NX\s+)?Ran(?:ning)? targets? [^\n]{1,200} failed|^lerna ERR!|^\s*Failed:\s+\S+#\S+"
)
"""How runners of many packages say of all that they ran whether it went well."""

_BLAMED = re2.compile(
    "(?m)"
    r"^\[([\w:./-]+)\] ERROR task failed"  # mise
    r"|^g?make(?:\[\d+\])?: \*\*\* \[(?:[^\]\n:]*:\d+: )?([\w:./-]+)\] Error"
    r"|^error: [Rr]ecipe `([\w:./-]+)` failed"  # just
    r"|^task: Failed to run task \"([\w:./-]+)\""
    r"|^error: script \"([\w:./-]+)\" exited"  # bun
    r"|^npm (?:ERR!|error) Lifecycle script `([\w:./-]+)` failed"
)
"""How runners of targets say which of them failed."""


class OutputSays(NamedTuple):
    """What an output says of a task: that it went well, that it did not; both or none may be."""

    well: bool
    badly: bool
    wholly: bool = False
    """Whether it says that all went well, the lines that are not shown included."""


def said(task: str | None, output: str, *, alone: bool = True) -> OutputSays:
    """What an output says of a task by the words of its tools.

    Where it is that of one command `alone`, a test that does not compile fails, too.
    """
    if len(output) > 2 * WINDOW:
        output = f"{output[:WINDOW]}\n{output[-WINDOW:]}"
    text = _BEFORE_LINE.sub("", output)
    verdict = _of_all(text)
    if verdict is not None:
        return OutputSays(verdict, not verdict, wholly=verdict)
    good, bad = _PASSED.get(task or ""), _FAILED.get(task or "")
    well = bool(good and good.search(text))
    badly = bool(bad and bad.search(text))
    if task == "test" and not well and alone:
        badly = badly or bool(_COMPILED_AT_ALL and _COMPILED_AT_ALL.search(text))
    whole = _WHOLE.get(task or "")
    return OutputSays(well, badly, wholly=bool(whole and whole.search(text)))


def _of_all(text: str) -> bool | None:
    """What a runner of many packages says of all of them; None if none speaks."""
    if _NOT_ALL.search(text):
        return False
    counts = [(done or cached, of or all_of) for done, of, cached, all_of in _COUNTED.findall(text)]
    told = next(iter(_COUNTED.finditer(text)), None)
    if told is None:
        return True if _RUN_ALL.search(text) else None
    if told[1] is not None:
        return counts[0][0] == counts[0][1]
    # Only what went well is kept in a cache: of less than all nothing is told.
    return True if counts[0][0] == counts[0][1] else None


def no_outcome(output: str) -> bool:
    """Whether a call was refused, stopped, or goes on still."""
    return unsettled(output) or bool(_STOPPED.search(output[:400]))


def broke(is_error: bool, output: str) -> bool:
    """Whether the line ended with a status other than 0."""
    status = _STATUS.match(output)
    return is_error or bool(status and int(status[1]))


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
    says = (
        said(part.task, line.output, alone=alone)
        if of_task
        else OutputSays(well=False, badly=False)
    )
    shown = part.shown or (says.wholly and not part.elsewhere)
    by_output = True if says.well and not says.badly and shown else None
    if part.silent_if_well and not line.failed and BLANK.fullmatch(line.output):
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
