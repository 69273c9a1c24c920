"""An export of another home becomes an input of this one: a copy that intake reads."""

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import polars as pl

from cairn.knowledge.deletion.tombstones import Tombstone, forgotten
from cairn.knowledge.ingest.adapters import adapters, inbox
from cairn.knowledge.ingest.events import UUID
from cairn.knowledge.ingest.exported import REASONS, ExportedLines, copied, read_lines
from cairn.knowledge.redaction import redactor
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.tables import RECORDS
from cairn.resources.context import State
from cairn.resources.deletion.tombstones import key_of, tombstones
from cairn.resources.home.home import check_namespace, check_room
from cairn.resources.home.inbox import imports, keep_import
from cairn.resources.home.log_files import windows
from cairn.resources.limits.day import check_limit
from cairn.serving.exchange.answers import TakenAnswers, take_answers
from cairn.serving.exchange.exporting import ANSWERS_FILE, RECORDS_FILE
from cairn.serving.exchange.folder import ExchangeError, digest_of, read_manifest

WINDOW = 32 * 1024 * 1024


class RefusedLine(NamedTuple):
    """A line that cannot be taken in: its number, from 1, and why."""

    line: int
    why: str


class TakenExport(NamedTuple):
    """What an import took in, or would."""

    namespace: str
    origin: str
    """Namespace that was exported."""
    records: int
    known: int
    """Of these, how many this home has already."""
    forgotten: int
    """Lines that are not taken, since they were forgotten here."""
    refused: Sequence[RefusedLine]
    """The first of those that are dead letters."""
    refused_lines: int
    redactions: int
    """Secrets that were found now, and taken out."""
    lacking: Sequence[str]
    """Adapters that are not installed: their records wait as dead letters."""
    answers: TakenAnswers
    there: bool
    """Whether just this was imported before."""
    changed: bool
    """Whether the records are others than those that were exported."""


MOST_TOLD = 20


class _Count:
    """What is counted while lines are copied."""

    def __init__(self) -> None:
        self.records = self.forgotten = self.redactions = self.known = self.refused_lines = 0
        self.refused: list[RefusedLine] = []
        self.adapters = Counter[str]()


def import_export(
    state: State, folder: Path, namespace: str | None = None, *, dry_run: bool = False
) -> TakenExport:
    """Takes in an export of a home; the next run makes knowledge of it.

    Args:
        state: Where to.
        folder: What `export_jsonl` wrote.
        namespace: Whose it becomes; that of the export, if unset.
        dry_run: Whether nothing is kept.

    Raises:
        ExchangeError: it is none that can be taken in.
        LimitReached: no more of the namespace's logs is taken in today.
        HomeError: the home cannot be written.
    """
    manifest = read_manifest(folder)
    if manifest.kind != "jsonl":
        raise ExchangeError(f"{folder} is an export as {manifest.kind}: only jsonl is taken in")
    file = folder / RECORDS_FILE
    if not file.is_file():
        raise ExchangeError(f"{folder} is not whole: it has no {RECORDS_FILE}")
    owner = check_namespace(namespace or manifest.namespace)
    if not dry_run:
        check_room(state.home)
        check_limit(state, owner, "log_bytes")
    state.follow(owner)
    found = digest_of(file)
    told = manifest.files.get(RECORDS_FILE)
    name = digest(found, owner)
    before = next((one for one in imports(state.home, owner) if one.parent.name == name), None)
    own = tombstones(state.home, owner).get(owner, [])
    answers = folder / ANSWERS_FILE
    taken = take_answers(
        state,
        owner,
        answers.open("rb") if answers.is_file() else (),
        (
            {one for each in own for one in each.records},
            {one for each in own for one in each.answers},
        ),
        dry_run=dry_run,
    )
    count = _Count()
    lines = _lines(state, file, owner, own, count)
    if not dry_run and before is None:
        keep_import(state.home, owner, name, lines)
    else:
        deque(lines, maxlen=0)  # counted, and not kept
        if before is not None and not dry_run:
            before.touch()  # a plug-in may be there by now that was not: it is read once more
    return TakenExport(
        namespace=owner,
        origin=manifest.namespace,
        records=count.records,
        known=count.known,
        forgotten=count.forgotten,
        refused=count.refused,
        refused_lines=count.refused_lines,
        redactions=count.redactions,
        lacking=sorted(set(count.adapters) - set(adapters())),
        answers=taken,
        there=before is not None,
        changed=told is None or told.digest != found,
    )


def _lines(
    state: State, file: Path, namespace: str, own: Sequence[Tombstone], count: _Count
) -> Iterator[Sequence[bytes]]:
    """Lines as the home keeps them, window by window, with ids of events of the inbox in them."""
    clean = redactor(state.policy.redact_personal)
    key = key_of(state.home, list(own))
    here = state.warehouse.read(RECORDS, namespace=namespace, columns=["record_key"])
    known = here.collect()["record_key"]
    now = datetime.now(UTC)
    first = 1
    for window in windows(file, size=WINDOW):
        data = window.data
        if not data:
            continue
        found = read_lines(data, namespace=namespace, seen_at=now, redactor=clean, moved=True)
        gone = forgotten(found.records, own, key)
        records = found.records.filter(~gone)
        kept = [line for line, lost in zip(found.lines, gone.to_list(), strict=True) if not lost]
        count.records += records.height
        count.forgotten += int(gone.sum())
        count.known += int(records["record_key"].is_in(known.implode()).sum())
        count.redactions += found.redactions
        count.adapters.update(records["adapter"].to_list())
        count.refused_lines += len(found.refused)
        room = max(0, MOST_TOLD - len(count.refused))
        count.refused += [
            RefusedLine(first + line, REASONS[reason]) for line, reason in found.refused[:room]
        ]
        first += data.count(b"\n")
        of_inbox = pl.col("adapter") == inbox.ADAPTER.name
        events = records.filter(of_inbox, pl.col("native_id").str.contains(UUID))["native_id"]
        text = copied(data, ExportedLines(records, kept, found.refused))
        yield [text, *(one.encode() for one in events if not set(one) & set(" \t\r\n"))]
