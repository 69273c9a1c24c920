"""Names that an error, a change and a sentence may share."""

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from cairn.knowledge.dialogue.edits import edits_of
from cairn.knowledge.dialogue.shortcuts.tests import lines_of
from cairn.knowledge.dialogue.tool_calls import ToolStep
from cairn.knowledge.nlp.text import STOP_WORDS

AROUND = 3
"""Lines before and behind a key line that belong to the same error."""

_LONGEST = 20_000
_NAME = re.compile(r"[A-Za-z_][\w-]{1,80}")
_FILE = re.compile(r"(?<![\w.])((?:[\w.@+~-]{1,80}/){0,12}[\w@+~-]{1,80}\.[a-z]\w{0,5})\b")
_CODE = re.compile(r"_|-|\d|[a-z][A-Z]|^[A-Z][a-z]+[A-Z]")
_QUOTED = re.compile(r"[`'\"‘“]([^`'\"’”\n]{2,80})[`'\"’”]")
_TEST = re.compile(r"^(?:test_|tests?$)|(?:_test|_spec|\.test|\.spec|Test|Spec)$")
_COMMON_LIST = (
    "error errors exception failed failure fail true false none null nil test tests self "
    "args kwargs string number object undefined function module import line file stdin "
    "stdout stderr python node cmd main src lib app index init setup utf-8 exit-code "
    "runtimeerror typeerror valueerror assertionerror keyerror attributeerror importerror "
    "modulenotfounderror referenceerror syntaxerror nameerror oserror filenotfounderror "
    "indexerror compileerror argumenterror pre-commit non-zero up-to-date bad-request usr "
    "bin home users tmp var etc"
)
_COMMON = frozenset(_COMMON_LIST.split())
"""Names that too many errors have."""


def names_in(text: str) -> set[str]:
    """Names of code, of files (without folder and suffix) and of what is quoted, folded."""
    text = text[:_LONGEST]
    found = {name for name in _NAME.findall(text) if _CODE.search(name)}
    for quoted in _QUOTED.findall(text):
        found.update(name for name in _NAME.findall(quoted) if len(name) > 2)
    for path in _FILE.findall(text):
        found.update(_of_file(path))
    return _kept(found)


def _of_file(path: str) -> set[str]:
    name = PurePosixPath(path).name
    stem = name.split(".", 1)[0]
    return {name, _TEST.sub("", _TEST.sub("", name.rsplit(".", 1)[0])), stem}


def _kept(names: Iterable[str]) -> set[str]:
    folded = {name.casefold().strip("-_") for name in names}
    return {
        name for name in folded if len(name) > 2 and name not in _COMMON and name not in STOP_WORDS
    }


def of_error(output: str, at: int, line: str) -> set[str]:
    """Names of an error: of its key line, of the lines around it, and of the files in these."""
    lines = output.replace("\\n", "\n").splitlines()
    near = lines[max(at - AROUND, 0) : at + AROUND + 1] if at >= 0 else []
    return names_in("\n".join([line, *(each[:400] for each in near)]))


def of_change(step: ToolStep) -> set[str]:
    """Names of a change: of the files of an edit and of the lines that differ, or of a command."""
    if step.kind != "edit":
        return _kept(_NAME.findall(step.command[:2000]))
    told = step.result.text if step.result else ""
    found: set[str] = set()
    for path in step.files:
        found.update(_of_file(path))
    for edit, _ in edits_of(step.call.input, told):
        old, new = lines_of(edit.old or ""), lines_of(edit.new)
        differ = [*(old - new), *(new - old)]
        found.update(name for line in differ[:200] for name in _NAME.findall(line[:400]))
    return _kept(found) | _kept(name for name in _NAME.findall(step.added))


def changed_lines(step: ToolStep) -> tuple[list[str], list[str]]:
    """Lines that an edit takes out, and those that it brings in, in their order."""
    told = step.result.text if step.result else ""
    gone: list[str] = []
    come: list[str] = []
    for edit, _ in edits_of(step.call.input, told):
        old, new = _lines(edit.old or ""), _lines(edit.new)
        gone += [line for line in old if line not in new]
        come += [line for line in new if line not in old]
    return gone, come or ([] if gone else _lines(step.added))


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text[:_LONGEST].splitlines() if line.strip()]


def reversed_in(step: ToolStep, later: Sequence[ToolStep]) -> bool:
    """Whether a later edit of the same file takes out what this one brought, or puts it back."""
    gone, come = (set(lines) for lines in changed_lines(step))
    for other in later:
        if other.kind != "edit" or not other.worked or not set(other.files) & set(step.files):
            continue
        out, back = (set(lines) for lines in changed_lines(other))
        if come and come <= out and (gone <= back if gone else not back):
            return True
    return False
