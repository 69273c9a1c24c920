"""What an output says of a task: that it went well, that it did not, and how its line ended."""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re
from typing import Any, NamedTuple

import re2

from cairn.knowledge.dialogue.errors import OF_PACKAGE, WINDOW, unsettled
from cairn.knowledge.dialogue.outcome_words import ABSENT, CRASHES, SIGNATURES

TELLS_STATUS = frozenset({"claude_code", "codex", "gemini_cli", "opencode"})
"""Sources that say of each call whether it failed; of others only the output tells."""

_STOPPED = re.compile(
    r"(?i)\b(?:command )?(?:timed out|aborted before completion)|\binterrupted\b|^Exit code 1(?:24|30|37|43)\b"
    r"|\bCommand running in background\b"
)
_HEAD = r"(?:(?:Chunk ID|Wall time|Original token count|Total output lines): [^\n]*\n)*"
_STATUS = re.compile(
    rf"(?i)^{_HEAD}(?:Exit code:?|.{{0,80}}exited with code|\"exit_code\":) ?(-?\d+)"
)
_HEADED = re.compile(
    rf"^{_HEAD}(?:(?:Exit code:|Process exited with code) ?-?\d+\n{_HEAD})?Output:\n?"
)
"""What agents write above the output of a call."""

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
_CRASHES, _ABSENT = _compiled(CRASHES), _compiled(ABSENT)
_COMPILED_AT_ALL = _compiled(SIGNATURES["build"].failed)
_BEFORE_LINE = re.compile(
    rf"(?m)\x1b\[[0-9;?]*[A-Za-z]|^(?!\[build\])\[[\w:.-]{{1,40}}\] (?!\S+ \d|failed)|^{OF_PACKAGE}"
)
"""Colours, and the name of a target that runners put before each line of it."""

_COUNTED = re.compile(
    r"(?m)^[^\S\n]*Tasks:\s+(\d+) successful, (\d+) total|^Cached:\s+(\d+) cached, (\d+) total"
)
_RUN_ALL = re.compile(r"(?m)^[^\w\n]*(?:NX\s+)?Successfully ran targets? |^lerna success run\b")
_NOT_ALL = re.compile(
    r"(?m)^[^\w\n]*(?:NX\s+)?Ran(?:ning)? targets? [^\n]{1,200} failed|^lerna ERR!|^[^\S\n]*Failed:\s+\S+#\S+"
)
"""How runners of many packages say of all that they ran whether it went well."""


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
    badly = badly or bool(_CRASHES.search(text)) or (not well and bool(_ABSENT.search(text)))
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
    return is_error or bool(status(output))


def status(output: str) -> int | None:
    """The status with which a line ended, where the agent writes it above the output."""
    found = _STATUS.match(output[:1000])
    return int(found[1]) if found else None


def printed(output: str) -> str:
    """An output without what agents write above it."""
    return _HEADED.sub("", output, count=1)


def went_well(line: str, output: str, *, tells_status: bool) -> bool:
    """Whether a line that its source does not call an error went well, whatever it printed.

    Its status is that of all its commands, and is known; or the last of what it printed says that
    all tests passed. What it prints of errors is then about them: of a test that expects one.
    """
    code = status(output)
    bare = _REDIRECTS.sub(" ", _QUOTED.sub("q", line.strip()))
    if not _HIDES_STATUS.search(bare) and (code == 0 or (code is None and tells_status)):
        return True
    says = said("test", output)
    return says.wholly and not says.badly


_QUOTED = re2.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"")
_REDIRECTS = re.compile(r"\d?>&\d|&>>?\s*\S+")
_HIDES_STATUS = re.compile(r"[|;\n`]|(?<!&)&(?!&)|\$\(")
