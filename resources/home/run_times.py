"""How long runs took in this home, so that the next one can be told beforehand."""

import json
from contextlib import suppress
from typing import NamedTuple

from cairn.resources.home.atomic_files import append_lines, replace_file
from cairn.resources.home.home import Home

FILE = "run_times.jsonl"
KEPT = 20


class RunTime(NamedTuple):
    """What a run took in, about, and how long that took."""

    lines: int
    seconds: float


def note_run(home: Home, took: RunTime) -> None:
    """Keeps how long a run took; where it cannot be written, it is not."""
    file = home.root / FILE
    with suppress(OSError):
        append_lines(file, json.dumps(took._asdict()).encode() + b"\n")
        lines = file.read_bytes().splitlines(keepends=True)
        if len(lines) > 2 * KEPT:
            replace_file(file, b"".join(lines[-KEPT:]), 0o600)


def run_times(home: Home) -> list[RunTime]:
    """The last runs, the latest last."""
    try:
        lines = (home.root / FILE).read_bytes().splitlines()
    except OSError:
        return []
    found: list[RunTime] = []
    for line in lines[-KEPT:]:
        with suppress(ValueError, KeyError, TypeError):  # what a crash left of a line
            told = json.loads(line)
            found.append(RunTime(int(told["lines"]), float(told["seconds"])))
    return found
