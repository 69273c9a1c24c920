"""Records as an export holds them, one a line: checked before they are believed, redacted again.

A line says itself which adapter read it, and where it stood at first, so that lineage is the same
in every home. Its `record_key` is the check: its first part must be the digest of namespace,
adapter, thread and, where the line was lent its time, of that; `content_hash` must be the digest of
the payload. In another namespace the first part is another; the second, in which lines that are
alike are counted, stays.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, NamedTuple

import msgspec
import polars as pl

from cairn.knowledge.ingest.adapters import adapters
from cairn.knowledge.ingest.cleaning import Redacts, drop_images, redact, valid_text
from cairn.knowledge.ingest.dating import is_possible
from cairn.knowledge.ingest.jsonl import Payloads, head_of
from cairn.knowledge.ingest.records import (
    PLACE_LENGTH,
    STAGE,
    SourceRead,
    content_digest,
    place_digest,
    where_of,
)
from cairn.knowledge.schema.calendar import microseconds
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.tables import DEAD_LETTERS, RECORDS

NAME = "export"
"""What `source_files` calls the reader of such a file: it is no adapter, and recognises nothing."""

_COUNT = Annotated[int, msgspec.Meta(ge=0, lt=2**62)]
_CONTENT_LENGTH = 32
_KEY = re.compile(rf"[0-9a-f]{{{PLACE_LENGTH + _CONTENT_LENGTH}}}")
_ADAPTER = re.compile(r"[A-Za-z0-9_.-]{1,60}")

NO_RECORD = "no_record"
REASONS = {
    NO_RECORD: "is no record of an export, or only a part of one",
    "adapter": "its adapter has a name that none can have",
    "payload": "its payload is no JSON object",
    "content": "its payload is not the one that its digest is of",
    "key": "its key is not that of its place and content",
    "time": "its time is none of a log",
    "twice": "the record stands in this file already",
}
"""Why a line is none that can be taken in, by the word that stands for it in a copy."""


class ExportedRecord(msgspec.Struct, kw_only=True):
    """A row of RECORDS as a line of an export."""

    namespace: str
    record_key: str
    adapter: str
    thread: str
    session: bool
    native_id: str | None = None
    ordinal: _COUNT | None = None
    occurred_at: Annotated[datetime, msgspec.Meta(tz=True)] | None = None
    source_file: str
    source_line: _COUNT
    source_offset: _COUNT
    redactions: _COUNT = 0
    images_dropped: _COUNT = 0
    content_hash: str
    payload: str


class _RefusedCopy(msgspec.Struct):
    """What stands in a copy for a line that cannot be taken in: nothing of it."""

    refused: str


class ExportedLines(NamedTuple):
    """What lines of an export say. Rows and `lines` are in their order."""

    records: pl.DataFrame
    """With the schema of RECORDS."""
    lines: list[int]
    """Of each row its line, from 0."""
    refused: list[tuple[int, str]]
    """Line, and one of REASONS, of those that cannot be taken in."""
    redactions: int = 0
    """Secrets that were taken out now."""


_RECORD = msgspec.json.Decoder(ExportedRecord)
_REFUSED = msgspec.json.Decoder(_RefusedCopy)
_COLUMNS = ExportedRecord.__struct_fields__


def encoded(records: pl.DataFrame) -> Iterator[bytes]:
    """Rows of RECORDS as lines of an export, in their order, each with its end."""
    for row in records.select(_COLUMNS).iter_rows():
        yield _line(ExportedRecord(**dict(zip(_COLUMNS, row, strict=True))))


def read_lines(
    data: bytes,
    *,
    namespace: str,
    seen_at: datetime,
    redactor: Redacts | None,
    moved: bool = False,
) -> ExportedLines:
    """Records of lines of an export.

    Args:
        data: Whole lines.
        namespace: Whose they become.
        seen_at: When they were read; nothing follows from it.
        redactor: Takes secrets out that were none to who exported; None of a copy of our own.
        moved: Whether they may be of another namespace: their keys are made anew then.
    """
    taken: list[tuple[int, ExportedRecord]] = []
    refused: list[tuple[int, str]] = []
    for number, line in enumerate(data.split(b"\n")):
        if not line.strip():
            continue
        found = _decoded(line)
        if isinstance(found, str):
            refused.append((number, found))
        elif not moved and found.namespace != namespace:
            refused.append((number, "key"))
        else:
            taken.append((number, found))
    clean = _redacted([record for _, record in taken], redactor)
    rows: list[Mapping[str, object]] = []
    lines: list[int] = []
    seen: set[str] = set()
    for (number, record), payload, count, images in zip(taken, *clean, strict=True):
        row = _row(record, namespace, payload, redactor)
        if row["record_key"] in seen:
            refused.append((number, "twice"))
            continue
        seen.add(str(row["record_key"]))
        row["redactions"] = record.redactions + count
        row["images_dropped"] = record.images_dropped + images
        rows.append(row | {"seen_at": seen_at})
        lines.append(number)
    return ExportedLines(_frame(rows), lines, sorted(refused), sum(clean[1]))


def copied(data: bytes, found: ExportedLines) -> bytes:
    """Lines as a home keeps them: redacted, of its namespace, and each at its place in the file.

    What cannot be taken in leaves no more than the reason there.
    """
    lines = [b"\n"] * (data.count(b"\n") + (not data.endswith(b"\n")))
    for number, line in zip(found.lines, encoded(found.records), strict=True):
        lines[number] = line
    for number, reason in found.refused:
        lines[number] = msgspec.json.encode(_RefusedCopy(reason)) + b"\n"
    return b"".join(lines)


def read_exported(
    data: bytes,
    *,
    namespace: str,
    source_file: str,
    seen_at: datetime,
    redactor: Redacts | None,
    start_line: int = 1,
    start_offset: int = 0,
) -> SourceRead:
    """What intake takes from a copy of an export: whole lines, the first of them `start_line`."""
    found = read_lines(data, namespace=namespace, seen_at=seen_at, redactor=redactor)
    starts = [0]
    for line in data.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    letters = DEAD_LETTERS.frame(
        {
            "namespace": namespace,
            "dead_letter_id": digest(STAGE, namespace, source_file, start_offset + starts[number]),
            "stage": STAGE,
            "source_file": source_file,
            "source_line": start_line + number,
            "source_offset": start_offset + starts[number],
            "reason": REASONS[reason],
            "replay": "cairn import FOLDER",
        }
        for number, reason in found.refused
    )
    return SourceRead(found.records, letters, NAME, consumed=len(data), lines=data.count(b"\n"))


def _decoded(line: bytes) -> ExportedRecord | str:
    """A record; or why it is none, one of REASONS."""
    try:
        record = _RECORD.decode(line)
        payload = msgspec.json.decode(record.payload)
        content = content_digest(record.payload.encode())
    except msgspec.ValidationError:
        return _told_reason(line)
    except (ValueError, RecursionError):
        return NO_RECORD
    if not _ADAPTER.fullmatch(record.adapter):
        return "adapter"
    if not isinstance(payload, dict):
        return "payload"
    if record.content_hash != content:
        return "content"
    if record.occurred_at is not None and not is_possible(microseconds(record.occurred_at)):
        return "time"
    of_place, of_content = record.record_key[:PLACE_LENGTH], record.record_key[PLACE_LENGTH:]
    whole = _KEY.fullmatch(record.record_key) and of_place in _places(record, record.namespace)
    if not whole or (record.native_id is not None and of_content != record.content_hash):
        return "key"
    return record


def _told_reason(line: bytes) -> str:
    """Why a line was refused when it was copied; of any other one, that it is no record."""
    try:
        told = _REFUSED.decode(line).refused
    except msgspec.DecodeError:
        return NO_RECORD
    return told if told in REASONS else NO_RECORD


def _places(record: ExportedRecord, namespace: str) -> tuple[str, ...]:
    """First parts that its key may have in a namespace: of a line with a time of its own; else."""
    where = where_of(namespace, record.adapter)
    own = place_digest(where, record.thread, None)
    if record.native_id is not None or record.occurred_at is None:
        return (own,)
    return own, place_digest(where, record.thread, microseconds(record.occurred_at))


def _redacted(
    records: Sequence[ExportedRecord], redactor: Redacts | None
) -> tuple[list[bytes], list[int], list[int]]:
    """Payloads without secrets and pictures, and how many of both were in each."""
    found = Payloads([record.payload.encode() for record in records], as_read=False)
    if not records:
        return [], [], []
    payloads, column = valid_text(found)
    images = drop_images(payloads, column)
    secrets = redact(found, payloads, b"", redactor)
    rows = range(len(payloads))
    return payloads, [secrets.get(row, 0) for row in rows], [images.get(row, 0) for row in rows]


def _row(
    record: ExportedRecord, namespace: str, payload: bytes, redactor: Redacts | None
) -> dict[str, Any]:
    """A row of RECORDS, but for what was counted."""
    thread, native_id, source_file = (
        _clean(text, redactor) for text in (record.thread, record.native_id, record.source_file)
    )
    content = content_digest(payload)
    lent = record.record_key[:PLACE_LENGTH] != _places(record, record.namespace)[0]
    time = microseconds(record.occurred_at) if lent and record.occurred_at is not None else None
    second = record.record_key[PLACE_LENGTH:]
    if content != record.content_hash:
        # Two that differed in a secret alone stay two, where nothing else tells them apart.
        second = digest(content, second, length=len(second)) if native_id is None else content
    adapter = adapters().get(record.adapter)
    silent = adapter is not None and head_of(adapter, payload).silent
    return {
        "namespace": namespace,
        "record_key": place_digest(where_of(namespace, record.adapter), thread or "", time)
        + second,
        "adapter": record.adapter,
        "thread": thread,
        "session": record.session,
        "native_id": native_id,
        "ordinal": record.ordinal,
        "silent_to": adapter.fingerprint if adapter and silent else None,
        "occurred_at": record.occurred_at,
        "payload": payload.decode(),
        "content_hash": content,
        "size": len(payload),
        "source_file": source_file,
        "source_line": record.source_line,
        "source_offset": record.source_offset,
    }


def _clean(text: str | None, redactor: Redacts | None) -> str | None:
    """A text beside the payload without secrets: who wrote the file may have put one there."""
    if text is None or redactor is None:
        return text
    quoted = msgspec.json.encode([text])
    return str(msgspec.json.decode(redactor.redact_json(quoted)[0])[0])


def _frame(rows: Sequence[Mapping[str, object]]) -> pl.DataFrame:
    """Rows of RECORDS in their order."""
    if not rows:
        return RECORDS.empty()
    return pl.DataFrame(rows, schema=RECORDS.schema, orient="row")


def _line(record: ExportedRecord) -> bytes:
    return msgspec.json.encode(record) + b"\n"
