"""What an edit of a test takes away from what the test checks."""

import re
from collections import Counter
from itertools import pairwise

from cairn.knowledge.dialogue.shortcuts.files import is_code

_STILL_RUN = re.compile(r"^(?:(?:const|let|var|val|await|async)\s+|[\w:, ]{1,40}?\s:?=\s)*")
_MODULE = re.compile(r"^(?:import|from|use|using|alias)\s+([\w.:/\\]+)")
_COMMENT = re.compile(r"^(?:#(?!\[)|//(?!\s*go:)|--|\*)")

LONGEST_LINE = 8_000
"""Characters of a line that are looked at: what is longer was not written to be read."""

_ASSERTS = re.compile(
    r"(?i)\bassert\w*\b|expect|\bshould\w*\b|\brefute\b|\bt\.(?:Error|Fatal)|\brequire\.\w+\(|\bEXPECT_|\bCHECK\("
    r"|\bto(?:Be|Equal|Match|Have|Throw)\w*\(|\bwant(?:ed|s)?\w*\b|\bgolden\b|\bmust\w*\b|\bverify\w*\b"
)
_TEST_BEGINS = re.compile(
    r"^\s*(?:async\s+)?(?:def\s+test\w*|(?:it|test|describe|specify)\s*[(.]|test\s+[\"']|func\s+Test\w+|#\[test\]|@Test\b)"
)
_LITERAL = re.compile(
    r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`\n]*`|(?<![\w.])\d[\w.]*|(?i:\b(?:true|false|none|nil|null)\b)"
)
_IMPORT = re.compile(
    r"^(?:import|from|use|using|#include|export\b.*\bfrom|alias|require)\b|\brequire\("
)
_LEAVES = re.compile(
    r"^(?:return\b|try\b|except\b|rescue\b|\}?\s*catch\b|(?:el)?if\b|\}?\s*else\b|unless\b|pass$|continue\b|break\b|raise\b|throw\b"
    r"|(?:sys\.|os\.|process\.)?_?exit\b|/\*|\*/|\"\"\"|'''|=begin|#if\b|<!--|with\s+(?:contextlib\.)?suppress)"
    r"|\braises?\(|\bassert_?raises|toThrow|should_panic|\bflaky\b|\bretries\b|\bassume\w*\(|\bshort\(\)|//\s*go:build|\+build\b"
    r"|\bskip\w*\b\s*[:=]"
)
"""What leaves a test early, or leads round what it checks."""

_PUT_IN_PLACE = re.compile(
    r"(?i)\bmonkeypatch\.(?:setattr|setitem|delattr)|\bmocker\.|\b(?:Magic|Async)?Mock\(|\bmock\.|\bpatch(?:\.\w+)?\(|\.stubs?\(|\bjest\.(?:mock|spyOn|fn)"
    r"|\bvi\.(?:mock|spyOn|fn)|\bsinon\b|\ballow\(|\bitems\b\s*(?:\[[^\]]*\])?\s*=[^=]|\bitems\.(?:clear|remove|pop)"
)
"""What puts something else in the place of what is tested."""

_ASKING = ("if ", "if(", "unless ")
_OPENS = re.compile(r"\b(?:def|func|function|fn|sub|proc|fun|class)\b|=>|\bdo\b|\w\s*=\s*lambda\b")


def weakened(path: str, old: str, new: str) -> str | None:
    """The kind of shortcut that a change of a test is; None if it takes nothing away.

    An assertion, a value or a row of data goes or turns into another one; a test goes; or there is
    a way round what it checks. Lines that are only added, and moved ones, are none. The path is
    that of the test, or of a file with its data.
    """
    before, after = lines_of(old), lines_of(new)
    gone = before - after
    if any(_TEST_BEGINS.match(line) for line in gone) and _begun(before) > _begun(after):
        return "tests_disabled"
    if gone and not is_code(path):
        return "expectation_edited"
    if any(map(_ASSERTS.search, gone)) or _asserting(old) & gone:
        return "expectation_edited"
    if _literals(before) - _literals(after):
        return "expectation_edited"
    return "tests_disabled" if _leaves_early(new, after - before, gone) else None


def touched(old: str, new: str) -> bool:
    """Whether a line of a test goes or turns into another one.

    One that is awaited now, or whose result is kept, is still there; so are comments and what is
    imported from a module that more is imported from.
    """
    before, after = lines_of(old), lines_of(new)
    added = [_STILL_RUN.sub("", line) for line in after - before]
    modules = {module[1] for line in added if (module := _MODULE.match(line))}
    return any(
        _STILL_RUN.sub("", line) not in added
        and not _COMMENT.match(line)
        and not ((module := _MODULE.match(line)) and module[1] in modules)
        for line in before - after
    )


def lines_of(text: str) -> Counter[str]:
    """Lines of a text with how often each stands there, white space aside."""
    return Counter(line for line in map(_plain, text.splitlines()) if line)


def _plain(line: str) -> str:
    return " ".join(line.split())


def _leaves_early(new: str, added: Counter[str], gone: Counter[str]) -> bool:
    """Whether more of a test is left early, or led round, than before; new functions may do so."""
    opened, closed = 0, sum(1 for line in gone.elements() if _OPENS.search(line))
    ways = -sum(1 for line in gone.elements() if _LEAVES.search(line) or _PUT_IN_PLACE.search(line))
    tested = False
    brought = [line for line in map(_plain, new.splitlines()) if line in added]
    for line, following in pairwise([*brought, ""]):
        opened += _OPENS.search(line) is not None
        tested |= opened > closed and _TEST_BEGINS.match(line) is not None
        # A question whose answer is a new assertion is one itself.
        asks = line.startswith(_ASKING) and _ASSERTS.search(following)
        leaves = opened <= closed and _LEAVES.search(line) and not asks
        replaces = not tested and _PUT_IN_PLACE.search(line)
        ways += bool(leaves or replaces) and not _IMPORT.search(line)
    return ways > 0


def _asserting(text: str) -> Counter[str]:
    """Lines within assertions that go over several."""
    found: list[str] = []
    depth = 0
    for line in text.splitlines():
        if depth > 0 or _ASSERTS.search(line):
            found.append(_plain(line))
            depth += sum(line.count(mark) for mark in "([{") - sum(map(line.count, ")]}"))
    return Counter(found)


def _literals(lines: Counter[str]) -> Counter[str]:
    """Values that stand in lines of a test; names of tests and modules are none."""
    found: Counter[str] = Counter()
    for line, count in lines.items():
        if not _IMPORT.search(line) and (not _TEST_BEGINS.match(line) or _ASSERTS.search(line)):
            found.update(_LITERAL.findall(line[:LONGEST_LINE]) * count)
    return found


def _begun(lines: Counter[str]) -> int:
    return sum(count for line, count in lines.items() if _TEST_BEGINS.match(line))
