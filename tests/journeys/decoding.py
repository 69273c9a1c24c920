"""Every file of a home, decoded: where a word still stands, whatever it is stored as."""

import json
import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import qdrant_edge as edge


def standing(home: Path, word: str) -> dict[str, str]:
    """Files in which a word stands in any case, by their path in the home, and how it was found."""
    found: dict[str, str] = {}
    wanted = word.casefold().encode()
    for path in sorted(home.rglob("*")):
        if path.is_file():
            for how, content in _decoded(path):
                if wanted in content.lower():
                    found[str(path.relative_to(home))] = how
                    break
    for shard in sorted(home.glob("index/*/*/*/shard")):
        if wanted in _payloads(shard).lower():
            found[str(shard.relative_to(home))] = "payload"
    return found


def _decoded(path: Path) -> Iterator[tuple[str, bytes]]:
    """What a file holds: as it stands (free pages are bytes of it), and unpacked."""
    content = path.read_bytes()
    yield "bytes", content
    if content.startswith(b"PAR1"):
        # Pages are compressed; dictionaries and statistics are read with them.
        file = pq.ParquetFile(path)
        yield "rows", json.dumps(file.read().to_pylist(), default=str).encode()
        yield "statistics", str(file.metadata.to_dict()).encode()
    elif content.startswith(b"SQLite format 3\0"):
        yield "tables", b"\n".join(_values(path))


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


def _payloads(folder: Path) -> bytes:
    """Payloads of all points of a generation: the engine may compress them."""
    shard = edge.EdgeShard.load(str(folder))
    points, _ = shard.scroll(edge.ScrollRequest(limit=100_000, with_payload=True))
    told = json.dumps([point.payload for point in points], default=str).encode()
    shard.close()
    return told
