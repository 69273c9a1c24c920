"""How files stand: their size and times, by which it is known that nobody touched them."""

import os
from collections.abc import Iterable, Iterator
from errno import ELOOP
from hashlib import blake2b
from pathlib import Path

_BESIDE_SQLITE = ("-wal", "-shm")


def stands(file: str) -> str:
    """A file, or what a link leads to, by its times: the last, of any change, cannot be set.

    Raises:
        OSError: it is not there, or cannot be looked at.
    """
    found = os.stat(file)  # noqa: PTH116  a thousand of them
    return (
        f"{file} {found.st_mode} {found.st_uid} {found.st_ino} {found.st_size}"
        f" {found.st_mtime_ns} {found.st_ctime_ns}"
    )


def within(place: Path) -> Iterator[str]:
    """Every folder and file in a folder; nothing if it is not there.

    Raises:
        OSError: one cannot be looked at, or is a link to a folder.
    """
    for folder, inner, names in os.walk(place):
        inner.sort()
        if any(Path(folder, name).is_symlink() for name in inner):
            raise OSError(ELOOP, "What a link leads to is not looked at", folder)
        about = os.lstat(folder)
        yield f"{folder} {about.st_mode} {about.st_uid}"
        files = (name for name in sorted(names) if not name.endswith(_BESIDE_SQLITE))
        yield from (stands(f"{folder}/{name}") for name in files)


def digest_of_lines(lines: Iterable[str]) -> str:
    """Sixteen bytes of all lines, in hex."""
    hashed = blake2b(digest_size=16)
    for line in lines:
        hashed.update(f"{line}\0".encode("utf-8", "surrogateescape"))
    return hashed.hexdigest()
