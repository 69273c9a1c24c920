"""Log files on disk: which there are, which changed, and their bytes in bounded windows."""

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import polars as pl

LOG_SUFFIXES = frozenset({".jsonl", ".json", ".ndjson", ".traj"})
"""Looked at within a folder; what they hold is told by content. A named file is always read."""

WINDOW = 64 * 1024 * 1024
"""Bytes read at once of a file of lines."""


class LogFile(NamedTuple):
    """A file as it stands on disk, and whose it is."""

    path: Path
    namespace: str
    timezone: str
    size: int
    modified_ns: int


class Window(NamedTuple):
    """Bytes of a file from `offset`; `last` if the file ends with them."""

    data: bytes
    offset: int
    last: bool


def log_files(path: Path, namespace: str, timezone: str) -> Iterator[LogFile]:
    """All log files under `path` (or the file itself), in no particular order.

    Files that vanish meanwhile, and links that lead nowhere, are passed over.
    """
    found: Iterable[Path]
    if path.is_dir():
        found = (
            Path(folder, name)
            for folder, _, names in os.walk(path)
            for name in names
            if Path(name).suffix.lower() in LOG_SUFFIXES
        )
    else:
        found = (path,)
    for file in found:
        try:
            stat = file.stat()
        except OSError:
            continue
        yield LogFile(file.absolute(), namespace, timezone, stat.st_size, stat.st_mtime_ns)


def changed(files: Iterable[LogFile], known: pl.DataFrame) -> list[LogFile]:
    """Files that differ in size or time from what `source_files` says of them, newest first."""
    seen = {
        (namespace, path): (size, modified)
        for namespace, path, size, modified in known.select(
            "namespace", "path", "size", "modified_ns"
        ).iter_rows()
    }
    return sorted(
        (
            file
            for file in files
            if seen.get((file.namespace, str(file.path))) != (file.size, file.modified_ns)
        ),
        key=lambda file: (-file.modified_ns, file.path),
    )


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
