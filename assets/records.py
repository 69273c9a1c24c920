"""Intake: source lines become records, redacted before they are written."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b
from typing import Any, NamedTuple

import polars as pl

from cairn.assets.engine.prefetch import ahead
from cairn.assets.engine.progress import StageReport, timed
from cairn.assets.pending.records import changed_files
from cairn.knowledge.engine.diff import Change
from cairn.knowledge.ingest.adapters import adapters
from cairn.knowledge.ingest.exported import read_exported
from cairn.knowledge.ingest.records import (
    STAGE,
    Before,
    SourceRead,
    before,
    cannot_be_read,
    has_place,
    read_records,
    refusal,
)
from cairn.knowledge.redaction import redactor
from cairn.knowledge.schema.tables import DEAD_LETTERS, RECORDS, SOURCE_FILES
from cairn.resources.context import State
from cairn.resources.deletion.applying import ForgottenRecords, apply_tombstones
from cairn.resources.home.inbox import is_import
from cairn.resources.home.log_files import LogFile, prefix_hash, windows

BATCH_BYTES = 32 * 1024 * 1024
"""Payload written at once, while the next is read: what bounds the memory of an import."""

WHOLE_BYTES = 256 * 1024 * 1024
"""A document must be read whole; a file of lines beyond this is read in windows."""

OWN = ("namespace", "thread", "session", "occurred_at", "native_id", "record_key", "content_hash",
       "source_line", "source_offset")  # fmt: skip
"""What intake reads of the records that a file gave before."""

READERS = 2
"""Files read at once, in threads: searching, hashing and polars leave the interpreter free."""


class FileRead(NamedTuple):
    """What one file gave: its windows, its row for SOURCE_FILES, and whether it was read whole.

    `unplaced` are the records that it gave before, where they are to be replaced.
    """

    file: LogFile
    windows: list[SourceRead]
    source_file: dict[str, Any]
    whole: bool
    unplaced: pl.DataFrame

    @property
    def size(self) -> int:
        """Bytes of payload."""
        return sum(int(read.records["size"].sum()) for read in self.windows)


class Start(NamedTuple):
    """Where reading a file begins: what was taken in, by whom, its hash, and what it says."""

    consumed: int
    lines: int
    adapter: str | None
    hashed: blake2b
    before: Before
    unplaced: pl.DataFrame


def intake(state: State, files: Iterable[LogFile]) -> StageReport:
    """Reads what is new in `files` and appends it to `records`; batch by batch, each complete."""
    with state.writing("records"), timed("records", state.namespace) as finished:
        report = StageReport("records")
        forgotten = apply_tombstones(state)
        batches = _batches(_read(state, map(_as_it_is, files), forgotten))
        for stored in ahead(partial(_store, state, forgotten), batches):
            report += replace(stored, rows=report.rows + stored.rows)
        return finished(report)


def _as_it_is(file: LogFile) -> LogFile:
    """A file as it stands by now: what was forgotten may have left its inbox."""
    with suppress(OSError):  # reading it will say why
        found = file.path.stat()
        return file._replace(size=found.st_size, modified_ns=found.st_mtime_ns)
    return file


def _read(
    state: State, files: Iterable[LogFile], forgotten: ForgottenRecords
) -> Iterator[FileRead]:
    """Files one by one, in their order."""
    known = {
        (row["namespace"], row["path"]): row
        for row in state.warehouse.read(SOURCE_FILES).collect().iter_rows(named=True)
    }

    def read(file: LogFile) -> FileRead:
        before = known.get((file.namespace, file.name))
        return _read_file(state, file, before, forgotten)

    return ahead(read, files, READERS)


def _read_file(
    state: State, file: LogFile, known: dict[str, Any] | None, forgotten: ForgottenRecords
) -> FileRead:
    """New lines of one file: from where the last intake stopped if it only grew, else all."""
    start, lines, adapter, hashed, told, unplaced = _start(state, file, known, forgotten)
    seen_at = datetime.now(UTC)
    reads: list[SourceRead] = []
    reason = None
    consumed, whole = start, start == 0
    imported = is_import(state.home, file.path)
    clean = redactor(state.policy.redact_personal)
    try:
        window = WHOLE_BYTES if adapter is None and not imported else BATCH_BYTES
        for data, offset, _ in windows(file.path, start, window):
            if imported:
                read = read_exported(
                    data,
                    namespace=file.namespace,
                    source_file=file.name,
                    seen_at=seen_at,
                    redactor=clean,
                    start_line=lines + 1,
                    start_offset=offset,
                )
            else:
                read = read_records(
                    data,
                    namespace=file.namespace,
                    source_file=file.name,
                    timezone=file.timezone,
                    seen_at=seen_at,
                    redactor=clean,
                    start_line=lines + 1,
                    start_offset=offset,
                    adapter=adapter,
                    before=told,
                )
            reads.append(read)
            told = read.last
            hashed.update(memoryview(data)[: read.consumed])
            consumed, lines = offset + read.consumed, lines + read.lines
            adapter, reason = read.adapter, read.refused
            if reason:
                break
    except OSError as error:
        reason, whole = cannot_be_read(error), False
    if reason and not file.size:
        reason = None
    rows = sum(read.records.height for read in reads)
    source_file = {
        "namespace": file.namespace,
        "path": file.name,
        "adapter": adapter,
        "size": file.size,
        "modified_ns": file.modified_ns,
        "consumed": consumed,
        "lines": lines,
        "digest": refusal(reason) if reason else hashed.hexdigest(),
        "timezone": file.timezone,
        "outcome": "rejected" if reason else "done" if rows else "empty",
        "reason": reason,
    }
    if known is not None and (earlier := _earlier(reads)):
        old = [thread for threads in earlier.values() for thread in threads]
        renamed = _own_records(state, file).filter(pl.col("thread").is_in(old))
        unplaced = pl.concat([unplaced, renamed]).unique(maintain_order=True)
    return FileRead(file, reads, source_file, whole, unplaced.clear() if reason else unplaced)


def _earlier(reads: Iterable[SourceRead]) -> dict[str, Sequence[str]]:
    """Threads that documents had while they were shorter, by those that they have now."""
    return {now: old for read in reads for now, old in read.earlier.items()}


def _start(
    state: State, file: LogFile, known: dict[str, Any] | None, forgotten: ForgottenRecords
) -> Start:
    """The start of a file, or the end of what was read of it before if it only grew.

    Where the last line read came from another file first, as that of a copy does, or is forgotten,
    it is not known what it says to those after it, and all is read again. So is a file whose lines
    are counted for want of ids of their own, where some of them may be forgotten. And so is one
    that told no time or no thread yet: what comes may tell those of what was read; and one that is
    the same file in another timezone.
    """
    unplaced = RECORDS.empty().select(OWN)
    if known is not None:
        consumed, adapter = known["consumed"], known["adapter"]
        moved = known["timezone"] not in (None, file.timezone)
        is_there = 0 < consumed <= file.size and (moved or consumed < file.size)
        if adapter in adapters() and is_there:
            with suppress(OSError):  # reading it whole will say why
                hashed = prefix_hash(file.path, consumed)
                if hashed.hexdigest() == known["digest"]:
                    own = _own_records(state, file).filter(pl.col("source_offset") < consumed)
                    if own.height and (moved or not has_place(own, adapter)):
                        return Start(0, 0, None, prefix_hash(file.path, 0), Before(), own)
                    counted = file.namespace in forgotten and own["native_id"].null_count() > 0
                    if (own["source_line"] >= known["lines"]).any() and not counted:
                        return Start(
                            consumed, known["lines"], adapter, hashed, before(own), unplaced
                        )
    return Start(0, 0, None, prefix_hash(file.path, 0), Before(), unplaced)


def _own_records(state: State, file: LogFile) -> pl.DataFrame:
    """Records that a file was the first to bring, as far as `before` reads them."""
    mine = pl.col("source_file") == file.name
    records = state.warehouse.read(RECORDS, namespace=file.namespace)
    return records.filter(mine).select(OWN).collect()


def _batches(reads: Iterable[FileRead]) -> Iterator[list[FileRead]]:
    """Files together, up to BATCH_BYTES of payload."""
    batch: list[FileRead] = []
    size = 0
    for read in reads:
        batch.append(read)
        size += read.size
        if size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _store(state: State, forgotten: ForgottenRecords, batch: Sequence[FileRead]) -> StageReport:
    """Appends the records that are not there yet; then says of the files that they are read.

    What is forgotten is not taken in again. Records that have another place by now are replaced.
    """
    warehouse = state.warehouse
    reads = [window for read in batch for window in read.windows]
    dead_letters = pl.concat([DEAD_LETTERS.empty(), *(read.dead_letters for read in reads)])
    source_files = SOURCE_FILES.frame(read.source_file for read in batch)
    key = list(RECORDS.key)
    records = pl.concat([RECORDS.empty(), *(read.records for read in reads)]).unique(
        key, keep="first", maintain_order=True
    )
    unplaced = pl.concat([read.unplaced for read in batch])
    moved = unplaced.join(records, on=[*key, "occurred_at"], how="anti", nulls_equal=True)
    records = forgotten.without(records, _earlier(reads))
    if records.height:
        threads = records.select("namespace", "thread").unique()
        present = (
            warehouse.read(RECORDS, columns=["namespace", "thread", "record_key"])
            .join(threads.lazy(), on=["namespace", "thread"], how="semi")
            .select(key)
            .collect()
        )
        counted = records.filter(pl.col("native_id").is_null()).join(present, on=key, how="semi")
        twice = set(counted.select("namespace", "source_file").iter_rows())
        anew = [not read.whole and (read.file.namespace, read.file.name) in twice for read in batch]
        if any(anew):
            # Of equal lines without id the first may be a record that another file brought: how
            # many there are, only the whole file tells.
            whole = [
                _read_file(state, read.file, None, forgotten) if again else read
                for read, again in zip(batch, anew, strict=True)
            ]
            return _store(state, forgotten, whole)
        present = present.join(moved, on=key, how="anti")
        records = records.join(present, on=key, how="anti")
    gone = RECORDS.empty()
    if moved.height:
        stored = warehouse.read(RECORDS)
        gone = stored.join(moved.lazy(), on=key, how="semi").collect()
    change = Change(records, gone)
    versions = [
        warehouse.apply_change(
            RECORDS,
            Change(*(side.filter(namespace=namespace) for side in change)),
            namespace=namespace,
        )
        for namespace in change.rows["namespace"].unique().sort()
    ]
    # Of a file that was read whole only the new letters hold; one that grew keeps its old ones.
    whole = SOURCE_FILES.frame(read.source_file for read in batch if read.whole)
    unreadable = whole.select("namespace", pl.lit(STAGE).alias("stage"), source_file="path")
    for table, rows, replaced in (
        (DEAD_LETTERS, dead_letters, unreadable),
        (SOURCE_FILES, source_files, source_files.select("namespace", "path")),
    ):
        old = warehouse.read(table).collect()
        stays = old.join(replaced, on=replaced.columns, how="anti")
        stays = stays.join(rows, on=table.key, how="anti")
        versions.append(warehouse.write(table, pl.concat([stays, rows])))
    outcomes = source_files["outcome"].to_list()
    return StageReport(
        "records",
        units=source_files.height,
        done=outcomes.count("done"),
        empty=outcomes.count("empty"),
        rejected=outcomes.count("rejected"),
        failed=outcomes.count("failed"),
        rows=records.height,
        written=sum(version.changed for version in versions),
    )


def stretch(files: Iterable[LogFile], max_bytes: int | None) -> list[LogFile]:
    """The first files of each namespace that make up `max_bytes`, at least one.

    All if there is no bound. So one with many logs keeps nobody else waiting for longer.
    """
    taken: list[LogFile] = []
    sizes = Counter[str]()
    ended = set[str]()
    for file in files:
        size = sizes[file.namespace]
        if size and max_bytes is not None and size + file.size > max_bytes:
            ended.add(file.namespace)
        if file.namespace not in ended:
            taken.append(file)
            sizes[file.namespace] += max(file.size, 1)
    return taken


def files_of_run(state: State, max_bytes: int | None, *, inbox_alone: bool) -> list[LogFile]:
    """What a run takes in: the newest changed files, or only what people told Cairn."""
    files = changed_files(state)
    if inbox_alone:
        files = [file for file in files if file.path.is_relative_to(state.home.inbox)]
    return stretch(files, max_bytes)
