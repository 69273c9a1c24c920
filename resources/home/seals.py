"""What files held when they were written: by it damage is known, also where no reader would fail.

A file that was cut, emptied or replaced may still be read, and so may one with other bytes in its
middle. Each folder with files that never change has a list of them beside it, a line per file.
"""

import hashlib
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from errno import EACCES, EMFILE, ENFILE, ENOMEM, EPERM
from io import FileIO
from pathlib import Path
from typing import NamedTuple

from cairn.resources.home.atomic_files import read_regular, replace_file

SEALS = "_seals"
"""Name of the list; Delta leaves alone what begins with an underscore."""

BLOCK = 1 << 16
MODE = 0o600


class Seal(NamedTuple):
    """What a file was when it was written."""

    size: int
    modified_ns: int
    digest: str


def seal(folder: Path, files: Mapping[str, Path]) -> None:
    """Notes what files hold now, under names without white space; a name noted twice counts last.

    A file that is gone by now is passed over.
    """
    lines: list[str] = []
    for name, file in files.items():
        with suppress(FileNotFoundError):
            lines.append(_line(name, _seal_of(file)))
    place, content = folder / SEALS, "".join(lines).encode()
    if not lines:
        return
    if place.exists() and place.stat().st_nlink > 1:  # a dry run has the files of another home
        replace_file(place, place.read_bytes() + content, MODE)
        return
    # One write; what a crash cuts off of it is no line, and its file counts as not sealed.
    descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, MODE)
    try:
        os.write(descriptor, content)
    finally:
        os.close(descriptor)


def seals(folder: Path) -> dict[str, Seal]:
    """The list of a folder; empty if there is none that can be read."""
    try:
        text = read_regular(folder / SEALS).decode(errors="replace")
    except OSError:
        return {}
    found: dict[str, Seal] = {}
    for line in text.splitlines():
        parts = line.split()
        if len(parts) == 4 and parts[1].isdecimal() and parts[2].isdecimal():
            found[parts[0]] = Seal(int(parts[1]), int(parts[2]), parts[3])
    return found


def keep_seals(folder: Path, names: Collection[str]) -> None:
    """Drops from the list what is not among these names: its file was removed."""
    known = seals(folder)
    kept = {name: one for name, one in known.items() if name in names}
    if kept != known:
        content = "".join(_line(name, one) for name, one in kept.items())
        replace_file(folder / SEALS, content.encode(), MODE)


def is_as_sealed(file: Path, noted: Seal, *, deep: bool) -> bool:
    """Whether a file holds what it held. Unless `deep`, one not written since is not read.

    One that does not, though it looks so, is touched: who does not look as deep finds it, too.
    """
    try:
        found = file.stat()
        if found.st_size != noted.size or not file.is_file():
            return False
        if found.st_mtime_ns == noted.modified_ns and not deep:
            return True
        same = digest_of(file) == noted.digest
        if not same and found.st_mtime_ns == noted.modified_ns:
            os.utime(file)
    except OSError as error:
        if not tells_damage(error):
            raise
        return False
    return same


def has_size(file: Path, size: int) -> bool:
    """Whether a file is there, and as long as it should be."""
    try:
        return file.is_file() and file.stat().st_size == size
    except OSError as error:
        if not tells_damage(error):
            raise
        return False


def tells_damage(error: OSError) -> bool:
    """Whether a file that cannot be read is damaged, and not only out of reach by now."""
    return error.errno not in (EACCES, EPERM, EMFILE, ENFILE, ENOMEM)


def digest_of(file: Path) -> str:
    """Digest of a file's bytes. Holes are as good as the zeros they stand for."""
    with file.open("rb", buffering=0) as stream:
        return _digest(blocks(stream), os.fstat(stream.fileno()).st_size)


def digest_of_bytes(content: bytes) -> str:
    """Digest of a file that holds this, as `digest_of`."""
    return _digest(blocks_of(content), len(content))


def blocks_of(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Blocks of what a file holds, as `blocks`."""
    for place in range(0, len(content), BLOCK):
        block = content[place : place + BLOCK]
        if block.count(0) != len(block):
            yield place, block


def blocks(stream: FileIO) -> Iterator[tuple[int, bytes]]:
    """Blocks of a file that hold more than zeros, and where each begins. Holes are not read."""
    size = os.fstat(stream.fileno()).st_size
    place = 0
    while place < size:
        try:
            place = os.lseek(stream.fileno(), place, os.SEEK_DATA) // BLOCK * BLOCK
        except OSError:  # nothing but a hole is left
            return
        block = os.pread(stream.fileno(), BLOCK, place)
        if block.count(0) != len(block):
            yield place, block
        place += BLOCK


def _digest(parts: Iterator[tuple[int, bytes]], size: int) -> str:
    hashed = hashlib.blake2b(digest_size=16)
    for place, block in parts:
        hashed.update(place.to_bytes(8, "big"))
        hashed.update(block)
    hashed.update(size.to_bytes(8, "big"))
    return hashed.hexdigest()


def _seal_of(file: Path) -> Seal:
    found = file.stat()
    return Seal(found.st_size, found.st_mtime_ns, digest_of(file))


def _line(name: str, one: Seal) -> str:
    return f"{name} {one.size} {one.modified_ns} {one.digest}\n"
