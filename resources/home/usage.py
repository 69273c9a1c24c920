"""What was asked of memory, counted: a line for each answer, without its text.

A namespace has a file for each month; what is older than three is dropped. None of it is knowledge,
and nobody waits for it: where it cannot be written, it is not.
"""

import json
import shutil
import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl

from cairn.resources.home.home import Home, check_namespace

SEARCH, CONTEXT = "search", "context"
"""Kinds of answers: to who asked, and memories for a prompt."""

FOLDER = "usage"
KEPT = timedelta(days=92)

SCHEMA = pl.Schema(
    {
        "at": pl.Datetime("us", "UTC"),
        "kind": pl.String(),
        "results": pl.Int64(),
        "near": pl.Int64(),
        "redundant": pl.Int64(),
    }
)


def midnight(now: datetime) -> datetime:
    """When the UTC day of a time began."""
    return now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def note_use(
    home: Home,
    namespace: str,
    kind: str,
    results: int,
    near: int | None = None,
    redundant: int | None = None,
    at: datetime | None = None,
) -> None:
    """Counts an answer.

    Args:
        home: The home that was asked.
        namespace: Whose memory.
        kind: SEARCH or CONTEXT.
        results: How many were given.
        near: Of a search, how many were near enough to be.
        redundant: Of these, how many said the same as another, and were left out.
        at: When; now if None.
    """
    moment = (at or datetime.now(UTC)).astimezone(UTC)
    told = {
        "at": moment.isoformat(),
        "kind": kind,
        "results": results,
        "near": near,
        "redundant": redundant,
    }
    file = _folder(home, namespace) / f"{moment:%Y-%m}.jsonl"
    with suppress(OSError):  # a backup that is read only, a full disk
        if not file.exists():
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _drop_old(file.parent, moment)
        with file.open("ab", buffering=0) as lines:
            lines.write(json.dumps(told).encode() + b"\n")


def use_since(home: Home, namespace: str, since: datetime) -> pl.DataFrame:
    """Rows of SCHEMA: what was asked since a moment, the earliest first."""
    rows: list[tuple[object, ...]] = []
    for file in sorted(_folder(home, namespace).glob("*.jsonl")):
        if file.stem < f"{since.astimezone(UTC):%Y-%m}":
            continue
        for line in file.read_bytes().splitlines():
            try:
                told = json.loads(line)
                row = (datetime.fromisoformat(told["at"]), str(told["kind"]),
                       int(told["results"]), told["near"], told["redundant"])  # fmt: skip
            except (ValueError, KeyError, TypeError):
                continue  # what a crash left of a line
            if row[0] >= since:
                rows.append(row)
    return pl.DataFrame(rows, schema=SCHEMA, orient="row").sort("at")


_COUNTED: dict[Path, tuple[str, int, int]] = {}
"""Of a file: the day, how far it was read, and how many answers of that day it has."""

_COUNTING = threading.Lock()


def uses_since_midnight(home: Home, namespace: str, now: datetime) -> int:
    """How many answers were given this UTC day, by all processes; reads what is new since."""
    moment = now.astimezone(UTC)
    day, file = f"{moment:%Y-%m-%d}", _folder(home, namespace) / f"{moment:%Y-%m}.jsonl"
    with _COUNTING:
        counted_day, end, count = _COUNTED.get(file, ("", 0, 0))
        try:
            with file.open("rb") as lines:
                if counted_day != day or file.stat().st_size < end:
                    end = count = 0
                lines.seek(end)
                new = lines.read()
                new = new[: new.rfind(b"\n") + 1]  # another may be writing the rest of a line
        except OSError:  # none was counted, or it cannot be told
            return 0
        count += new.count(f'"at": "{day}T'.encode())
        _COUNTED[file] = day, end + len(new), count
    return count


def forget_use(home: Home, namespace: str) -> None:
    """Drops all that was counted of a namespace."""
    shutil.rmtree(_folder(home, namespace), ignore_errors=True)


def _folder(home: Home, namespace: str) -> Path:
    return home.root / FOLDER / check_namespace(namespace)


def _drop_old(folder: Path, now: datetime) -> None:
    for file in folder.glob("*.jsonl"):
        if file.stem < f"{now - KEPT:%Y-%m}":
            file.unlink(missing_ok=True)
