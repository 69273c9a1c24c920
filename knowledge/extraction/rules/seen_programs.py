"""Programs as tools: of those that a command line names, the ones that were seen to be programs.

The first word of a command need be none: prose, code or a patch may stand where a command is
expected, and much of it reads as one. So a program is a tool if it is known to be one, or if the
line was read without an error, nothing before the program can have kept it from running, and the
result does not say otherwise.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache

from cairn.knowledge.extraction.rules.rule import Record, RuleMatch, ShellInput, command_line
from cairn.knowledge.nlp.shell.order import Runs
from cairn.knowledge.nlp.shell.parser import Command, functions
from cairn.knowledge.nlp.shell.programs import BUILTINS, EVERYDAY, KNOWN
from cairn.knowledge.schema.policy import Policy

_PROGRAM = re.compile(r"[a-z][a-z0-9_.+-]{1,30}")
_SCRIPT = re.compile(r"\.(?:sh|py|pl|rb|js|ts|exs?|bash|zsh|ps1|bat|cmd|out|bin)$")
_FOLDERS = re.compile(
    r"(?:/(?:usr/(?:local/)?)?s?bin|/opt/homebrew/bin|.*/\.venv/bin|~/\.local/bin)/"
)
_ASSIGNING = frozenset({"=", "+=", "-=", "==", ":="})
"""What follows a name in code that is not a shell's."""

_MISSING = re.compile(
    r"(?:^|[\s:'\"`/(])(?P<before>[\w.+-]+)['\"`]?:\ (?:command\ )?not\ found(?!:)"
    r"|(?:command\ not\ found|(?i:unknown\ command)):?\ ['\"`]?(?P<behind>[\w.+-]+)"
    r"|(?:^|\s|')(?P<windows>[\w.+-]+)['\"]?\ (?:is\ not\ recognized\ as|:\ The\ term\ ')"
    r"|(?P<path>[\w.+-]+):\ (?:No\ such\ file\ or\ directory|[Pp]ermission\ denied|cannot\ execute)"
    r"|exec:\ \"(?P<exec>[\w.+-]+)\":\ executable\ file\ not\ found",
    re.VERBOSE | re.MULTILINE,
)
"""What shells say of a program that they do not find, or may not run."""

_SAID_OF_PROGRAMS = (
    "not found", "is not recognized as", ": The term '", "No such file or directory",
    "ermission denied", "cannot execute",
)  # fmt: skip
_UNKNOWN = re.compile(r"(?i:unknown\ command)")
"""What stands in each of these."""

_NOT_FOUND_STATUS = re.compile(
    r"(?i)(?:exit(?:ed)?(?:\s+(?:with|code|status))*|returned|code)\s*[:=]?\s*12[67]\b"
)
_NOT_RUN = re.compile(
    r"doesn't want to proceed|tool use was rejected|[Rr]equest interrupted by user"
    r"|^<tool_use_error>|^Error: The user|(?i:permission to use \w+ has been denied)"
    r"|(?i:\brejected by (?:the )?user)|(?i:\brejected: blocked by policy)"
    r"|^(?:Wall time: [\d.]+ seconds\s+)?(?i:aborted)(?: by user)?(?: after [\d.]+ ?s)?[.\s]*\Z"
)
"""What an agent is told when nothing ran, or nobody knows how far it came."""

_FAILED = re.compile(r"(?i)\bexit(?:ed)?(?:\s+(?:with|code|status))+\s*[:=]?\s*-?[1-9]")
_STEADY = frozenset(
    {"cd", "pushd", "export", "set", "source", ".", "echo", "printf", "mkdir", "true", "unset"}
)
"""What hardly ever fails, and says so when it does: what stands behind it and `&&` ran."""

_STOPPED = re.compile(
    r"(?im)(?:^|[\s:/])(?:cd|pushd|mkdir|export|source|activate|\.)(?::\d+)?: .*"
    r"(?:no such|not a |denied|cannot|can't|not valid|too many)"
)
"""How these say that they failed."""

_TEST = re.compile(r"(?:^|[\s;&|(])(?:\[\[?\s|\(\(|!\s)")
"""What may fail without a word, and is no command."""

_LEAVING = frozenset({"exit", "return", "break", "continue"})

_ENDS = 4_000
"""Characters at each end of a result in which a shell's own words are looked for."""


def programs(records: Sequence[Record], _: Policy) -> Iterator[RuleMatch]:
    """Programs that the commands of a conversation run, as their results bear them out."""
    told = _results(records)
    for index, record in enumerate(records):
        line = command_line(record) if record.kind == "tool_call" else None
        if line is None:
            continue
        result = told.get(index)
        own = frozenset[str]().union(*map(functions, line.words or (line.text,)))
        for command, ran in _reached(line, result):
            if _named(command, own) and _seen(command, line, result, ran=ran):
                word = command.words[0]
                start = max(word.start, word.end - len(command.name))
                yield line.found(command.name, start, word.end)._replace(record=index)


def _reached(line: ShellInput, result: Record | None) -> Iterator[tuple[Command, bool]]:
    """The commands of a line, and whether each must have run when the line did."""
    ends = _ends(result.text) if result else ""
    said = _FAILED.search(ends[:400]) or _FAILED.search(ends[-400:])
    stopped = _STOPPED.search(ends) is not None
    failed = stopped or said is not None or (result is not None and result.is_error)
    left, steady = False, not stopped
    for command in line.commands:
        on_the_way = steady and _TEST.search(line.text, 0, command.words[0].start) is None
        match command.runs:
            case Runs.SURELY:
                ran = True
            case Runs.AFTER_SUCCESS:
                ran = on_the_way or not failed
            case Runs.AFTER_ANOTHER:
                ran = on_the_way
            case Runs.PERHAPS:
                ran = False
        yield command, ran and not left
        steady &= command.name in _STEADY
        left |= command.name in _LEAVING and command.runs is not Runs.SURELY


def _results(records: Sequence[Record]) -> dict[int, Record]:
    """Place of each call that has a result → that result.

    A result answers the oldest open call of its id, or of those without one.
    """
    waiting: defaultdict[str | None, list[int]] = defaultdict(list)
    told: dict[int, Record] = {}
    for index, record in enumerate(records):
        if record.kind == "tool_call":
            waiting[record.call_id].append(index)
        elif waiting[record.call_id]:
            told[waiting[record.call_id].pop(0)] = record
    return told


def _named(command: Command, own: frozenset[str]) -> bool:
    """Whether the first word of a command may be the name of a program worth keeping."""
    word = command.words[0]
    return (
        command.name not in EVERYDAY | BUILTINS | own
        and not word.dynamic
        and ("/" not in word.text or _FOLDERS.match(word.text) is not None)
        and _PROGRAM.fullmatch(command.name) is not None
        and _SCRIPT.search(command.name) is None
        and not (command.args and command.args[0].text in _ASSIGNING)
    )


def _seen(command: Command, line: ShellInput, result: Record | None, *, ran: bool) -> bool:
    """Whether a program was seen to be one; `ran` says that nothing kept it from running."""
    if command.doubtful:
        return False
    known = command.name in KNOWN
    if result is None or _NOT_RUN.search(result.text[:_ENDS]):
        return known
    ends = _ends(result.text)
    missing = _missing(ends)
    if command.name in missing:
        return False
    if not missing and _NOT_FOUND_STATUS.search(ends[:400]):
        return len(line.commands) > 1 and known
    return known or (ran and not line.unreadable)


@lru_cache(8)  # each command of a line asks about the same result
def _missing(ends: str) -> frozenset[str]:
    """Programs that a shell says that it does not find, or may not run."""
    if not (any(said in ends for said in _SAID_OF_PROGRAMS) or _UNKNOWN.search(ends)):
        return frozenset()
    return frozenset(name for found in _MISSING.finditer(ends) for name in found.groups() if name)


def _ends(text: str) -> str:
    return text if len(text) <= 2 * _ENDS else text[:_ENDS] + "\n" + text[-_ENDS:]
