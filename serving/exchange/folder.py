"""A folder that an export writes: whole or not at all, and told by its manifest."""

import glob
import hashlib
import os
import shutil
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import msgspec

from cairn.resources.home.atomic_files import replace_file, sync_folder
from cairn.resources.home.home import Home
from cairn.resources.home.sources import list_sources
from cairn.resources.processes import lives
from cairn.serving.read.reader import Reader

MANIFEST = "manifest.json"
FORMAT, VERSION = "cairn-export", 1
"""Of the manifest: an export of a newer version is refused."""


class ExchangeError(Exception):
    """Nothing can be written or taken in; the message says why and what to do."""


class FileEntry(msgspec.Struct, frozen=True):
    """A file of an export."""

    rows: int
    size: int
    digest: str
    """BLAKE2b of its bytes, 128 bits, in hex."""


class ExportManifest(msgspec.Struct, frozen=True, kw_only=True):
    """What an export says of itself."""

    format: str
    version: int
    kind: str
    """jsonl, markdown or parquet."""
    namespace: str
    exported_at: str
    cairn: str
    """Version of who wrote it."""
    watermark: str | None = None
    """Latest event of its logs."""
    left_out: dict[str, int] = {}
    files: dict[str, FileEntry] = {}


_MANIFEST = msgspec.json.Decoder(ExportManifest)


def read_manifest(folder: Path) -> ExportManifest:
    """What an export in a folder says of itself.

    Raises:
        ExchangeError: it is none, or of a newer version.
    """
    try:
        found = _MANIFEST.decode((folder / MANIFEST).read_bytes())
    except FileNotFoundError:
        raise ExchangeError(f"{folder} is no export of Cairn: it has no {MANIFEST}") from None
    except OSError as error:
        raise ExchangeError(f"{folder / MANIFEST}: {error.strerror}") from None
    except (msgspec.DecodeError, ValueError):
        raise ExchangeError(f"{folder / MANIFEST} is no manifest of an export") from None
    if found.format != FORMAT:
        raise ExchangeError(f"{folder / MANIFEST} is no manifest of an export of Cairn")
    if found.version > VERSION:
        raise ExchangeError(
            f"{folder} was exported by a newer Cairn ({found.cairn}): update this one first"
        )
    return found


@dataclass(frozen=True)
class ExportFolder:
    """A folder while it is written."""

    path: Path
    rows: dict[str, int] = field(default_factory=dict[str, int])
    """Rows of its files, by their names, where that is not one."""
    left_out: dict[str, int] = field(default_factory=dict[str, int])
    """How many of what kind are not in it."""

    def write(self, name: str, lines: Iterable[bytes]) -> None:
        """Writes lines into a new file that only its owner can read, and counts them."""
        file = self.path / name
        count = 0
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as out:
            for line in lines:
                out.write(line)
                count += 1
            out.flush()
            os.fsync(descriptor)
        self.rows[name] = count


@contextmanager
def written(reader: Reader, target: Path, kind: str, *, replace: bool) -> Generator[ExportFolder]:
    """A new folder beside the target, which takes its place when the block ends without an error.

    Raises:
        ExchangeError: something stands there that is not to be replaced, or it lies in the home.
    """
    target = target.absolute()
    check_target(reader.state.home, target, reader.namespace, replace=replace)
    target.parent.mkdir(parents=True, exist_ok=True)
    for left in target.parent.glob(f".{glob.escape(target.name)}.*.partial"):
        if not _is_at_work(left):
            shutil.rmtree(left, ignore_errors=True)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        partial.mkdir(mode=0o700)
        folder = ExportFolder(partial)
        yield folder
        _write_manifest(reader, folder, kind)
        old = target.with_name(f".{target.name}.{os.getpid()}.old")
        if target.exists():
            target.rename(old)
        partial.rename(target)
        shutil.rmtree(old, ignore_errors=True)
        sync_folder(target.parent)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def _is_at_work(partial: Path) -> bool:
    """Whether another process that lives writes such a folder; else it was killed."""
    told = partial.name.split(".")[-2]
    return told.isdecimal() and int(told) != os.getpid() and lives(int(told))


def check_target(home: Home, target: Path, namespace: str, *, replace: bool) -> None:
    """Refuses to write where something else stands.

    Raises:
        ExchangeError: as it says.
    """
    if target.resolve().is_relative_to(home.root.resolve()):
        raise ExchangeError(f"{target} lies in Cairn's own home: choose another folder")
    for source in list_sources(home):
        if target.resolve().is_relative_to(source.path):
            raise ExchangeError(
                f"{target} lies in {source.path}, whose logs are taken in: choose another folder"
            )
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise ExchangeError(f"{target} is there, and is no folder")
    if not target.exists() or not any(target.iterdir()):
        return
    try:
        there = read_manifest(target)
    except ExchangeError:
        raise ExchangeError(
            f"{target} is not empty, and holds no export: choose a new folder"
        ) from None
    if there.namespace != namespace:
        raise ExchangeError(
            f"{target} holds an export of namespace {there.namespace}: choose another folder"
        )
    if not replace:
        raise ExchangeError(f"{target} holds an older export: add --replace to write it anew")


def _write_manifest(reader: Reader, written_as: ExportFolder, kind: str) -> None:
    folder = written_as.path
    files = {
        file.relative_to(folder).as_posix(): file
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }
    watermark = reader.manifest.watermark
    manifest = ExportManifest(
        format=FORMAT,
        version=VERSION,
        kind=kind,
        namespace=reader.namespace,
        exported_at=datetime.now(UTC).isoformat(timespec="seconds"),
        cairn=version("cairn-logs"),
        watermark=watermark.isoformat() if watermark else None,
        left_out=written_as.left_out,
        files={
            name: FileEntry(written_as.rows.get(name, 1), file.stat().st_size, digest_of(file))
            for name, file in files.items()
        },
    )
    told = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
    replace_file(folder / MANIFEST, told + b"\n", 0o600)


def digest_of(file: Path) -> str:
    """BLAKE2b of a file's bytes, 128 bits, in hex."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
