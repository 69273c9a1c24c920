"""Shortcuts are never taught, however well they worked.

Every path that writes a lesson asks whether it is one: of what was run, of what was changed in
files, and of the words of the lesson. Where it is in doubt it is: silence costs less than a bad
lesson. The kinds are in knowledge/dialogue/shortcut_kinds.py.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from knowledge.dialogue.errors import refused
from knowledge.dialogue.shortcut_kinds import KINDS
from knowledge.dialogue.tool_calls import NEW_TEXT, OLD_TEXT, PATH_INPUTS, Step, shell_command
from knowledge.dialogue.turns import Turn
from knowledge.nlp.shell.parser import commands

LONGEST_LINE = 8_000
"""Characters of a line that are looked at: what is longer was not written to be read."""

_RUN = tuple((kind.name, re.compile(kind.run, re.MULTILINE)) for kind in KINDS if kind.run)
_WRITTEN = tuple(
    (kind.name, re.compile(kind.written, re.MULTILINE)) for kind in KINDS if kind.written
)
_SAID = tuple((kind.name, re.compile(f"(?i){kind.said}")) for kind in KINDS if kind.said)

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

_SPEAKING = ("echo", "printf", "grep", "rg", "ag")
_MESSAGE_FLAG = re.compile(r"-\w*m|--message")
_SHORT = 3
"""Letters of words that are no message."""

_PROSE_CODE = re.compile(r"`[^`\n]+`")

_TEST_PATH = re.compile(
    r"(?i)(?:^|/)(?:tests?|specs?|__tests__|testing|e2e)/|(?:^|/)test_[^/]*$|[._-](?:test|tests|spec|specs)\.\w+$"
    r"|(?:^|/)conftest\.py$|[a-z]Tests?\.(?:java|kt|cs|swift)$"
)
_EXPECTED_PATH = re.compile(
    r"(?i)__snapshots__|\.snap(?:\.\w+)?$|(?:^|/)(?:goldens?|expected|snapshots?|baselines?)/|\.(?:golden|approved|expected)\b"
)
_ASSERTS = re.compile(
    r"(?i)\bassert\w*\b|\bexpect\w*\b|\bshould\b|\brefute\b|\bt\.(?:Error|Fatal)|\brequire\.\w+\(|\bEXPECT_|\bCHECK\("
    r"|\bto(?:Be|Equal|Match|Have|Throw)\w*\("
)
_TEST_BEGINS = re.compile(
    r"^\s*(?:async\s+)?(?:def\s+test\w*|(?:it|test|describe|specify)\s*[(.]|test\s+[\"']|func\s+Test\w+|#\[test\]|@Test\b)"
)
_WHOLE_TEXT = ("content", "file_text", "contents", "new_source")
_CREATED = re.compile(r"(?i)\bcreated\b|\bnew file\b")
_PATCH_FILE = re.compile(r"^\*\*\* (Update|Add|Delete) File: (.+)$")


class Edit(NamedTuple):
    """A change of a file: what it takes out and what it brings in; `old` is None if unknown."""

    path: str
    old: str | None
    new: str
    deleted: bool = False


@lru_cache(maxsize=4_096)
def in_command(line: str) -> str | None:
    """The kind of shortcut that a command line takes; None if it takes none.

    The message of a commit, and what is printed or looked for, only speak of what is done.
    """
    line = line[:LONGEST_LINE]
    for command in commands(line):
        words = [word.text for word in command.args]
        spoken = words if command.name in _SPEAKING else []
        if command.name == "git" and "commit" in words:
            spoken = [word for flag, word in pairwise(words) if _MESSAGE_FLAG.fullmatch(flag)]
        for word in spoken:
            if len(word) > _SHORT:
                line = line.replace(word, "…")
    return _found(_RUN, line) or _found(_WRITTEN, line)


def in_words(text: str) -> str | None:
    """The kind of shortcut that a text tells of as done or to be done; None if there is none.

    What it quotes as code is read as a command line. What it advises against is none.
    """
    for name, pattern in _SAID:
        for match in pattern.finditer(text):
            if not _is_denied(text, *match.span()):
                return name
    for code in _PROSE_CODE.finditer(text):
        quoted = code[0].strip("`")
        if (name := in_command(quoted)) and not _is_denied(text, *code.span()):
            return name
    return None


def in_edit(edit: Edit, *, created: bool = False) -> str | None:
    """The kind of shortcut that a change of a file takes; None if it takes none.

    In a test, an assertion that goes or turns into another one, a test that goes, and a test that
    is written anew where it stood: what it expected then is not to be seen any more.

    Args:
        edit: The change.
        created: Whether the file was not there before.
    """
    before, after = (_lines(text) for text in (edit.old or "", edit.new))
    if name := _found(_WRITTEN, "\n".join(line[:LONGEST_LINE] for line in after - before)):
        return name
    if _EXPECTED_PATH.search(edit.path):
        return "expectation_edited"
    if not _TEST_PATH.search(edit.path):
        return None
    if edit.deleted:
        return "tests_disabled"
    if edit.old is None:
        return None if created else "expectation_edited"
    gone = before - after
    if any(_TEST_BEGINS.match(line) for line in gone) and _begun(before) > _begun(after):
        return "tests_disabled"
    return "expectation_edited" if any(map(_ASSERTS.search, gone)) else None


def shortcut(steps: Iterable[Step], *texts: str) -> str | None:
    """The first kind of shortcut in some steps, or in what is said of them; None if there is none.

    What was refused or failed changed nothing, and counts all the same where it is named in words.
    """
    for step in steps:
        told = step.result.text if step.result else ""
        if step.worked is not False and not refused(told) and (name := in_call(step.call, told)):
            return name
    return next((name for text in texts if (name := in_words(text))), None)


def in_call(call: Turn, told: str = "") -> str | None:
    """The kind of shortcut that a call takes: by its command line, or by what it edits.

    Args:
        call: A call of a tool.
        told: What it returned, which says whether a file was there before.
    """
    inputs = call.input
    line = shell_command(inputs)
    patch = next((text for text in (line, *_texts(inputs, ("patch", "input")))
                  if "*** Begin Patch" in text), "")  # fmt: skip
    if line and not patch and (name := in_command(line)):
        return name
    new = _CREATED.search(told[:200]) is not None or "*** Add File" in patch
    edits = _edits(inputs, patch)
    return next((name for edit in edits if (name := in_edit(edit, created=new))), None)


def _edits(inputs: dict[str, Any], patch: str) -> Iterator[Edit]:
    path = next(iter(_texts(inputs, PATH_INPUTS)), "")
    if patch:
        yield from _patched(patch)
        return
    edits = inputs.get("edits")
    for pair in edits if isinstance(edits, list) else [inputs]:
        if isinstance(pair, dict):
            new = next(iter(_texts(pair, NEW_TEXT)), None)
            if new is not None:
                yield Edit(path, next(iter(_texts(pair, OLD_TEXT)), ""), new)
    for text in _texts(inputs, _WHOLE_TEXT):
        yield Edit(path, None, text)


def _patched(patch: str) -> Iterator[Edit]:
    """Changes in the format of apply_patch."""
    path, kind = "", ""
    old: list[str] = []
    new: list[str] = []
    for line in [*patch.splitlines(), "*** End Patch"]:
        if line.startswith("*** "):
            if path and (old or new or kind == "Delete"):
                before = None if kind == "Add" else "\n".join(old)
                yield Edit(path, before, "\n".join(new), deleted=kind == "Delete")
            found = _PATCH_FILE.match(line)
            kind, path = (found[1], found[2].strip()) if found else ("", "")
            old, new = [], []
        elif line.startswith("-"):
            old.append(line[1:])
        elif line.startswith("+"):
            new.append(line[1:])


def _texts(inputs: dict[str, Any], names: Sequence[str]) -> list[str]:
    return [str(inputs[name]) for name in names if isinstance(inputs.get(name), str)]


def _lines(text: str) -> Counter[str]:
    stripped = (" ".join(line.split()) for line in text.splitlines())
    return Counter(line for line in stripped if line)


def _begun(lines: Counter[str]) -> int:
    return sum(count for line, count in lines.items() if _TEST_BEGINS.match(line))


def _found(patterns: Iterable[tuple[str, re.Pattern[str]]], text: str) -> str | None:
    return next((name for name, pattern in patterns if pattern.search(text)), None)


def _is_denied(text: str, start: int, end: int) -> bool:
    """Whether a text advises against what stands there, or says what harm it does."""
    begin = max(text.rfind(mark, 0, start) for mark in (". ", "; ", "\n", "! ")) + 1
    return bool(_DENIED.search(text[begin:start]) or _DENIED_AFTER.match(text[end:]))
