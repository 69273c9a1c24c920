"""Whether a command really passed: its status, where the line shows it, and its output together."""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re
from typing import Any, NamedTuple

import re2

from cairn.knowledge.dialogue.errors import WINDOW, failure, unsettled

TELLS_STATUS = frozenset({"claude_code", "codex", "gemini_cli"})
"""Sources that say of each call whether it failed; of others only the output tells."""

_STOPPED = re.compile(
    r"(?i)\b(?:command )?(?:timed out|aborted before completion)|\binterrupted\b|^Exit code 1(?:24|30|37|43)\b"
    r"|\bCommand running in background\b"
)
_STATUS = re.compile(r"(?i)^(?:Exit code:?|.{0,80}exited with code|\"exit_code\":) ?(\d+)")


class Signature(NamedTuple):
    """How the tools of a task say that it went well, and that it did not."""

    passed: tuple[str, ...]
    failed: tuple[str, ...]


SIGNATURES = {
    "test": Signature(
        (
            r"^ok\s+\S+\s+(?:\(cached\)|\d[\d.]*m?s)",  # go test
            r"^PASS$",
            r"^test result: ok\.",  # cargo
            r"^=*\s*\d+ passed\b[^\n]*",  # pytest
            r"^\s*Tests:?\s+(?:\d+ skipped, )?\d+ passed",  # jest, vitest
            r"^\s*\d+ passing\b",  # mocha
            r"\b\d+ (?:tests|examples|runs|doctests?)\b[^\n]{0,60}\b0 failures\b",  # ExUnit, RSpec, minitest
            r"^OK(?: \(.*\))?$",  # unittest, phpunit
            r"^DONE \d+ tests\b",  # gotestsum
            r"^\s*\d+ pass$",  # bun
            r"^Passed!\s",  # dotnet
            r"^BUILD SUCCESS(?:FUL)?\b|^\[INFO\] BUILD SUCCESS",
            r"^100% tests passed",  # ctest
        ),
        (
            r"^--- FAIL:|^FAIL\b|^\s*FAIL\s+\S",
            r"^test result: FAILED",
            r"\b[1-9]\d* (?:failed|failures?|failing|errors? during collection)\b",
            r"^FAILED\b|\bTests? failed\b|\[build failed\]|^=+ (?:FAILURES|ERRORS) =+",
            r"^DONE \d+ tests?, [1-9]\d* fail",
        ),
    ),
    "lint": Signature(
        (
            r"^All checks passed!|^0 issues\.?$|^✔ No ESLint|\bno (?:issues|problems|offenses)(?: were)? (?:found|detected)\b",
            r"\bfound no issues\b|^Success: no issues found|\b0 (?:errors|offenses|problems)\b",
            r"^Checked \d+ files? in [^\n]*No fixes",
            r"\bAll files pass\b|^Your code has been rated at 10\.00",
        ),
        (
            r"^\s*[1-9]\d* (?:issues?|problems?|offenses?|errors?)\b[:. (]|^Found [1-9]\d* (?:errors?|issues?|problems?)",
            r"^✖ [1-9]\d* problems?|^\S+\.\w+:\d+(?::\d+)?:? +(?:error|warning|[A-Z]{1,4}\d{2,4})\b",
            r"^\S+\.\w+:\d+:\d+: .{3,}\(\w+\)$|^##\[error\]|\bfound [1-9]\d* (?:refactoring|warnings?|software design|consistency|code readability)",
            r"\.{2,}Failed$",
        ),
    ),
    "type_check": Signature(
        (
            r"^Success: no issues found|^0 errors, \d+ warnings|\bFound 0 errors\b|^done \(passed successfully\)|\bTotal errors: 0\b",
            r"^All checks passed!",
        ),
        (
            r"^Found [1-9]\d* errors?|^[1-9]\d* errors?\b|\berror TS\d+:|: error: |^done \(warnings were emitted\)|^Total errors: [1-9]",
        ),
    ),
    "build": Signature(
        (
            r"^\s*Finished `?(?:dev|release|test|bench|\[)",  # cargo
            r"^BUILD SUCCESS(?:FUL)?\b|^\[INFO\] BUILD SUCCESS|^Build succeeded\b|✓ built in|✓ Compiled successfully|^webpack [^\n]*compiled successfully",
            r"^Successfully (?:built|tagged) |^Generated \w+ app$|^\*\* BUILD SUCCEEDED",
        ),
        (
            r"(?i)\bcompilation (?:failed|error)|\bbuild failed\b|\bfailed to compile\b|^\*\* BUILD FAILED|could not compile\b",
            r"^error(?:\[\w+\])?: |^\S+\.\w+:\d+:\d+: (?:error|undefined|syntax error|cannot|expected|missing|too many|not enough)\b|\berror TS\d+:|^make(?:\[\d+\])?: \*\*\*",
        ),
    ),
    "format": Signature((), (r"(?i)^error\b[^\n]*(?:pars|format)|\bwould (?:be )?reformat(?:ted)?\b|^\*\* \(Mix\)",)),
    "install": Signature(
        (
            r"^Successfully installed |^added \d+ packages?\b|^up to date\b|^Bundle complete!|^Audited \d+ packages? in|^Resolved \d+ packages? in|^Requirement already satisfied",
            r"^\* Getting \S+|^All dependencies (?:are up to date|have been fetched)",
        ),
        (r"^npm (?:ERR!|error)|^ERROR: |^error: |\bNo matching distribution\b|^E: ",),
    ),
    "commit": Signature(
        (r"^\[[^\]\n]+ [0-9a-f]{7,}\] ", r"^ \d+ files? changed\b"),
        (
            r"^(?:fatal|error): |^nothing to commit|^no changes added|\bnothing added to commit|hook (?:id|exited|failed)|(?i:\bpre-?commit (?:validation|hooks?|checks?) failed)|\.{2,}Failed$|^On branch [^\n]*\n(?:[^\n]*\n)?nothing to commit",
        ),
    ),
    "release": Signature((r"/releases/tag/",), (r"^(?:fatal|error): ",)),
}  # fmt: skip
"""By task; what a script of the project does for the task is told by the same words."""

_QUIETLY = re2.Options()
_QUIETLY.log_errors = False


def _compiled(patterns: tuple[str, ...]) -> Any:
    return (
        re2.compile("(?m)" + "|".join(f"(?:{one})" for one in patterns), _QUIETLY)
        if patterns
        else None
    )


_PASSED = {task: _compiled(one.passed) for task, one in SIGNATURES.items()}
_FAILED = {task: _compiled(one.failed) for task, one in SIGNATURES.items()}
_COMPILED_AT_ALL = _compiled(SIGNATURES["build"].failed)
_BEFORE_LINE = re.compile(r"(?m)\x1b\[[0-9;?]*[A-Za-z]|^\[[\w:.-]{1,40}\] (?!\S+ \d|failed)")
"""Colours, and the name of a target that runners put before each line of it."""

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


def said(task: str | None, output: str, *, alone: bool = True) -> OutputSays:
    """What an output says of a task by the words of its tools.

    Where it is that of one command `alone`, a test that does not compile fails, too.
    """
    if len(output) > 2 * WINDOW:
        output = f"{output[:WINDOW]}\n{output[-WINDOW:]}"
    text = _BEFORE_LINE.sub("", output)
    good, bad = _PASSED.get(task or ""), _FAILED.get(task or "")
    well = bool(good and good.search(text))
    badly = bool(bad and bad.search(text))
    if task == "test" and not well and alone:
        badly = badly or bool(_COMPILED_AT_ALL and _COMPILED_AT_ALL.search(text))
    return OutputSays(well, badly)


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
    by_output = True if says.well and not says.badly and part.shown else None
    if line.failed and not part.silent:
        return False if ends_it or (says.badly and not says.well) else by_output
    by_status = line.tells_status and not part.silent
    if says.badly and not (says.well and by_status):
        return False
    if not by_status:
        return by_output
    return None if line.fails_at_all and not says.well else True
