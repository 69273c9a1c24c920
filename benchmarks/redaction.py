"""What redaction finds, what it takes by mistake, and what it costs.

The labelled set has seven parts, each measured before any rule was mended for it; docs/redaction.md
says what was known of the rules when it was written.

Run `.venv/bin/python -m benchmarks.redaction [FILE or FOLDER of session JSONL …]`.
"""

import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from cairn.knowledge.redaction import redactor

LABELLED = (
    Path(__file__).parents[1] / "tests" / "knowledge" / "labelled" / "redaction_labelled.jsonl"
)
_SECRET = re.compile(r"⟦(.*?)⟧", re.DOTALL)
PARTS = (1, 2, 3, 4, 5, 6, 7)
_ROUNDS = 9
_MARK = re.compile(r"\[redacted:\w+\]")


class Line(NamedTuple):
    """One labelled line; no secrets makes it a clean one."""

    group: str
    kind: str
    text: str
    part: int
    """Which of the sets that were written one after the other."""
    secrets: tuple[str, ...]
    rest: str
    """The text without its secrets."""


def labelled() -> Iterator[Line]:
    """The labelled set. `¦` keeps scanners of repositories from taking invented tokens for live."""
    for row in LABELLED.read_text(encoding="utf-8").split("\n"):
        if row:
            record = json.loads(row)
            line = record["line"].replace("¦", "")
            secrets = tuple(_SECRET.findall(line))
            yield Line(
                record["group"],
                record["kind"],
                _SECRET.sub(r"\1", line),
                record.get("set", 1),
                secrets,
                _SECRET.sub("⟦⟧", line),
            )


def redacted(line: Line) -> str:
    """The line as redaction leaves it."""
    if line.kind == "json":
        return redactor().redact_json(line.text.encode())[0].decode()
    return redactor().redact_text(line.text)[0]


def caught(secret: str, line: Line, left: str) -> bool:
    """Whether nothing of a secret is left: no third of it, and no four characters of a short one.

    Pieces that stand elsewhere in the line as well are no sign of the secret.
    """
    size = min(len(secret), max(4, len(secret) // 3))
    left = _MARK.sub("", left)
    pieces = (secret[at : at + size] for at in range(len(secret) - size + 1))
    return not any(left.count(piece) > line.rest.count(piece) for piece in pieces)


def score(
    parts: tuple[int, ...] = PARTS,
) -> tuple[dict[str, list[Line]], dict[str, list[Line]], Counter[tuple[str, bool]]]:
    """Missed lines and false alarms by group, and how many lines each (group, secret) has.

    Args:
        parts: Which parts of the labelled set to take.
    """
    missed: dict[str, list[Line]] = {}
    alarms: dict[str, list[Line]] = {}
    lines: Counter[tuple[str, bool]] = Counter()
    for line in (line for line in labelled() if line.part in parts):
        lines[line.group, bool(line.secrets)] += 1
        left = redacted(line)
        if line.secrets and not all(caught(secret, line, left) for secret in line.secrets):
            missed.setdefault(line.group, []).append(line)
        if not line.secrets and left != line.text:
            alarms.setdefault(line.group, []).append(line)
    return missed, alarms, lines


def speed(files: list[Path]) -> None:
    """Prints megabytes per second of processor time: prefilter, redaction whole, json.loads."""
    data = [file.read_bytes() for file in files]
    size = sum(map(len, data)) / 1e6
    found = redactor()

    def whole(buffer: bytes) -> int:
        total = 0
        end = 0
        for start, _ in found.suspects(buffer):
            if start >= end:
                begin = buffer.rfind(b"\n", 0, start) + 1
                end = buffer.find(b"\n", start)
                end = len(buffer) if end < 0 else end
                total += found.redact_json(buffer[begin:end])[1]
        return total

    steps = {
        "prefilter": lambda buffer: len(found.suspects(buffer)),
        "prefilter and rules": whole,
        "json.loads": lambda buffer: sum(
            json.loads(line) is not None for line in buffer.split(b"\n") if line.strip()
        ),
    }
    for name, step in steps.items():
        seconds: list[float] = []
        for _ in range(_ROUNDS):
            begin = time.process_time()
            count = sum(step(buffer) for buffer in data)
            seconds.append(time.process_time() - begin)
        print(
            f"{name:20} {size / seconds[0]:6.0f} MB/s at first, {size / min(seconds):6.0f} warm"
            f" ({count:,} found in {size:.1f} MB)"
        )


def main() -> None:
    for part in PARTS:
        missed, alarms, lines = score((part,))
        found = sum(n for (_, kind), n in lines.items() if kind) - sum(map(len, missed.values()))
        wrong = sum(map(len, alarms.values()))
        print(f"part {part}: {found} found; {wrong} false alarms; of {lines.total()} lines")
    missed, alarms, lines = score()
    for secret, what, result in ((True, "missed", missed), (False, "false alarms", alarms)):
        total = sum(count for (_, kind), count in lines.items() if kind is secret)
        wrong = sum(map(len, result.values()))
        for (group, kind), count in lines.items():
            if kind is secret:
                print(f"{group:20} {count:4} lines, {what} {len(result.get(group, []))}")
                for line in result.get(group, []):
                    print(f"    {line.text!r}")
        rate = f"recall {1 - wrong / total:.1%}" if secret else f"false alarms {wrong / total:.1%}"
        print(f"{'all':20} {total:4} lines, {rate}\n")
    files = [
        file
        for name in sys.argv[1:]
        for file in (sorted(Path(name).rglob("*.jsonl")) if Path(name).is_dir() else [Path(name)])
    ]
    if files:
        speed(files)


if __name__ == "__main__":
    main()
