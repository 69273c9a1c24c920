"""Whether the output of a command is a failure, and the one line that says why."""

import re
from typing import NamedTuple

import re2

WINDOW = 20_000
"""Characters at each end of a long output that are read; errors stand at its ends."""

OF_PACKAGE = (
    r"(?:@?[\w.-]{1,60}(?:/[\w.-]{1,60})?:[A-Za-z][\w-]{0,40}(?::[\w-]{1,40}){0,3}: ?"
    r"|@[\w.-]{1,60}/[\w.-]{1,60}: |(?:[\w.@-]{1,60}/){1,6}[\w.@-]{1,60} "
    r"(?!error|warning|note|info|fatal)[a-z][\w:-]{0,40}(?:: |\$ )|[\w.-]{1,60}-\d{1,3} +\| )"
)
"""How runners of many packages begin each line of one: turbo, lerna, pnpm -r, docker compose."""

REFUSED = re.compile(
    r"doesn't want to (?:proceed|take this action)|\btool use was rejected"
    r"|^(?:error: )?the user |^user (?:rejected|denied|declined|cancel(?:l)?ed|refused|chose not)"
    r"|\b(?:rejected|aborted|cancel(?:l)?ed|denied|declined) by (?:the )?user\b"
    r"|\buser (?:denied|rejected|declined|cancel(?:l)?ed)\b|\brequest interrupted"
    r"|\[operation cancel(?:l)?ed\]|^(?:aborted|cancel(?:l)?ed|rejected|denied)\W*$"
    r"|^permission (?:to use|for this) .{0,80}denied|\bhaven't granted it\b"
    r"|\bwas rejected due to unacceptable risk|\bblocked by (?:a |the )?(?:hook|policy|sandbox)\b"
    r"|\bhook (?:error|denied|blocked)\b|\bnot (?:run|executed|applied)\b.{0,40}\buser\b"
)
"""How agents write that a person, or a rule that a person made, did not let a call happen: Claude
Code, Codex, Gemini CLI."""

_REFUSING = (
    "n't want to ", "use was rejected", "by user", "by the user", "user denied", "user rejected",
    "user declined", "user cancel", "request interrupted", "[operation cancel", "n't granted it",
    "unacceptable risk", "blocked by ", "hook error", "hook denied", "hook blocked", "not run",
    "not executed", "not applied",
)  # fmt: skip
_REFUSING_FIRST = (
    "error: the user ", "the user ", "user ", "permission ", "aborted", "cancel", "rejected",
    "denied",
)  # fmt: skip
"""One of these stands in each, or begins it: to look for that takes no time."""

UNSETTLED = re.compile(
    r"Sibling tool call errored|running in (?:the )?background|moved to the background"
    r"|^<tool_use_error>|timed out after \d+"
)
_UNSETTLING = ("Sibling tool", " background", "timed out")

RUNNER_FAILURES = (
    r"^\[([\w:./-]+)\] ERROR task failed",  # mise
    r"^g?make(?:\[\d+\])?: \*\*\* \[(?:[^\]\n:]*:\d+: )?([\w:./-]+)\] Error",
    r"^error: [Rr]ecipe `([\w:./-]+)` failed",  # just
    r"^task: Failed to run task \"([\w:./-]+)\"",
    r"^error: script \"([\w:./-]+)\" exited",  # bun
    r"^npm (?:ERR!|error) Lifecycle script `([\w:./-]+)` failed",
)
"""How runners of targets say which of them failed."""

_FAILURES = (
    r"Traceback \(most recent call last\)",
    r"^[^\n]{0,80}\bcommand not found\b",
    r"\b(?:Exit code:?|exited with code|\"exit_code\":|exit status)\s*[1-9]",
    r"^(?:=+[^\n]*|[^\n]*[,(]\s*|[^\n]*found\s+|[ \t]*)"
    r"\b[1-9]\d* (?:failed|failures?|errors?)\b",
    r"^(?:error|fatal|ERROR)(?:\[\w+\])?:\s",
    r"^npm ERR!|^✘ \[ERROR\]|\bpanicked at\b|^\*\* \(\w",
    r"^(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception):\s",
    r"^FAILED\b|^FAIL:?\s|\bBUILD FAILED\b|\bBuild failed\b",
    r"(?:\bELIFECYCLE\W{1,8}|^error )Command failed\b",  # pnpm, yarn
    *RUNNER_FAILURES,
)
FAILURE = re2.compile(f"(?m){'|'.join(_FAILURES)}")
"""RE2, since every output is searched from end to end: 30 times faster here than `re`."""

_EXCEPTION = (
    r"^(?:E\s{2,}|>\s+)?(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|NotFound|DoesNotExist)"
    r"(?::[^\n]+)?$"
)
KEY_LINES = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        _EXCEPTION,
        r"^[ \t]*\*\* \([\w.]+\)[^\n]+$",
        r"^[^\n]{0,60}\b(?:error|fatal)(?:\[\w+\])?:[ \t][^\n]+$|^(?:✘ \[ERROR\]|npm ERR!)[^\n]+$",
        r"^[^\n]{0,80}(?:command not found|No such file or directory|[Pp]ermission denied)[^\n]*$",
        r"^[^\n]*panicked at[^\n]+$",
        r"^[ \t]*(?:Error|ERROR|Error \d+)\b:?[^\n]+$",
        r"(?i)^[^\n]*\b(?:failed|failure|cannot|could not|unable to|invalid|missing|undefined"
        r"|not found|ignored by|not formatted|unsupported)\b[^\n]*$",
    )
)
"""In order of how much they say."""

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")
_ABSOLUTE = re.compile(r"(?<![\w:/.])(?:~|/)[\w.@+-]+(?:/[\w.@+-]+)+/?")
_SHELL_PLACE = re.compile(r"^(?:\S*sh|\(eval\)|-?bash):(?: line)? ?(?:\d+: )?")
_LEADING = re.compile(r"^(?:E\s{2,}|>\s+|[┃│✘✗×•*\s-]+|\[ERROR\]|npm ERR!|\d+\)\s)+")
_ELIXIR = re.compile(r"^\(([\w.]+)\)\s*")
_PLACE = re.compile(r"^[\w./-]+\.\w{1,5}:\d+(?::\d+)?:?\s*(?:-\s*)?")
_SEVERITY = re.compile(r"^(?:error|fatal|ERROR|Error)(?:\[\w+\])?:\s*(?=\S)")


class KeyLine(NamedTuple):
    """The line that says why: its place in the text (code points), and its words, cleaned."""

    start: int
    end: int
    message: str


def unsettled(text: str) -> bool:
    """Whether a result tells neither success nor failure: refused, or still running."""
    start = text[:2000]
    may_be = start.startswith("<tool_use") or any(word in start for word in _UNSETTLING)
    return refused(text) or (may_be and UNSETTLED.search(start) is not None)


def refused(text: str) -> bool:
    """Whether a result says that the call was not let happen."""
    # Who refuses says so at once, and what a program prints of users stands among more.
    opening = text[:300].lower()
    for word in _REFUSING:  # thrice as fast as `any`, of each output of each stage
        if word in opening:
            break
    else:
        if not opening.startswith(_REFUSING_FIRST):
            return False
    return REFUSED.search(opening) is not None


def failure(text: str) -> bool:
    """Whether an output is a failure by its own words."""
    return any(FAILURE.search(text[start:end]) for start, end in _windows(text))


def key_lines(text: str, most: int = 20) -> list[KeyLine]:
    """The telling lines of a failed output, the most telling first, each message once.

    In the order of KEY_LINES; the exceptions of a traceback from the last.
    """
    found: dict[str, KeyLine] = {}
    for pattern in KEY_LINES:
        matches = [
            match for start, end in _windows(text) for match in pattern.finditer(text, start, end)
        ]
        if pattern is KEY_LINES[0] and "Traceback (most" in text:
            matches.reverse()
        for match in matches[:most]:
            if len(message := clean(match[0])) >= 8:
                found.setdefault(message, KeyLine(match.start(), match.end(), message))
    return list(found.values())[:most]


def clean(line: str) -> str:
    """An error's words without colours, places, folders and marks."""
    line = _CONTROL.sub("", line).replace("\\n", " ")
    line = _LEADING.sub("", line)
    line = _ABSOLUTE.sub(lambda path: path[0].rstrip("/").rsplit("/", 1)[-1], line)
    line = _SHELL_PLACE.sub("", line)
    line = _PLACE.sub("", line)
    line = _SEVERITY.sub("", line)
    line = _ELIXIR.sub(r"\1: ", line)
    return " ".join(line.replace("`", "").split()).rstrip(" .:;")


def _windows(text: str) -> tuple[tuple[int, int], ...]:
    if len(text) <= 2 * WINDOW:
        return ((0, len(text)),)
    return ((0, WINDOW), (len(text) - WINDOW, len(text)))
