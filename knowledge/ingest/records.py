"""From the bytes of a log file to rows of `records`: recognised, placed in time, redacted."""

import shlex
from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import blake2b
from itertools import accumulate
from typing import Any, NamedTuple, Protocol

import polars as pl

from cairn.knowledge.ingest.adapter import Adapter
from cairn.knowledge.ingest.adapters import adapters
from cairn.knowledge.ingest.dating import possible
from cairn.knowledge.ingest.images import may_hold_images, without_images
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
from cairn.knowledge.schema.calendar import EPOCH
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.tables import DEAD_LETTERS, RECORDS, TIME

STAGE = "records"
_PLACE_LENGTH = 12
_UNREADABLE = {
    (b"\xff\xfe", b"\xfe\xff"): "UTF-16 text",
    (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ"): "compressed data",
}
"""How files begin that are no log as they stand."""
_NO_RECORDS = RECORDS.empty()
_NO_LETTERS = DEAD_LETTERS.empty()


class Redacts(Protocol):
    """Finds secrets and takes them out."""

    def suspects(self, data: bytes) -> list[tuple[int, int]]:
        """Spans (start, end) of raw bytes that may hold a secret; in one fast pass."""
        ...

    def redact_json(self, payload: bytes) -> tuple[bytes, int]:
        """A JSON payload without its secrets, and how many there were; the same bytes if none."""
        ...


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
    first = pl.col("record_key").str.head(_PLACE_LENGTH) + pl.col("content_hash")
    alike = ordered.filter(pl.col("native_id").is_null()).group_by(first).len()
    return Before(
        ordered["thread"][-1],
        ordered["session"][-1],
        timed[-1] if timed.len() else None,
        Counter(dict(alike.iter_rows())),
    )


@dataclass(frozen=True)
class SourceRead:
    """What a file, or the new end of one, gave.

    `records` has the schema of RECORDS and the order of the file. `consumed` bytes and `lines`, as
    far as they ended, are what was taken in; `incomplete` says that a value still being written was
    left for later. `refused` is the reason if nothing was read because the kind of data is unknown.
    `last` is the `before` of what comes next.
    """

    records: pl.DataFrame
    dead_letters: pl.DataFrame
    adapter: str | None = None
    consumed: int = 0
    lines: int = 0
    refused: str | None = None
    incomplete: bool = False
    last: Before = field(default_factory=Before)


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
        if not objects and unfinished(data):
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
    )


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
    payloads, column = _valid_text(found)
    images = _drop_images(payloads, column)
    redactions = _redact(found, payloads, data, source.redactor)
    for row in redactions:
        found.heads[row] = head_of(adapter, payloads[row])
    if images or redactions:
        column = _text(payloads)
    threads, sessions, native_ids, times, ordinals, silent = zip(*found.heads, strict=True)
    told = pl.DataFrame(
        {
            "thread": pl.Series(threads, dtype=pl.String),
            "session": pl.Series(sessions, dtype=pl.Boolean),
            "time": utc(pl.Series("time", times, dtype=pl.String), source.timezone),
        }
    )
    placed = _placed(told, adapter, source)
    alike = Counter(source.before.alike)
    digests = _digests(payloads, placed, native_ids, f"{source.namespace}\x1f{adapter.name}", alike)
    columns = {
        **placed.to_dict(),
        "record_key": digests.keys,
        "native_id": pl.Series(native_ids, dtype=pl.String),
        "ordinal": pl.Series(ordinals, dtype=pl.Int64),
        "silent_to": [adapter.fingerprint if nothing else None for nothing in silent],
        "payload": column,
        "content_hash": digests.contents,
        "size": column.str.len_bytes().cast(pl.Int64),
        "redactions": [redactions.get(row, 0) for row in range(len(payloads))],
        "images_dropped": [images.get(row, 0) for row in range(len(payloads))],
        "source_line": [source.start_line + line for line in found.lines],
        "source_offset": [source.start_offset + offset for offset in found.offsets],
    }
    frame = pl.DataFrame({name: columns[name] for name in RECORDS.schema}, schema=RECORDS.schema)
    if len(set(digests.keys)) < frame.height:
        frame = frame.unique("record_key", keep="first", maintain_order=True)
    thread, session, near = (placed.get_column(name)[-1] for name in ("thread", "session", "near"))
    return frame, Before(thread, session, near, alike)


def _valid_text(found: Payloads) -> tuple[list[bytes], pl.Series]:
    """Payloads as valid UTF-8, as bytes and as a column: what is not becomes U+FFFD."""
    payloads = list(found.payloads)
    try:
        return payloads, _text(payloads)
    except pl.exceptions.ComputeError:
        for row, payload in enumerate(payloads):
            try:
                payload.decode()
            except UnicodeDecodeError:
                payloads[row] = payload.decode("utf-8", "replace").encode()
    return payloads, _text(payloads)


def _text(payloads: list[bytes]) -> pl.Series:
    return pl.Series(payloads, dtype=pl.Binary).cast(pl.String)


def _drop_images(payloads: list[bytes], column: pl.Series) -> dict[int, int]:
    """Take pictures out of `payloads`; how many, by row."""
    dropped: dict[int, int] = {}
    for row in may_hold_images(column).arg_true():
        payloads[row], count = without_images(payloads[row])
        if count:
            dropped[row] = count
    return dropped


def _redact(
    found: Payloads, payloads: list[bytes], data: bytes, redactor: Redacts | None
) -> dict[int, int]:
    """Take secrets out of `payloads`; how many, by row. Rows that no prefilter hit stay as is."""
    redacted: dict[int, int] = {}
    if redactor is None:
        return redacted
    offsets = found.offsets
    if not found.as_read:
        data = b"\n".join(payloads)
        offsets = list(accumulate((len(one) + 1 for one in payloads[:-1]), initial=0))
    rows = set(found.mended)
    for start, end in redactor.suspects(data):
        rows.update(range(max(bisect_right(offsets, start) - 1, 0), bisect_left(offsets, end)))
    for row in sorted(rows):
        payloads[row], count = redactor.redact_json(payloads[row])
        if count:
            redacted[row] = count
    return redacted


def _placed(told: pl.DataFrame, adapter: Adapter, source: _Source) -> pl.DataFrame:
    """Thread, session and time of each line: its own, else of the line before, else of the next.

    A time before 2015 or from 2200 on is none, and its line undated; which are absurdly late is
    decided from all records, and not here (cairn.knowledge.ingest.dating). `near` is the last time;
    `borrowed` the microseconds of a time that the line itself does not tell. What all rows share
    comes along.
    """
    before = source.before
    time = pl.col("time")
    sane = possible(time)
    near = _nearest(sane, _moment(before.occurred_at))
    if adapter.one_session:
        own = pl.lit(before.thread, dtype=pl.String), pl.col("thread").drop_nulls().first()
        told = told.with_columns(
            thread=pl.when(pl.col("thread").is_not_null()).then(pl.coalesce(*own))
        )
    has_thread = pl.col("thread").is_not_null()
    session_before = before.session if before.thread is not None else None
    session = _nearest(
        pl.when(has_thread).then("session"), pl.lit(session_before, dtype=pl.Boolean)
    )
    thread = _nearest(pl.col("thread"), pl.lit(before.thread, dtype=pl.String))
    return told.select(
        thread=thread.fill_null(adapter.name),
        session=session.fill_null(value=False),
        occurred_at=pl.when(time.is_not_null()).then(sane).otherwise(near),
        near=near,
        borrowed=pl.when(time.is_null()).then(near.dt.epoch("us")),
        namespace=pl.lit(source.namespace),
        adapter=pl.lit(adapter.name),
        source_file=pl.lit(source.source_file),
        seen_at=_moment(source.seen_at),
    )


def _moment(time: datetime | None) -> pl.Expr:
    """A time as a literal; `pl.lit` of a time with a timezone runs a query of its own."""
    since = None if time is None else (time - EPOCH) // timedelta(microseconds=1)
    return pl.lit(since, dtype=pl.Int64).cast(TIME)


def _nearest(column: pl.Expr, before: pl.Expr) -> pl.Expr:
    """The value of a row, else of the one before, else of the one after."""
    return pl.coalesce(column.forward_fill(), before, column.backward_fill())


class _Digests(NamedTuple):
    keys: list[str]
    contents: list[str]


def _digests(
    payloads: list[bytes],
    placed: pl.DataFrame,
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
    contents = [blake2b(payload, digest_size=16).hexdigest() for payload in payloads]
    places: dict[tuple[str, int | None], str] = {}
    keys: list[str] = []
    for content, thread, native, time in zip(
        contents,
        placed.get_column("thread").to_list(),
        native_ids,
        placed.get_column("borrowed").to_list(),
        strict=True,
    ):
        at = thread, time if native is None else None
        place = places.get(at)
        if place is None:
            place = places[at] = digest(where, *at, length=_PLACE_LENGTH)
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
