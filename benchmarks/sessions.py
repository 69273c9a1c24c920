"""Sessions of any size: real ones repeated, each copy with ids, days and words of its own."""

import hashlib
import random
import re
from datetime import date, timedelta
from itertools import count
from pathlib import Path

from cairn.resources.home.log_files import LOG_SUFFIXES

SAMPLES = Path(__file__).parents[1] / "data" / "samples"
A_CHAT = SAMPLES / "chat" / "kitchen.jsonl"

DAYS_APART = 3
"""Each copy lies this many days before the one it follows: no time is in the future."""

CHANGED_WORDS = 0.05
"""Share of words that become another one."""

_IDS = re.compile(
    rb"\b(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    rb"|(?:toolu|msg|req|call)_[0-9A-Za-z]{8,})\b"
)
_TIME = re.compile(rb'("timestamp": ?")(\d{4}-\d\d-\d\d)')
_FOLDER = re.compile(rb'"cwd": ?"([^"]*/)?([^"/]+)"')
_WORD = re.compile(rb"(?<= )[a-z]{5,}(?= )")


def sessions(source: Path, folder: Path, size: int) -> int:
    """Writes log files made of those under `source` into `folder`; gives their bytes.

    Every copy after the first has fresh uuids, session, tool, message and request ids (the same
    one wherever it stands, so that threads hold together), lies `DAYS_APART` days before the copy
    that it follows, works in project folders of its own, and has `CHANGED_WORDS` of its words (of
    five or more small letters, between spaces) changed into other words of the source: so no two
    copies give the same records, and facts repeat only in part.

    Args:
        source: A log file, or a folder with some.
        folder: Made if it is not there.
        size: Bytes to reach; the last file is written whole.

    Raises:
        ValueError: `source` has no log files.
    """
    originals = {path: path.read_bytes() for path in _files(source)}
    if not any(originals.values()):
        raise ValueError(f"{source}: no log files")
    vocabulary = sorted({word for data in originals.values() for word in _WORD.findall(data)})
    written = 0
    for copy in count():
        for path, data in originals.items():
            place = folder / f"copy-{copy:03}" / _named(path.relative_to(_root(source)), copy)
            place.parent.mkdir(parents=True, exist_ok=True)
            chance = random.Random(f"{copy}/{path.name}")
            written += place.write_bytes(_changed(data, copy, vocabulary, chance))
            if written >= size:
                return written
    raise AssertionError("unreachable")


def _root(source: Path) -> Path:
    return source if source.is_dir() else source.parent


def _files(source: Path) -> list[Path]:
    if source.is_file():
        return [source]
    return sorted(path for path in source.rglob("*") if path.suffix in LOG_SUFFIXES)


def _named(path: Path, copy: int) -> Path:
    return Path(_IDS.sub(lambda found: _id(found[0], copy), str(path).encode()).decode())


def _changed(data: bytes, copy: int, vocabulary: list[bytes], chance: random.Random) -> bytes:
    if copy == 0:
        return data

    def day(found: re.Match[bytes]) -> bytes:
        before = date.fromisoformat(found[2].decode()) - timedelta(days=DAYS_APART * copy)
        return found[1] + str(before).encode()

    def word(found: re.Match[bytes]) -> bytes:
        return chance.choice(vocabulary) if chance.random() < CHANGED_WORDS else found[0]

    data = _IDS.sub(lambda found: _id(found[0], copy), data)
    data = _TIME.sub(day, data)
    data = _FOLDER.sub(rb'"cwd":"\1\2-%d"' % copy, data)
    return _WORD.sub(word, data)


def _id(original: bytes, copy: int) -> bytes:
    """Another id of the same form: prefix and dashes stay."""
    head, mark, _ = original.rpartition(b"_")
    fresh = hashlib.blake2b(original, salt=copy.to_bytes(4, "big"), digest_size=16).hexdigest()
    if mark:
        return head + mark + fresh[: len(original) - len(head) - 1].encode()
    return "-".join((fresh[:8], fresh[8:12], fresh[12:16], fresh[16:20], fresh[20:])).encode()
