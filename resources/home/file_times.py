"""How files stand: their size and times, by which it is known that nobody touched them."""

import os
from collections.abc import Iterable, Iterator
from errno import ELOOP
from hashlib import blake2b
from operator import attrgetter
from pathlib import Path

_BESIDE_SQLITE = ("-wal", "-shm")


def stands(file: str) -> str:
    """A file, or what a link leads to, by its times: the last, of any change, cannot be set.

    Raises:
        OSError: it is not there, or cannot be looked at.
    """
    return _line(file, os.stat(file))  # noqa: PTH116  a thousand of them


def within(place: Path) -> Iterator[str]:
    """Every folder and file in a folder, as a namespace has hundreds; nothing if it is not there.

    Raises:
        OSError: one cannot be looked at, or is a link to a folder.
    """
    folders = [str(place)] if place.is_dir() else []
    while folders:
        folder = folders.pop()
        about = os.lstat(folder)
        yield f"{folder} {about.st_mode} {about.st_uid}"
        with os.scandir(folder) as entries:
            for entry in sorted(entries, key=attrgetter("name")):
                if not entry.is_dir():
                    if not entry.name.endswith(_BESIDE_SQLITE):
                        yield _line(entry.path, entry.stat())
                elif entry.is_symlink():
                    raise OSError(ELOOP, "What a link leads to is not looked at", entry.path)
                else:
                    folders.append(entry.path)


def _line(file: str, found: os.stat_result) -> str:
    return (
        f"{file} {found.st_mode} {found.st_uid} {found.st_ino} {found.st_size}"
        f" {found.st_mtime_ns} {found.st_ctime_ns}"
    )


def digest_of_lines(lines: Iterable[str]) -> str:
    """Sixteen bytes of all lines, in hex."""
    text = "".join(f"{line}\0" for line in lines)
    return blake2b(text.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
