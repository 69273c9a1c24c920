"""From the bytes of a log file to rows of `records`: recognised, placed in time, redacted."""

import errno
import os
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Any, NamedTuple, TypeVar

import polars as pl

from cairn.knowledge.ingest.adapter import Adapter
from cairn.knowledge.ingest.adapters import adapters
from cairn.knowledge.ingest.cleaning import Redacts, as_text, drop_images, redact, valid_text
from cairn.knowledge.ingest.dating import is_possible
from cairn.knowledge.ingest.jsonl import (
    Fault,
    Payloads,
    complete_length,
    decoded_document,
    decoded_lines,
    document,
    head_of,
    is_blank,
    sample,
    unfinished,
)
from cairn.knowledge.nlp.dates.timestamps import utc
from cairn.knowledge.schema.calendar import EPOCH, microseconds
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.tables import DEAD_LETTERS, RECORDS
from cairn.knowledge.schema.tables.table import TIME

_T = TypeVar("_T")

STAGE = "records"
PLACE_LENGTH = 12
"""Characters of a key that tell where a line stands; the rest tells what it says."""
_NAMED_BY = 3
"""Messages by whose digest adapters name a document that has no id of its own."""
_UNREADABLE = {
    (b"\xff\xfe", b"\xfe\xff"): "UTF-16 text",
    (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ"): "compressed data",
}
"""How files begin that are no log as they stand."""
_NO_RECORDS = RECORDS.empty()
_NO_LETTERS = DEAD_LETTERS.empty()


@dataclass(frozen=True)
class Before:
    """What the lines before say, for reading only the new end of a file that grew."""

    thread: str | None = None
    session: bool = False
    occurred_at: datetime | None = None
    alike: Counter[str] = field(default_factory=Counter[str], compare=False)
    """How many lines without native id had each key, before they were told apart."""


def before(records: pl.DataFrame) -> Before:
    """What the records of a file, as they are stored, say to the lines that come after them."""
    if records.is_empty():
        return Before()
    ordered = records.sort("source_line", "source_offset")
    timed = ordered["occurred_at"].drop_nulls()
    first = pl.col("record_key").str.head(PLACE_LENGTH) + pl.col("content_hash")
    alike = ordered.filter(pl.col("native_id").is_null()).group_by(first).len()
    return Before(
        ordered["thread"][-1],
        ordered["session"][-1],
        timed[-1] if timed.len() else None,
        Counter(dict(alike.iter_rows())),
    )


def has_place(records: pl.DataFrame, adapter: str) -> bool:
    """Whether the lines of a file, as they are stored, told a time and a thread.

    Where the first has none, none has told one; the next may tell that of all.
    """
    thread, session, time = (
        records.sort("source_line", "source_offset")
        .select("thread", "session", "occurred_at")
        .row(0)
    )
    known = adapters()[adapter]
    told = session or thread != known.name or head_of(known, b"{}").thread is not None
    return told and time is not None


def unplaced(records: pl.DataFrame) -> list[pl.DataFrame]:
    """Records as they were while their file had told no time; and no thread either."""

    def then(thread: str) -> pl.DataFrame:
        told = records.select("namespace", "adapter", "record_key", then=pl.col(thread))
        keys = [
            place_digest(where_of(namespace, adapter), name, None) + key[PLACE_LENGTH:]
            for namespace, adapter, key, name in told.iter_rows()
        ]
        return records.with_columns(
            pl.Series("record_key", keys, dtype=pl.String), thread=pl.col(thread)
        )

    return [then("thread"), then("adapter")]


def shorter(records: pl.DataFrame, earlier: Mapping[str, Sequence[str]]) -> list[pl.DataFrame]:
    """Records of documents as they were while those were shorter, and named otherwise."""
    versions: list[pl.DataFrame] = []
    thread, native = pl.col("thread"), pl.col("native_id")
    for count in range(_NAMED_BY - 1 if earlier else 0):
        then = thread.replace({now: old[count] for now, old in earlier.items() if old[count:]})
        inside = pl.concat_str(then, native.str.slice(thread.str.len_chars()))
        own = pl.when(native.str.starts_with(thread)).then(inside).otherwise(native)
        versions.append(records.with_columns(thread=then, native_id=own))
    return versions


@dataclass(frozen=True)
class SourceRead:
    """What a file, or the new end of one, gave.

    `records` has the schema of RECORDS and the order of the file. `consumed` bytes and `lines`, as
    far as they ended, are what was taken in; `incomplete` says that a value still being written was
    left for later. `refused` is the reason if nothing was read because the kind of data is unknown.
    `last` is the `before` of what comes next. `earlier` has the threads of a document by which its
    records went while it was shorter.
    """

    records: pl.DataFrame
    dead_letters: pl.DataFrame
    adapter: str | None = None
    consumed: int = 0
    lines: int = 0
    refused: str | None = None
    incomplete: bool = False
    last: Before = field(default_factory=Before)
    earlier: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])


class _Source(NamedTuple):
    """Where the bytes come from, and how to read them."""

    namespace: str
    source_file: str
    timezone: str
    seen_at: datetime
    redactor: Redacts | None
    start_line: int
    start_offset: int
    before: Before


def cannot_be_read(error: OSError) -> str:
    """Why a file is refused that the system does not give."""
    return f"cannot be read: {error.strerror}"


CLOSED = cannot_be_read(PermissionError(errno.EACCES, os.strerror(errno.EACCES)))


def refusal(reason: str) -> str:
    """Digest of why a file is refused, and by which adapters; another may read it."""
    return digest(reason, *(adapter.fingerprint for adapter in adapters().values()))


def read_records(
    data: bytes,
    *,
    namespace: str,
    source_file: str,
    timezone: str,
    seen_at: datetime,
    redactor: Redacts | None,
    start_line: int = 1,
    start_offset: int = 0,
    adapter: str | None = None,
    before: Before | None = None,
) -> SourceRead:
    """Rows of `records` from the bytes of a file, and what in it could not be read.

    Args:
        data: The file from `start_offset` on; that is the start of line `start_line`.
        namespace: Person or tenant.
        source_file: Its path, as it is stored.
        timezone: IANA name; times without an offset are in it.
        seen_at: When it was read; nothing follows from it.
        redactor: Takes secrets out before anything leaves this function; None only in tests.
        start_line: Number of the first line.
        start_offset: Byte offset of the first line.
        adapter: Name of the adapter, when the file's kind is known from an earlier read.
        before: What the lines before say (`last` of the read before this one).

    Raises:
        KeyError: there is no adapter of that name.
    """
    source = _Source(
        namespace, source_file, timezone, seen_at, redactor, start_line, start_offset,
        before or Before(),
    )  # fmt: skip
    known = adapters()[adapter] if adapter is not None else None
    if is_blank(data):
        return SourceRead(_NO_RECORDS, _NO_LETTERS, adapter)
    is_document, value = document(data) if start_offset == 0 else (False, None)
    body = data if is_document else data[: complete_length(data)]
    if known is None:
        objects = [value] if is_document else sample(body)
        if not objects and unfinished(data) and not _is_whole_line(data, source_file):
            return SourceRead(_NO_RECORDS, _NO_LETTERS, incomplete=True)
        known = next((one for one in adapters().values() if _claims(one, objects)), None)
        if known is None:
            return SourceRead(_NO_RECORDS, _NO_LETTERS, refused=_unknown(data, objects))
    if not body:
        return SourceRead(_NO_RECORDS, _NO_LETTERS, adapter, incomplete=True)
    found = decoded_document(value, body, known) if is_document else decoded_lines(body, known)
    records, last = _rows(found, body, known, source)
    return SourceRead(
        records=records,
        dead_letters=_dead_letters(found.faults, source),
        adapter=known.name,
        consumed=len(body),
        lines=body.count(b"\n"),
        incomplete=len(body) < len(data),
        last=last,
        earlier=_earlier(value, found, known) if is_document else {},
    )


def _earlier(value: Any, found: Payloads, adapter: Adapter) -> dict[str, Sequence[str]]:
    """Threads that a document without an id of its own had while it held fewer messages."""
    threads = [head.thread for head in found.heads[:1]]
    for count in range(1, _NAMED_BY if adapter.unpack else 0):
        begun = decoded_document(_cut(value, count), b"", adapter)
        threads += [head.thread for head in begun.heads[:1]]
    now, *old = [thread for thread in threads if thread is not None] or [""]
    old = [thread for thread in old if thread != now]
    return {now: old} if old else {}


def _cut(document: Any, count: int) -> Any:
    """The beginning of a list, or of the lists in an object."""
    if isinstance(document, dict):
        parts = document.items()
        return {key: part[:count] if isinstance(part, list) else part for key, part in parts}
    return document[:count] if isinstance(document, list) else document


def _is_whole_line(data: bytes, source_file: str) -> bool:
    """Whether a file of lines has one that is at its end: no more comes of it, though it is broken.

    The beginning of a value that is parted among lines is a mark alone.
    """
    line, end, rest = data.partition(b"\n")
    of_lines = source_file.lower().endswith((".jsonl", ".ndjson"))
    return of_lines and bool(end) and not rest.strip() and len(line.strip()) > 2


def _claims(adapter: Adapter, objects: list[Any]) -> bool:
    """Whether an adapter knows these as its kind; data that it stumbles over is not."""
    try:
        return adapter.recognises(objects)
    except (TypeError, ValueError, KeyError, AttributeError, IndexError):
        return False


def _unknown(data: bytes, objects: list[Any]) -> str:
    what = "unknown kind of data" if objects else "no JSON object found"
    for signs, name in _UNREADABLE.items():
        if data.startswith(signs):
            what = f"{name}: unpack or convert it to plain UTF-8 first"
    return f"{what}; known kinds: {', '.join(sorted(adapters()))}"


def _rows(
    found: Payloads, data: bytes, adapter: Adapter, source: _Source
) -> tuple[pl.DataFrame, Before]:
    if not found.payloads:
        return _NO_RECORDS, source.before
    payloads, column = valid_text(found)
    images = drop_images(payloads, column)
    redactions = redact(found, payloads, data, source.redactor)
    for row in redactions:
        found.heads[row] = head_of(adapter, payloads[row])
    if images or redactions:
        column = as_text(payloads)
    threads, sessions, native_ids, times, ordinals, silent = zip(*found.heads, strict=True)
    placed = _placed(threads, sessions, _moments(times, source.timezone), adapter, source.before)
    alike = Counter(source.before.alike)
    digests = _digests(
        payloads, placed, native_ids, where_of(source.namespace, adapter.name), alike
    )
    count = len(payloads)
    columns: dict[str, Sequence[Any]] = {
        "thread": placed.threads,
        "session": placed.sessions,
        "occurred_at": placed.times,
        "namespace": [source.namespace] * count,
        "adapter": [adapter.name] * count,
        "source_file": [source.source_file] * count,
        "seen_at": [microseconds(source.seen_at)] * count,
        "record_key": digests.keys,
        "native_id": native_ids,
        "ordinal": ordinals,
        "silent_to": [adapter.fingerprint if nothing else None for nothing in silent],
        "content_hash": digests.contents,
        "size": list(map(len, payloads)),
        "redactions": [redactions.get(row, 0) for row in range(count)],
        "images_dropped": [images.get(row, 0) for row in range(count)],
        "source_line": [source.start_line + line for line in found.lines],
        "source_offset": [source.start_offset + offset for offset in found.offsets],
    }
    frame = pl.DataFrame(
        [
            column.alias(name) if name == "payload" else _series(name, columns[name], kind)
            for name, kind in RECORDS.schema.items()
        ]
    )
    if len(set(digests.keys)) < frame.height:
        frame = frame.unique("record_key", keep="first", maintain_order=True)
    near = None if placed.near is None else EPOCH + timedelta(microseconds=placed.near)
    return frame, Before(placed.threads[-1], placed.sessions[-1], near, alike)


def _series(name: str, values: Sequence[Any], kind: pl.DataType) -> pl.Series:
    """A column of these values; times are microseconds since 1970."""
    if kind == TIME:
        return pl.Series(name, values, dtype=pl.Int64).cast(TIME)
    return pl.Series(name, values, dtype=kind)


class _Placed(NamedTuple):
    """Where lines stand, one by one; times are microseconds since 1970."""

    threads: list[str]
    sessions: list[bool]
    times: list[int | None]
    borrowed: list[int | None]
    """Times that lines do not tell themselves."""
    near: int | None
    """The last time, as far as the last line."""


def _placed(
    threads: Sequence[str | None],
    sessions: Sequence[bool],
    told: list[int | None],
    adapter: Adapter,
    before: Before,
) -> _Placed:
    """Thread, session and time of each line: its own, else of the line before, else of the next.

    A time before 2015 or from 2200 on is none, and its line undated; which are absurdly late is
    decided from all records, and not here (cairn.knowledge.ingest.dating).
    """
    if adapter.one_session:
        told_first = (thread for thread in (before.thread, *threads) if thread is not None)
        first = next(told_first, None)
        threads = [first if thread is not None else None for thread in threads]
    own = [
        None if thread is None else (thread, session)
        for thread, session in zip(threads, sessions, strict=True)
    ]
    belongs = _nearest(own, None if before.thread is None else (before.thread, before.session))
    held = [at or (adapter.name, False) for at in belongs]
    sane = [time if time is not None and is_possible(time) else None for time in told]
    near = _nearest(sane, None if before.occurred_at is None else microseconds(before.occurred_at))
    return _Placed(
        [thread for thread, _ in held],
        [session for _, session in held],
        [close if own is None else time for own, time, close in zip(told, sane, near, strict=True)],
        [close if own is None else None for own, close in zip(told, near, strict=True)],
        near[-1],
    )


def _moments(times: Sequence[str | None], timezone: str) -> list[int | None]:
    """Times as lines tell them, in microseconds since 1970."""
    if not any(times):
        return [None] * len(times)
    return utc(pl.Series("time", times, dtype=pl.String), timezone).to_physical().to_list()


def _nearest(values: Sequence[_T | None], before: _T | None) -> Sequence[_T | None]:
    """The value of a row, else of the one before, else of the one after."""
    if None not in values:
        return values
    if before is None:
        before = next((value for value in values if value is not None), None)
    found: list[_T | None] = []
    for value in values:
        if value is not None:
            before = value
        found.append(before)
    return found


class _Digests(NamedTuple):
    keys: list[str]
    contents: list[str]


def place_digest(where: str, thread: str, borrowed: int | None) -> str:
    """First part of a key: a digest of namespace and adapter, thread, and a time it was lent."""
    return digest(where, thread, borrowed, length=PLACE_LENGTH)


def where_of(namespace: str, adapter: str) -> str:
    """Namespace and adapter, as `place_digest` wants them."""
    return f"{namespace}\x1f{adapter}"


def content_digest(payload: bytes) -> str:
    """Digest of a payload."""
    return blake2b(payload, digest_size=16).hexdigest()


def _digests(
    payloads: list[bytes],
    placed: _Placed,
    native_ids: tuple[str | None, ...],
    where: str,
    alike: Counter[str],
) -> _Digests:
    """Keys of the rows, and digests of their payloads.

    A key is a digest of `where` (namespace and adapter) and thread, then one of the payload, in
    which the native id stands. Of a line without native id it is also of the time, if the line
    itself tells none, and of how many like it came before. So a line that stands in two files is
    one record, and two equal lines of a chat stay two. `alike` counts on.
    """
    contents = [content_digest(payload) for payload in payloads]
    places: dict[tuple[str, int | None], str] = {}
    keys: list[str] = []
    for content, thread, native, time in zip(
        contents, placed.threads, native_ids, placed.borrowed, strict=True
    ):
        at = thread, time if native is None else None
        place = places.get(at)
        if place is None:
            place = places[at] = place_digest(where, *at)
        key = place + content
        if native is None:
            alike[key] += 1
            if alike[key] > 1:
                key = place + digest(content, alike[key], length=len(content))
        keys.append(key)
    return _Digests(keys, contents)


def _dead_letters(faults: list[Fault], source: _Source) -> pl.DataFrame:
    if not faults:
        return _NO_LETTERS
    return DEAD_LETTERS.frame(
        {
            "namespace": source.namespace,
            "dead_letter_id": digest(STAGE, source.namespace, source.source_file, offset),
            "stage": STAGE,
            "source_file": source.source_file,
            "source_line": source.start_line + fault.line,
            "source_offset": offset,
            "reason": fault.reason,
            "replay": shlex.join(
                ["cairn", "run", "--source", source.source_file, "--namespace", source.namespace]
            ),
        }
        for fault in faults
        for offset in (source.start_offset + fault.offset,)
    )
