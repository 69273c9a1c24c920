"""A namespace as lines of JSON: what another home makes the same knowledge of, and who reads it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import polars as pl

from cairn.knowledge.ingest.adapters import inbox
from cairn.knowledge.ingest.exported import encoded
from cairn.knowledge.schema.tables import EPISODES, LEARNINGS, MEMORY, MEMORY_ENTITIES, RECORDS
from cairn.knowledge.schema.tables.table import TIME
from cairn.serving.exchange.answers import answer_lines
from cairn.serving.exchange.folder import ExportManifest, read_manifest, written
from cairn.serving.read.display import count
from cairn.serving.read.reader import Reader

RECORDS_FILE, ANSWERS_FILE = "records.jsonl", "answers.jsonl"
TABLE_FILES = {
    "facts.jsonl": MEMORY,
    "entities.jsonl": MEMORY_ENTITIES,
    "learnings.jsonl": LEARNINGS,
    "episodes.jsonl": EPISODES,
}
"""What is for people and other programs: an import makes all of it anew."""

BATCH_BYTES = 32 * 1024 * 1024
"""Payload that is held at once."""

Tell = Callable[[str], None]

TOMBSTONE_LINE = (
    (pl.col("adapter") == inbox.ADAPTER.name)
    & (pl.col("thread") == inbox.TOMBSTONES)
    & ~pl.col("session")
)
"""Their digests are made with the secret of one home: elsewhere they name nothing."""


class WrittenExport(NamedTuple):
    """What was written."""

    folder: Path
    manifest: ExportManifest


def export_jsonl(reader: Reader, target: Path, *, replace: bool, tell: Tell) -> WrittenExport:
    """Writes records, answers of models and tables of a namespace, as published.

    Raises:
        ExchangeError: the folder cannot be written to.
    """
    with written(reader, target, "jsonl", replace=replace) as folder:
        heads = reader.table(RECORDS, ["record_key", "size", "adapter", "thread", "session"])
        keys = heads.with_columns(tombstone=TOMBSTONE_LINE).collect().sort("record_key")
        if tombstones := int(keys["tombstone"].sum()):
            folder.left_out["tombstones"] = tombstones
        keys = keys.filter(~pl.col("tombstone"))
        tell(f"{count(keys.height, 'record')} of namespace {reader.namespace}")
        folder.write(RECORDS_FILE, _records(reader, keys, tell))
        folder.write(ANSWERS_FILE, answer_lines(reader.state, reader.namespace))
        for name, table in TABLE_FILES.items():
            tell(name)
            folder.write(name, _rows(reader.table(table).collect().sort(table.key)))
    target = target.absolute()
    return WrittenExport(target, read_manifest(target))


def _records(reader: Reader, keys: pl.DataFrame, tell: Tell) -> Iterator[bytes]:
    """Lines of records in the order of their keys, batch by batch."""
    batch = (keys["size"].cum_sum() - keys["size"]) // BATCH_BYTES
    done = 0
    for part in keys.with_columns(batch=batch).partition_by("batch", maintain_order=True):
        first, last = part["record_key"][0], part["record_key"][-1]
        rows = (
            reader.table(RECORDS)
            .filter(pl.col("record_key").is_between(pl.lit(first), pl.lit(last)), ~TOMBSTONE_LINE)
            .collect()
        )
        yield from encoded(rows.sort("record_key"))
        done += part.height
        tell(f"{done:,} of {count(keys.height, 'record')}")


def _rows(frame: pl.DataFrame) -> Iterator[bytes]:
    """Rows as lines of JSON, times in ISO 8601."""
    times = [name for name, kind in frame.schema.items() if kind == TIME]
    told = frame.with_columns(pl.col(times).dt.strftime("%Y-%m-%dT%H:%M:%S%.6fZ"))
    for part in told.iter_slices(10_000):
        yield from (line + b"\n" for line in part.write_ndjson().encode().splitlines())
