"""Small files that must be whole or absent: replaced atomically, and on disk before we say so."""

import os
from pathlib import Path


def replace_file(path: Path, content: bytes, mode: int | None = None) -> None:
    """Writes a file so that readers see the old content or the new one, never a part.

    It is on disk, its name included, when this returns. A `mode` holds before anything is in it.
    """
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("wb") as file:
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


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
