"""What a call changes in files: what it takes out of each, and what it brings in."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from cairn.knowledge.dialogue.tool_calls import NEW_TEXT, OLD_TEXT, PATH_INPUTS, shell_command

_WHOLE_TEXT = ("content", "file_text", "contents", "new_source")
_CREATED = re.compile(r"(?i)\bcreated\b|\bnew file\b")
_PATCH_FILE = re.compile(r"^\*\*\* (Update|Add|Delete) File: (.+)$")


class Edit(NamedTuple):
    """A change of a file: what it takes out and what it brings in; `old` is None if unknown."""

    path: str
    old: str | None
    new: str
    deleted: bool = False


def edits_of(inputs: dict[str, Any], told: str = "") -> list[tuple[Edit, bool]]:
    """Changes of files that a call makes, and whether each file was not there before.

    `told` is what the call returned, which may say so.
    """
    sources = (shell_command(inputs), *_texts(inputs, ("patch", "input")))
    patch = next((text for text in sources if "*** Begin Patch" in text), "")
    if patch:
        return [(edit, edit.old is None) for edit in _patched(patch)]
    created = _CREATED.search(told[:200]) is not None
    return [(edit, created) for edit in _edits(inputs)]


def _edits(inputs: dict[str, Any]) -> Iterator[Edit]:
    path = next(iter(_texts(inputs, PATH_INPUTS)), "")
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
        elif line.startswith(" "):
            old.append(line[1:])
            new.append(line[1:])


def _texts(inputs: dict[str, Any], names: Sequence[str]) -> list[str]:
    return [str(inputs[name]) for name in names if isinstance(inputs.get(name), str)]
