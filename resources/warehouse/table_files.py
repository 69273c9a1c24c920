"""The files of a table in a folder: sealed as they are written, and looked at for damage."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable

from cairn.resources.home.damage import as_damage, first_line
from cairn.resources.home.file_times import digest_of_lines, within
from cairn.resources.home.seals import (
    Seal,
    has_size,
    is_as_sealed,
    keep_seals,
    seal,
    seals,
    tells_damage,
)
from cairn.resources.warehouse.delta import files_in

LOG = "_delta_log"
CHECKPOINT = ".checkpoint.parquet"


MOST_KNOWN = 100_000
"""Tables of which a process remembers that they were sound."""

_sound: dict[Path, str] = {}
"""How the files of tables stood that had no damage: a run asks for the same table often."""


class TableDamage(NamedTuple):
    """What is wrong with a table."""

    found: str
    """In words."""
    log: bool
    """Whether it is not known which files are the table's."""
    files: tuple[Path, ...]
    """Files of the table that cannot be read, or are gone; empty where the log is damaged."""


def seal_commit(folder: Path, version: int) -> None:
    """Seals what a commit wrote: its entry in the log, the files that it added, a checkpoint."""
    entry = folder / LOG / f"{version:020}.json"
    checkpoint = entry.with_name(f"{version:020}{CHECKPOINT}")
    written = [entry, checkpoint, *(folder / path for path in _added(entry))]
    seal(folder, {file.name: file for file in written})


def reseal(folder: Path) -> None:
    """Seals each file of a table that is not sealed, and drops the seals of files that are gone.

    Of files that were never sealed it takes for granted that they are sound.
    """
    if not (folder / LOG).is_dir():
        return
    known = seals(folder)
    files = {file.name: file for file in (*_log_files(folder), *data_files(folder))}
    keep_seals(folder, files.keys())
    seal(folder, {name: file for name, file in files.items() if name not in known})


def data_files(folder: Path) -> list[Path]:
    """All files with rows in a folder, whether or not they are of the table; the newest first."""
    found = [
        file
        for file in folder.rglob("*.parquet")
        if LOG not in file.relative_to(folder).parts and file.is_file()
    ]
    return sorted(found, key=lambda file: (-file.stat().st_mtime_ns, file.name))


def table_damage(folder: Path, *, deep: bool) -> TableDamage | None:
    """What is wrong with a table in a folder; None if nothing is, or nothing is there.

    Args:
        folder: Where it is.
        deep: Read every file whole. Else only those that were written since they were sealed, and
            those that never were.
    """
    stands = None if deep else _standing(folder)
    if stands is not None and _sound.get(folder) == stands:
        return None
    found = _damage(folder, deep=deep)
    if stands is not None and found is None:
        if len(_sound) >= MOST_KNOWN:
            _sound.clear()
        _sound[folder] = stands
    return found


def _standing(folder: Path) -> str | None:
    """Digest of size and times of all files of a table; None if one cannot be looked at."""
    try:
        return digest_of_lines(within(folder))
    except OSError:
        return None


def _damage(folder: Path, *, deep: bool) -> TableDamage | None:
    if not folder.is_symlink() and not folder.exists():
        return None
    if not folder.is_dir():
        return TableDamage("is no folder", log=True, files=())
    try:
        if wrong := _log_damage(folder, deep=deep):
            return TableDamage(wrong, log=True, files=())
        if not any((folder / LOG).glob("*.json")):
            return None  # a first write that was cut off
        stored = DeltaTable(str(folder))
        added = dict(files_in(stored).select("path", "size").iter_rows())
    except BaseException as error:
        # Of anything else that goes wrong nobody knows whether the table is damaged.
        if as_damage(error) is None:
            raise
        return TableDamage(f"its log cannot be read: {first_line(error)}", log=True, files=())
    noted = seals(folder)
    broken = [
        file
        for path, size in added.items()
        if not _is_sound(file := folder / unquote(path), size, noted.get(file.name), deep=deep)
    ]
    if not broken:
        return None
    gone = sum(not file.exists() for file in broken)
    found = f"{len(broken)} of {len(added)} files cannot be read"
    return TableDamage(found + (f", {gone} of them gone" if gone else ""), False, tuple(broken))


def has_version(folder: Path, version: int) -> bool:
    """Whether the log of a table can tell a version; so it is taken where there is no log."""
    known = [int(file.name[:20]) for file in _log_files(folder)] if (folder / LOG).is_dir() else []
    if not known:
        return True
    checkpoints = [int(file.name[:20]) for file in (folder / LOG).glob(f"*{CHECKPOINT}")]
    first = 0 if 0 in known else min(checkpoints, default=0)
    return first <= version <= max(known)


def decodes(file: Path) -> bool:
    """Whether all rows of a file can be read."""
    try:
        with pq.ParquetFile(file) as stored:
            for _ in stored.iter_batches():
                pass
    except (pa.ArrowInvalid, OSError) as error:
        if isinstance(error, OSError) and not tells_damage(error):
            raise
        return False
    return True


def _is_sound(file: Path, size: int, noted: Seal | None, *, deep: bool) -> bool:
    if noted is not None:
        return is_as_sealed(file, noted, deep=deep)
    return has_size(file, size) and decodes(file)


def _log_damage(folder: Path, *, deep: bool) -> str | None:
    """What is wrong with the entries of a log, each by itself and as a row."""
    log = folder / LOG
    if not log.is_dir():
        return "its log is gone" if log.exists() or any(data_files(folder)) else None
    noted, files = seals(folder), sorted(log.iterdir())
    if pipe := next((file for file in files if file.is_fifo()), None):
        return f"{pipe.name} of its log is no file"
    for file in files:
        if (
            (one := noted.get(file.name))
            and _is_kept(file.name)
            and not is_as_sealed(file, one, deep=deep)
        ):
            return f"{file.name} of its log is not as it was written"
    entries = {int(file.name[:20]) for file in files if _is_entry(file.name)}
    checkpoints = [int(file.name[:20]) for file in files if file.name.endswith(CHECKPOINT)]
    last = max(entries, default=-1)
    sealed = [int(name[:20]) for name in noted if _is_entry(name)]
    # Below a checkpoint, entries may be cleaned away.
    first = max((one for one in checkpoints if one <= last), default=-1) + 1
    missing = set(range(first, max([last, *sealed]) + 1)) - entries
    if missing or (entries and last < 0):
        return f"entry {min(missing)} of its log is gone"
    if not entries and any(data_files(folder)):
        return "its log is gone"
    return None


def _log_files(folder: Path) -> list[Path]:
    """What stands in a log and never changes."""
    return [file for file in sorted((folder / LOG).iterdir()) if _is_kept(file.name)]


def _is_kept(name: str) -> bool:
    return _is_entry(name) or name.endswith(CHECKPOINT)


def _is_entry(name: str) -> bool:
    return len(name) == 25 and name.endswith(".json") and name[:20].isdecimal()


def _added(entry: Path) -> Iterable[str]:
    """Paths of the files that an entry of a log adds."""
    for line in entry.read_bytes().splitlines():
        if line.startswith(b'{"add"'):
            yield unquote(json.loads(line)["add"]["path"])
