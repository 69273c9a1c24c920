"""The inbox: what people and agents say to Cairn, one JSON object per line.

A folder per namespace, a file per month in it, so that each file is a source of one namespace. What
was imported of another home lies below it, a folder per import: `imports/<digest>/records.jsonl`.

Part of the backup set. Lines are only added; `forget` alone empties some.
"""

import fcntl
import json
import os
import re
import uuid
from collections.abc import Callable, Container, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from cairn.resources.home.atomic_files import append_lines, replace_file, replacing, sync_folder
from cairn.resources.home.home import Home, check_namespace, check_writable, remove

Redact = Callable[[bytes], tuple[bytes, int]]
"""Takes UTF-8 text, gives it without secrets, and how many it replaced."""


_START = re.compile(rb'\{"event_id": "([0-9a-f-]{36})"')


class AppendedEvent(NamedTuple):
    """What became of an event."""

    event_id: str
    file: Path
    written: bool
    """Whether this call wrote it; false if the namespace had the id already."""
    redactions: int


def append_event(
    home: Home,
    event: Mapping[str, object],
    *,
    redact: Redact,
    at: datetime | None = None,
) -> AppendedEvent:
    """Adds one event, as `append_events`."""
    return append_events(home, [event], redact=redact, at=at)[0]


def append_events(
    home: Home,
    events: Iterable[Mapping[str, object]],
    *,
    redact: Redact,
    at: datetime | None = None,
) -> list[AppendedEvent]:
    """Adds events. They are redacted before, and on disk after, this returns.

    Args:
        home: The home whose inbox it is.
        events: Of each `type` and `namespace`, what else its type asks for (`text`, …), and
            `event_id` where the sender repeats a request: a namespace never has one id twice.
        redact: Removes secrets; it is applied to each text in an event, keys included.
        at: When it happened, with a timezone; now if none. A field `at` of an event wins.

    Raises:
        ValueError: `type` or `namespace` is missing or wrong, `at` has no timezone or cannot be
            read, or a value is no JSON; then none is added.
        HomeError: the home can only be read.
    """
    lines = [_line(event, redact, at) for event in events]
    check_writable(home)
    with _locked(home.inbox):
        asked: dict[str, set[str]] = {}
        for line in lines:
            if line.repeats:
                asked.setdefault(line.namespace, set()).add(line.event_id)
        known = {
            (namespace, event_id): file
            for namespace, ids in asked.items()
            for event_id, file in {
                **_imported(home, namespace, ids),
                **_there(all_files(home, namespace), ids),
            }.items()
        }
        received: list[AppendedEvent] = []
        new: dict[Path, list[bytes]] = {}
        for line in lines:
            file = home.inbox / line.namespace / f"{line.at:%Y-%m}.jsonl"
            before = known.get((line.namespace, line.event_id)) if line.repeats else None
            if before is None:
                new.setdefault(file, []).append(line.text)
                known[line.namespace, line.event_id] = file
            received.append(
                AppendedEvent(line.event_id, before or file, before is None, line.redactions)
            )
        for file, texts in new.items():
            file.parent.mkdir(mode=0o700, exist_ok=True)
            append_lines(file, b"".join(texts))
    return received


def lines_of(home: Home, namespace: str, *, containing: bytes = b"") -> list[bytes]:
    """Lines of a namespace's inbox that have some bytes in them, in the order of its files."""
    contents = (file.read_bytes() for file in all_files(home, namespace))
    return [
        line
        for content in contents
        if containing in content
        for line in content.split(b"\n")
        if containing in line and line.strip()
    ]


def event_id_of(line: bytes) -> str | None:
    """The id of the event of a line; None of what is none."""
    found = _START.match(line)
    return found and found[1].decode()


def blank_lines(home: Home, namespace: str, forget: Callable[[bytes], bool]) -> int:
    """Empties the lines that are to be forgotten; all others keep their number.

    A file is replaced whole or stays as it is; one of which nothing is left is removed.

    Returns:
        How many lines that were.
    """
    gone = 0
    with _locked(home.inbox):
        for file in all_files(home, namespace):
            lines = file.read_bytes().split(b"\n")
            kept = [b"" if line.strip() and forget(line) else line for line in lines]
            if kept == lines:
                continue
            gone += sum(old != new for old, new in zip(lines, kept, strict=True))
            if any(kept):
                replace_file(file, b"\n".join(kept), 0o600)
            else:
                file.unlink()
                sync_folder(file.parent)
    return gone


IMPORTS, IMPORTED, EVENT_IDS = "imports", "records.jsonl", "event_ids"
"""Folder of what was imported; of each, its records, and ids of events of the inbox among them."""


def imports(home: Home, namespace: str) -> list[Path]:
    """Files of records that a namespace imported, sorted."""
    return sorted((home.inbox / check_namespace(namespace) / IMPORTS).glob(f"*/{IMPORTED}"))


def is_import(home: Home, file: Path) -> bool:
    """Whether a file holds records that were imported."""
    inner = file.relative_to(home.inbox).parts if file.is_relative_to(home.inbox) else ()
    return len(inner) == 4 and inner[1] == IMPORTS and inner[3] == IMPORTED


def keep_import(home: Home, namespace: str, name: str, lines: Iterable[Sequence[bytes]]) -> Path:
    """Keeps records of another home as an input of this one: all of them, or none.

    Args:
        home: Where to.
        namespace: Whose they become.
        name: Digest of what is imported.
        lines: Lines, and ids of the events of an inbox among them, part by part.

    Raises:
        HomeError: the home can only be read.
    """
    check_writable(home)
    folder = home.inbox / check_namespace(namespace) / IMPORTS / name
    for each in (folder.parent.parent, folder.parent, folder):
        each.mkdir(mode=0o700, exist_ok=True)
    ids: list[bytes] = []

    def parts() -> Generator[bytes]:
        for text, *events in lines:
            ids.extend(events)
            yield text

    try:
        # Without the lock: it takes as long as the import is large, and nobody writes the same.
        with replacing(folder / IMPORTED, parts(), 0o600):
            replace_file(folder / EVENT_IDS, b"".join(one + b"\n" for one in ids), 0o600)
    except BaseException:
        if not (folder / IMPORTED).exists():
            remove(folder)
        raise
    return folder / IMPORTED


def drop_cut_imports(home: Home, namespace: str) -> None:
    """Removes what was left of imports that were killed: it may hold anything."""
    folder = home.inbox / check_namespace(namespace) / IMPORTS
    for partial in folder.glob("*/*.partial"):
        partial.unlink(missing_ok=True)
    for each in folder.glob("*/"):
        if not (each / IMPORTED).exists():
            remove(each)


def rewrite_import(file: Path, parts: Iterable[bytes], event_ids: Callable[[str], bool]) -> None:
    """Puts other lines in the place of those of an import; one of which nothing is left goes.

    Args:
        file: One of `imports`.
        parts: Its lines, as they are to be.
        event_ids: Which ids of events stay.
    """
    left = False

    def seen() -> Generator[bytes]:
        nonlocal left
        for part in parts:
            left = left or bool(part.strip())
            yield part

    with replacing(file, seen(), 0o600):
        kept = "".join(f"{one}\n" for one in _ids_of(file) if event_ids(one))
        replace_file(file.with_name(EVENT_IDS), kept.encode(), 0o600)
    if not left:
        remove(file.parent)
        sync_folder(file.parent.parent)


def _ids_of(file: Path) -> list[str]:
    """Ids of events of an inbox among imported records."""
    try:
        return file.with_name(EVENT_IDS).read_text().split()
    except (OSError, UnicodeDecodeError):  # then an event may be told twice, and is read once
        return []


def namespaces_of_inbox(home: Home) -> list[str]:
    """Namespaces that have a folder in the inbox, sorted."""
    if not home.inbox.is_dir():
        return []
    return sorted(folder.name for folder in home.inbox.iterdir() if folder.is_dir())


def files(home: Home, namespace: str) -> list[Path]:
    """Files of a namespace's inbox, the earliest month first."""
    found = (home.inbox / check_namespace(namespace)).glob("*.jsonl")
    return sorted(file for file in found if file.is_file())


def all_files(home: Home, namespace: str) -> list[Path]:
    """Those files, and behind them what other homes that share the namespace have in theirs.

    Theirs are no sources: who took their lines in shared the records, too.
    """
    others = (home.inbox / check_namespace(namespace)).glob("*.jsonl@*[0-9a-f]")
    return [*files(home, namespace), *sorted(file for file in others if file.is_file())]


def of_home(file: Path) -> tuple[str, str]:
    """Name of a file of an inbox in its home, and which that is; none for this one."""
    month, _, home = file.name.partition("@")
    return month, home


class _Line(NamedTuple):
    """An event as it is written."""

    namespace: str
    event_id: str
    at: datetime
    repeats: bool
    """Whether the sender gave the id, so that it may be there already."""
    redactions: int
    text: bytes


def _line(event: Mapping[str, object], redact: Redact, at: datetime | None) -> _Line:
    kind, namespace = event.get("type"), event.get("namespace")
    if not (isinstance(kind, str) and kind and isinstance(namespace, str)):
        raise ValueError("event: type and namespace must be given as text")
    check_namespace(namespace)
    event_id = _event_id(event.get("event_id"))
    moment = _moment(event.get("at"), at)
    head = {"event_id": event_id, "type": kind, "at": moment.isoformat(), "namespace": namespace}
    rest = {name: value for name, value in event.items() if name not in head}
    cleaned, redactions = _redacted(rest, redact)
    text = json.dumps(
        head | {"redactions": redactions} | cleaned,
        ensure_ascii=False,
        allow_nan=False,
        default=_no,
    )
    repeats = event.get("event_id") is not None
    return _Line(namespace, event_id, moment, repeats, redactions, text.encode() + b"\n")


def _event_id(given: object) -> str:
    if given is None:
        return str(uuid.uuid4())
    try:
        return str(uuid.UUID(str(given)))
    except ValueError:
        raise ValueError(f"event: event_id is no UUID: {str(given)[:60]!r}") from None


def _moment(given: object, at: datetime | None) -> datetime:
    if given is not None:
        at = datetime.fromisoformat(str(given))
    at = at or datetime.now(UTC)
    if at.tzinfo is None:
        raise ValueError("event: at has no timezone")
    try:
        return at.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"event: at is no time that can be counted: {at}") from None


def _redacted(value: dict[str, object], redact: Redact) -> tuple[dict[str, object], int]:
    """The value with each text in it redacted by itself, so that JSON's escapes hide nothing."""
    count = 0

    def clean(part: object) -> object:
        nonlocal count
        if isinstance(part, str):
            text, found = redact(part.encode("utf-8", "replace"))
            count += found
            return text.decode("utf-8", "replace")
        if isinstance(part, Mapping):
            return {clean(str(key)): clean(inner) for key, inner in part.items()}
        if isinstance(part, (list, tuple)):
            return [clean(inner) for inner in part]
        return part

    return {str(clean(name)): clean(inner) for name, inner in value.items()}, count


@contextmanager
def _locked(inbox: Path) -> Generator[None]:
    """Writers of the inbox take turns."""
    lock = inbox / ".lock"
    if lock.is_symlink() or lock.is_dir():  # nobody can hold such a one
        remove(lock)
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _there(files: Iterable[Path], ids: Container[str]) -> dict[str, Path]:
    """Those of these events that files have already, whole, with the file."""
    found: dict[str, Path] = {}
    for file in files:
        content = file.read_bytes()
        for start in _START.finditer(content):
            if (event_id := start[1].decode()) in ids:
                end = content.find(b"\n", start.end())
                if end >= 0 and _whole(content[start.start() : end]):
                    found[event_id] = file
    return found


def _imported(home: Home, namespace: str, ids: Container[str]) -> dict[str, Path]:
    """Those of these events that a namespace has from another home, with the file."""
    return {one: file for file in imports(home, namespace) for one in _ids_of(file) if one in ids}


def _whole(line: bytes) -> bool:
    """False for what a crash left of a line."""
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _no(value: object) -> object:
    raise ValueError(f"event: a {type(value).__name__} cannot be written as JSON")
