"""The system that a person works on, as far as folders and answers leave no doubt."""

import re
from collections.abc import Iterator

from cairn.knowledge.practices.observed.calls import Observation, ShellCall

KIND = "system"
FOLDER, ASKED = "folder", "asked"
MACOS, LINUX, WINDOWS, WSL = "macOS", "Linux", "Windows", "WSL"

FOLDERS = (
    (MACOS, re.compile(r"/Users/(?!Shared(?:/|$)|runner(?:/|$))[^/]+")),
    (WSL, re.compile(r"/mnt/[a-z]/")),
    (WINDOWS, re.compile(r"[A-Za-z]:[\\/]")),
    (LINUX, re.compile(
        r"/home/(?!(?i:user|node|vscode|runner|codespace|coder|gitpod|sandbox|agent|app|appuser|ubuntu|docker|jovyan|circleci|vagrant|dev|developer|claude|oai|openhands)(?:/|$))[^/]+"
    )),
)  # fmt: skip
"""System -> how a working folder of a person begins there. Homes of containers tell nothing."""

ANSWERS = (
    (WSL, re.compile(r"Linux .*microsoft.*", re.IGNORECASE)),
    (MACOS, re.compile(r"Darwin(?: .*)?|ProductName:\s+macOS.*")),
    (WINDOWS, re.compile(r"(?:MINGW|MSYS|CYGWIN)\w*_NT.*")),
)
"""System -> how it answers `uname` and `sw_vers`. Linux in an answer may be a container's."""

_ASK = frozenset({"uname", "sw_vers"})


def of_folder(cwd: str) -> Observation | None:
    """The system that a working folder tells."""
    found = next((name for name, begins in FOLDERS if begins.match(cwd)), None)
    return Observation(KIND, found, None, FOLDER) if found else None


def systems(call: ShellCall) -> Iterator[Observation]:
    """The system that a call was told."""
    if call.is_elsewhere or not any(part.shown.name in _ASK for part in call.parts):
        return
    for line in call.lines:
        for name, answer in ANSWERS:
            if answer.fullmatch(line):
                yield Observation(KIND, name, None, ASKED)
                return
