"""A snapshot: which files a namespace has, and where the bytes of each lie in a store.

Snapshots are numbered objects, each put where nothing was: of two homes that follow the same one, a
store refuses the second. Files lie in packs, many small ones in one object, and never change there;
a snapshot names what lies in those before it.
"""

import gzip
import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import NamedTuple

from cairn.resources.home.home import SCHEMA_VERSION

FORMAT = 1


class PackedFile(NamedTuple):
    """Where the bytes of a file lie, and what it is like."""

    pack: str
    """None of a file that is empty: ``""``."""
    start: int
    length: int
    """Of what lies there: less than `size` where it is compressed."""
    size: int
    modified_ns: int
    digest: str
    """As of `cairn.resources.home.seals.digest_of`."""


@dataclass(frozen=True)
class NamespaceSnapshot:
    """The files of a namespace at one time, by their names in it."""

    number: int = 0
    """One more than that of the snapshot that it follows; 0 before there is any."""
    files: Mapping[str, PackedFile] = field(default_factory=dict[str, PackedFile])
    by: str = ""
    """Which home pushed it, and when: no two are alike."""
    schema: int = SCHEMA_VERSION
    """Of the home that pushed it: what lies in the files is of that form."""
    settings: str = ""
    """Digest of what decides what knowledge becomes: policy, language model, prompts."""

    @property
    def packs(self) -> set[str]:
        """Packs that it names."""
        return {part.pack for part in self.files.values() if part.pack}

    @property
    def size(self) -> int:
        """Bytes of all its files."""
        return sum(part.size for part in self.files.values())

    def encoded(self) -> bytes:
        """As it is stored."""
        content = asdict(self) | {"format": FORMAT, "files": self.files}
        return gzip.compress(json.dumps(content, sort_keys=True).encode(), 1, mtime=0)


def decoded(content: bytes) -> NamespaceSnapshot:
    """A snapshot that was stored.

    Raises:
        ValueError: it is none, or of a format that this version does not know.
    """
    try:
        found = json.loads(gzip.decompress(content))
        if found["format"] != FORMAT:
            raise ValueError(f"a snapshot of format {found['format']}: a newer Cairn wrote it")
        files = {name: PackedFile(*part) for name, part in found["files"].items()}
        return NamespaceSnapshot(
            found["number"], files, found["by"], found["schema"], found["settings"]
        )
    except (OSError, EOFError, zlib.error, LookupError, TypeError, AttributeError) as error:
        raise ValueError("no snapshot, or not all of one") from error
