"""Small files that must be whole or absent: replaced atomically, and on disk before we say so."""

import os
import stat
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from errno import EFBIG, EINVAL
from pathlib import Path

MOST_READ = 1 << 28
"""Bytes that a small file may have."""


def replace_file(path: Path, content: bytes, mode: int | None = None) -> None:
    """Writes a file so that readers see the old content or the new one, never a part.

    It is on disk, its name included, when this returns. A `mode` holds before anything is in it.
    """
    with replacing(path, (content,), mode):
        pass


@contextmanager
def replacing(path: Path, parts: Iterable[bytes], mode: int | None = None) -> Generator[None]:
    """As `replace_file`, of content that comes in parts; in its place when the block ends."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("wb") as file:
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        yield
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def read_regular(path: Path) -> bytes:
    """What a small file holds. A pipe, which would be waited on for ever, is none.

    Raises:
        OSError: it cannot be read, is no regular file, or is not small.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            raise OSError(EINVAL, "Not a regular file", str(path))
        if about.st_size > MOST_READ:
            raise OSError(EFBIG, os.strerror(EFBIG), str(path))
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Puts a folder's entries (new names, renames, removals) on disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def append_lines(file: Path, lines: bytes) -> None:
    """One write at the end, fsynced. What a crash left unfinished there is closed first."""
    new = not file.exists()
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        size = os.fstat(descriptor).st_size
        if size and os.pread(descriptor, 1, size - 1) != b"\n":
            lines = b"\n" + lines
        view = memoryview(lines)
        while view:
            view = view[os.write(descriptor, view) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    if new:
        sync_folder(file.parent)
