"""Shortcuts are never taught, however well they worked.

Every path that writes a lesson asks whether it is one: of what was run, of what was changed in
files, and of the words of the lesson. Where it is in doubt it is: silence costs less than a bad
lesson. The kinds are in kinds.py; which files are checks, and how tests, commands and settings
weaken them, in the modules of these names.
"""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from cairn.knowledge.dialogue.edits import Edit, edits_of
from cairn.knowledge.dialogue.errors import refused
from cairn.knowledge.dialogue.shortcuts import settings, tests
from cairn.knowledge.dialogue.shortcuts.commands import Weakening, narrowed, weakenings
from cairn.knowledge.dialogue.shortcuts.files import (
    in_checks,
    is_check_config,
    is_config,
    is_exemptions,
    is_expected,
    is_source,
    is_test,
    removed,
    written,
)
from cairn.knowledge.dialogue.shortcuts.kinds import KINDS
from cairn.knowledge.dialogue.shortcuts.tests import LONGEST_LINE, lines_of
from cairn.knowledge.dialogue.tool_calls import ToolStep, shell_command
from cairn.knowledge.dialogue.turns import Turn
from cairn.knowledge.nlp.shell.parser import commands

Patterns = tuple[tuple[str, re.Pattern[str]], ...]
"""Name of a kind of shortcut, and what tells of it. They take 25 ms to compile: at first use."""


@cache
def _run() -> Patterns:
    return tuple((kind.name, re.compile(kind.run, re.MULTILINE)) for kind in KINDS if kind.run)


@cache
def _written() -> Patterns:
    return tuple(
        (kind.name, re.compile(kind.written, re.MULTILINE)) for kind in KINDS if kind.written
    )


@cache
def _said() -> Patterns:
    return tuple((kind.name, re.compile(f"(?i){kind.said}")) for kind in KINDS if kind.said)


_DENIED = re.compile(
    r"(?i)(?:\b(?:never|not|no|nor|avoid|avoids|avoided|avoiding|instead of|rather than|without"
    r"|prevents?|stops? (?:us |you |it )?from|against|forbids?|forbidden|refuses? to|unsafe to"
    r"|dangerous to|bad (?:idea|practice) to|wrong to)|n['’]t)\b(?:\W+[\w`'’-]+){0,4}\W*$"
)
"""What stands before a shortcut that is advised against."""

_DENIED_AFTER = re.compile(
    r"(?i)^[\w`'’]{0,3} (?:(?:in|on|for) [\w ]{1,30} )?(?:(?:is|are|was|were|would be|can be)"
    r" (?:(?:a |an |very )*(?:unsafe|insecure|dangerous|bad|wrong|forbidden|discouraged|risky)"
    r"|(?:not|never) (?:allowed|permitted|acceptable|ok|okay|an option))"
    r"|(?:hides?|masks?|breaks|leaks|exposes)\b)"
)
"""… and behind it."""

_PRINTING = ("echo", "printf")
_SPEAKING = (*_PRINTING, "grep", "rg", "ag")
_MESSAGE_FLAG = re.compile(r"-\w*m|--message")
_SHORT = 3
"""Letters of words that are no message."""

_PROSE_CODE = re.compile(r"`[^`\n]+`")

_TOLD_TESTED = re.compile(
    r"PYTEST_CURRENT_TEST|PYTEST_VERSION|JEST_WORKER_ID|VITEST\b|\bNODE_ENV\b[^\n]{0,20}[\"']test[\"']|[\"'](?:pytest|unittest|nose)[\"']\s+(?:not\s+)?in\s+sys\.modules"
    r"|testing\.Testing\(\)|flag\.Lookup\([\"']test\.|cfg!\(test\)|cfg\(not\(test\)\)|\bRails\.env\.test\?|\b(?:RAILS|RACK|MIX|APP|FLASK|DJANGO)_ENV\b[^\n]{0,20}[\"']?:?test\b"
    r"|import\.meta\.env\.(?:TEST|VITEST)|defined\?\(RSpec\)|\bMix\.env\(?\)?\s*==\s*:test|\bGITHUB_ACTIONS\b|\bos\.(?:environ|getenv)\b[^\n]{0,12}[\"']CI[\"']|process\.env\.CI\b"
    r"|_called_from_test|\bsys\.argv\b[^\n]{0,20}[\"'](?:py)?test|\binspect\.stack\(\)[^\n]{0,40}test"
)
"""Code that asks whether it is being tested."""

_RUST_ASSERTS = re.compile(r"\bassert(?:_\w+)?!\(|#\[test\]")
"""Tests of Rust stand beside what they test."""

_GUARDED = re.compile(
    r"#!?\[(?:deny|forbid)\(|//\s*@ts-check|declare\(strict_types=1\)|#\s*(?:mypy|pyright):\s*strict|^[\"']use strict"
)
_COMMENT = re.compile(r"^(?:#|//|--|/\*|\*|;|\"\"\"|<!--)")
_GROUP_ON = re.compile(r"[)}]\s*(?:\||&?\d?>)|\bdone\s*(?:\||>)")
_GOES_ON = re.compile(
    r"[\"']?\s*(?:\d?>&\d\s*|[12&]?>{1,2}\s*/dev/(?:null|stderr|stdout|tty)\s*)*+(?:&?\d?>|\|&?(?!\|)(?!\s*(?:grep|wc|head|tail|less|more|sort|uniq|cut|rg|cat -)\b[^|>]*(?:[;&]|$)))"
)
"""What is printed goes on into a file, or into a program that does more than show it."""


@lru_cache(maxsize=4_096)
def in_command(line: str, known: frozenset[Weakening] = frozenset()) -> str | None:
    """The kind of shortcut that a command line takes; None if it takes none.

    The message of a commit, and what is only printed or looked for, speak of what is done. `known`
    are options that what failed had, too: they are not what made it pass.
    """
    line = _unspoken(line[:LONGEST_LINE])
    if name := _found(_run(), line) or _found(_written(), line):
        return name
    if any(map(in_checks, removed(line))):
        return "tests_disabled"
    for path in written(line):
        if in_checks(path):
            return "expectation_edited"
        if is_exemptions(path):
            return "check_silenced"
        if is_check_config(path) and (name := settings.weakened(path, "", line)):
            return name
    return min((one.kind for one in weakenings(line) - known), default=None)


def _unspoken(line: str) -> str:
    """A command line without what it only says."""
    grouped = _GROUP_ON.search(line) is not None
    for command in commands(line):
        args = command.args
        spoken = [*args] if command.name in _SPEAKING else []
        if command.name in _PRINTING and args:
            begin = line[: command.words[0].start].rstrip()
            if grouped or begin.endswith(("(", "`")) or _GOES_ON.match(line, args[-1].end):
                spoken = []
        if command.name == "git" and "commit" in (words := [word.text for word in args]):
            flags = zip(words, args[1:], strict=False)
            spoken = [word for flag, word in flags if _MESSAGE_FLAG.fullmatch(flag)]
        for word in spoken:
            if len(word.text) > _SHORT:
                line = f"{line[: word.start]}{'…' * (word.end - word.start)}{line[word.end :]}"
    return line


def in_words(text: str, known: frozenset[Weakening] = frozenset()) -> str | None:
    """The kind of shortcut that a text tells of as done or to be done; None if there is none.

    What it quotes as code is read as a command line. What it advises against is none.
    """
    for name, pattern in _said():
        for match in pattern.finditer(text):
            if not _is_denied(text, *match.span()):
                return name
    for code in _PROSE_CODE.finditer(text):
        quoted = code[0].strip("`")
        if (name := in_command(quoted, known)) and not _is_denied(text, *code.span()):
            return name
    return None


def in_edit(edit: Edit, *, created: bool = False) -> str | None:
    """The kind of shortcut that a change of a file takes; None if it takes none.

    In a test: an assertion, a value or a row of data that goes or turns into another one, a test
    that goes, a way round what it checks, and a test that is written anew where it stood: what it
    expected then is not to be seen any more. In a configuration: what takes from a check.
    """
    before, after = (lines_of(text) for text in (edit.old or "", edit.new))
    added, gone = after - before, before - after
    if name := _found(_written(), "\n".join(line[:LONGEST_LINE] for line in added)):
        return name
    if is_exemptions(edit.path):
        return "check_silenced" if added or edit.old is None else None
    if is_expected(edit.path):
        return "expectation_edited"
    if is_test(edit.path):
        if edit.deleted:
            return "tests_disabled"
        if edit.old is None:
            return None if created else "expectation_edited"
        return tests.weakened(edit.path, edit.old, edit.new)
    if is_config(edit.path):
        if edit.deleted or (edit.old is None and not created and is_check_config(edit.path)):
            return "check_silenced"
        return settings.weakened(edit.path, edit.old or "", edit.new)
    if any(_GUARDED.search(line) for line in gone):
        return "check_silenced"
    if edit.path.endswith(".rs") and any(map(_RUST_ASSERTS.search, gone)):
        return "expectation_edited"
    asks = any(_TOLD_TESTED.search(line[:LONGEST_LINE]) for line in added)
    return "tests_disabled" if asks and is_source(edit.path) else None


def shortcut(steps: Iterable[ToolStep], *texts: str) -> str | None:
    """The first kind of shortcut in some steps, or in what is said of them; None if there is none.

    What was refused or failed changed nothing, and counts all the same where it is named in words.
    A check that passes was not made to by options that it had when it failed; but by a filter that
    it had not, or by a test that was changed after all else.
    """
    failed: list[str] = []
    known: frozenset[Weakening] = frozenset()
    changed = None
    for step in steps:
        told = step.result.text if step.result else ""
        if step.worked is False:
            failed.append(step.command)
            known |= weakenings(step.command)
        if step.worked is False or refused(told):
            continue
        if name := in_call(step.call, told, known):
            return name
        if step.kind == "run" and failed and narrowed(failed, step.command):
            return "tests_disabled"
        changed = _last_changed(step, told, changed)
    return changed or next((name for text in texts if (name := in_words(text, known))), None)


def _last_changed(step: ToolStep, told: str, before: str | None) -> str | None:
    """The shortcut that a changed test would be: none once what it tests is changed after it."""
    for edit, created in edits_of(step.call.input, told):
        old, new = lines_of(edit.old or ""), lines_of(edit.new)
        if is_test(edit.path) and not created and tests.touched(edit.old or "", edit.new):
            before = "expectation_edited"
        elif is_source(edit.path) and any(
            not _COMMENT.match(line) for line in [*(new - old), *(old - new)]
        ):
            before = None
    return before


def in_call(call: Turn, told: str = "", known: frozenset[Weakening] = frozenset()) -> str | None:
    """The kind of shortcut that a call takes: by its command line, or by what it edits.

    `told` is what it returned, which says whether a file was there before.
    """
    line = shell_command(call.input)
    if line and "*** Begin Patch" not in line and (name := in_command(line, known)):
        return name
    found = (in_edit(edit, created=created) for edit, created in edits_of(call.input, told))
    return next((name for name in found if name), None)


def _found(patterns: Patterns, text: str) -> str | None:
    return next((name for name, pattern in patterns if pattern.search(text)), None)


def _is_denied(text: str, start: int, end: int) -> bool:
    """Whether a text advises against what stands there, or says what harm it does."""
    begin = max(text.rfind(mark, 0, start) for mark in (". ", "; ", "\n", "! ")) + 1
    return bool(_DENIED.search(text[begin:start]) or _DENIED_AFTER.match(text[end:]))
