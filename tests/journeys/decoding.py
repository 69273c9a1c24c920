"""Every file of a home, decoded: where a word still stands, whatever it is stored as."""

import json
import os
import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import qdrant_edge as edge

BLOCK = 128
"""Bytes of a block of the index: a value begins with one."""
LONGEST = 1 << 20
"""Bytes of a value of the index, unpacked."""


def standing(home: Path, word: str) -> dict[str, list[str]]:
    """Files in which a word stands in any case, by their path in the home: each way it is found."""
    found: dict[str, list[str]] = {}
    wanted = word.casefold().encode()
    for path in sorted(home.rglob("*")):
        if path.is_file():
            hows = [how for how, content in _decoded(path) if wanted in content.lower()]
            if hows:
                found[str(path.relative_to(home))] = hows
    for shard in sorted(home.glob("index/*/*/*/shard")):
        if wanted in _payloads(shard).lower():
            found[str(shard.relative_to(home))] = ["payload"]
    return found


def _decoded(path: Path) -> Iterator[tuple[str, bytes]]:
    """What a file holds: as it stands (free pages are bytes of it), and unpacked."""
    content = b"".join(_stored(path))
    yield "bytes", content
    if content.startswith(b"PAR1"):
        # Pages are compressed; dictionaries and statistics are read with them.
        file = pq.ParquetFile(path)
        yield "rows", json.dumps(file.read().to_pylist(), default=str).encode()
        yield "statistics", str(file.metadata.to_dict()).encode()
    elif content.startswith(b"SQLite format 3\0"):
        yield "tables", b"\n".join(_values(path))
    elif path.name.startswith("page_"):
        yield "blocks", b"\n".join(_unpacked(content))


def _stored(path: Path) -> Iterator[bytes]:
    """A file without its holes, which the index reserves: they begin and end with its blocks."""
    with path.open("rb", buffering=0) as file:
        at, size = 0, path.stat().st_size
        while at < size:
            try:
                begin = os.lseek(file.fileno(), at, os.SEEK_DATA)
            except OSError:  # nothing but a hole is left
                return
            at = os.lseek(file.fileno(), begin, os.SEEK_HOLE)
            yield os.pread(file.fileno(), at - begin, begin)


def _values(path: Path) -> Iterator[bytes]:
    """All values of all tables; Dagster keeps snapshots of jobs compressed."""
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        names = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (name,) in names:
            for row in database.execute(f'SELECT * FROM "{name}"'):
                for value in row:
                    data = value if isinstance(value, bytes) else str(value).encode()
                    yield data
                    if data[:1] == b"\x78":
                        yield zlib.decompress(data)
    finally:
        database.close()


def _unpacked(page: bytes) -> Iterator[bytes]:
    """Values of a page of the index (LZ4 blocks behind their size), those of deleted points too."""
    sizes = np.frombuffer(page[: len(page) // BLOCK * BLOCK], "<u4")[:: BLOCK // 4]
    for block in np.flatnonzero((sizes > 0) & (sizes < LONGEST)).tolist():
        yield _lz4(page, block * BLOCK + 4, int(sizes[block]))


def _lz4(page: bytes, at: int, size: int) -> bytes:
    """As much of an LZ4 block as can be unpacked, up to its size."""
    made = bytearray()
    while len(made) < size and at < len(page):
        token = page[at]
        length, at = _length(page, at + 1, token >> 4)
        made += page[at : at + length]
        at += length
        if len(made) >= size or at + 2 > len(page):
            break
        back = int.from_bytes(page[at : at + 2], "little")
        length, at = _length(page, at + 2, token & 15)
        if not 0 < back <= len(made):
            break
        for _ in range(min(length + 4, size - len(made))):
            made.append(made[-back])
    return bytes(made)


def _length(page: bytes, at: int, length: int) -> tuple[int, int]:
    """A length that goes on as long as its bytes are full, and where it ends."""
    if length == 15:
        while at < len(page):
            length, at = length + page[at], at + 1
            if page[at - 1] != 255:
                break
    return length, at


def _payloads(folder: Path) -> bytes:
    """Payloads of all points of a generation, as the engine gives them."""
    shard = edge.EdgeShard.load(str(folder))
    points, _ = shard.scroll(edge.ScrollRequest(limit=100_000, with_payload=True))
    told = json.dumps([point.payload for point in points], default=str).encode()
    shard.close()
    return told
