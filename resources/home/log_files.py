"""Log files on disk: which there are, which changed, and their bytes in bounded windows."""

import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import polars as pl

LOG_SUFFIXES = frozenset({".jsonl", ".json", ".ndjson", ".traj"})
"""Looked at within a folder; what they hold is told by content. A named file is always read."""

PACKED_SUFFIXES = frozenset({".gz", ".zst", ".bz2", ".xz"})
"""After one of the above: looked at too, so that a packed log is refused and not passed over."""

HOME_MARKS = frozenset({"schema_version", "inbox", "warehouse"})
"""A folder that holds all of these is a home of Cairn."""

WINDOW = 64 * 1024 * 1024
"""Bytes read at once of a file of lines."""

MOST_SAMPLED, SAMPLE = 50, 64 * 1024
"""Files, and bytes of each, in which lines are counted."""


_ESCAPE = re.compile(rb"\\x([89a-f][0-9a-f]|5c)")
"""A byte that is not UTF-8, or a backslash before what would read as one."""


class LogFile(NamedTuple):
    """A file as it stands on disk, and whose it is."""

    path: Path
    namespace: str
    timezone: str
    size: int
    modified_ns: int

    @property
    def name(self) -> str:
        """Its path as tables hold it, with escapes for bytes that are not UTF-8.

        What looks like such an escape is escaped, too, so that no two files share a name.
        """
        raw = _ESCAPE.sub(rb"\\x5cx\1", os.fsencode(self.path))
        return raw.decode("utf-8", "backslashreplace")


class Window(NamedTuple):
    """Bytes of a file from `offset`; `last` if the file ends with them."""

    data: bytes
    offset: int
    last: bool


def log_files(path: Path, namespace: str, timezone: str) -> Iterator[LogFile]:
    """All log files under `path` (or the file itself), in no particular order.

    Files that vanish meanwhile, links that lead nowhere, and what is no file (a pipe would be
    waited on for ever) are passed over.
    """
    path = path.absolute()
    there = _within if os.path.isdir(path) else _itself  # noqa: PTH112  a folder above may be closed
    for file, found_as in there(path):
        if stat.S_ISREG(found_as.st_mode):
            yield LogFile(Path(file), namespace, timezone, found_as.st_size, found_as.st_mtime_ns)


def on_disk(name: str) -> Path:
    """The path of a file by its `LogFile.name`, whether or not it is still there."""
    raw = _ESCAPE.sub(lambda byte: bytes.fromhex(byte[1].decode()), name.encode())
    return Path(os.fsdecode(raw))


def _itself(path: Path) -> Iterator[tuple[str, os.stat_result]]:
    with suppress(OSError):
        yield str(path), path.stat()


def _within(path: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Logs in a folder, without the homes of Cairn that lie in it: those hold inboxes of others.

    Each run looks some times, and a source may have thousands of folders.
    """
    root = str(path)
    folders = [root]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(folder) as listed:
                entries = list(listed)
        except OSError:
            continue
        if folder != root and HOME_MARKS.issubset(entry.name for entry in entries):
            continue
        for entry in entries:
            with suppress(OSError):
                if entry.is_dir():
                    if not entry.is_symlink():
                        folders.append(entry.path)
                elif _is_log(entry.name):
                    yield entry.path, entry.stat()


def closed_folders(path: Path) -> list[Path]:
    """Folders at or under `path` that may not be listed: what lies in them is passed over."""
    closed: list[Path] = []

    def note(error: OSError) -> None:
        if isinstance(error, PermissionError) and error.filename:
            closed.append(Path(error.filename))

    for _ in os.walk(path, onerror=note):
        pass
    return closed


_LOG_ENDS = tuple(log + packed for log in LOG_SUFFIXES for packed in ("", *PACKED_SUFFIXES))


def _is_log(name: str) -> bool:
    lower = name.lower()
    return lower.endswith(_LOG_ENDS) and lower not in _LOG_ENDS  # one that has no name but that


def changed(files: Iterable[LogFile], known: "pl.DataFrame") -> list[LogFile]:
    """Files that differ in size, time or timezone from what `source_files` says, newest first."""
    columns = ("namespace", "path", "size", "modified_ns", "timezone")
    seen = {
        (namespace, path): (size, modified, timezone)
        for namespace, path, size, modified, timezone in known.select(columns).iter_rows()
    }

    def differs(file: LogFile) -> bool:
        size, modified, timezone = seen.get((file.namespace, file.name), (None, None, None))
        # What an older Cairn has read was not noted with its timezone.
        return (size, modified) != (file.size, file.modified_ns) or (
            timezone not in (None, file.timezone)
        )

    return sorted(
        filter(differs, files),
        key=lambda file: (-file.modified_ns, file.path),
    )


def bytes_per_line(files: Sequence[LogFile]) -> float:
    """How long lines are, about: by the beginnings of the largest files. 0 if there is none."""
    largest = sorted(files, key=lambda file: (-file.size, file.path))[:MOST_SAMPLED]
    read = lines = 0
    for file in largest:
        with suppress(OSError), file.path.open("rb") as stream:
            start = stream.read(SAMPLE)
            read, lines = read + len(start), lines + start.count(b"\n")
    return read / max(lines, 1)


def prefix_hash(path: Path, length: int) -> hashlib.blake2b:
    """BLAKE2b over the first `length` bytes, to go on with; tells growth from replacement."""
    hashed = hashlib.blake2b(digest_size=16)
    if length > 0:
        with path.open("rb") as stream:
            while length > 0 and (part := stream.read(min(length, WINDOW))):
                hashed.update(part)
                length -= len(part)
    return hashed


def windows(path: Path, start: int = 0, size: int = WINDOW) -> Iterator[Window]:
    """Bytes of a file from `start` on, cut after a newline, each of about `size` bytes.

    A line longer than `size` comes whole, and so does a document of one line.
    """
    with path.open("rb") as stream:
        stream.seek(start)
        offset, rest = start, b""
        while part := stream.read(size):
            data = rest + part
            end = data.rfind(b"\n") + 1
            if len(part) < size:
                break
            if end:
                yield Window(data[:end], offset, last=False)
                offset, rest = offset + end, data[end:]
            else:
                rest = data
        else:
            data = rest
        if data or offset == start:
            yield Window(data, offset, last=True)
