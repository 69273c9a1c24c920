"""Tombstones: what is to be forgotten, told by ids and keyed digests, never by its text.

The unit that is forgotten is the record: one line of a source, with all that an adapter makes of
it. A record is told by its native id where it has one, else by its key; a session also by its
thread, so that what it says later is not taken in either. A record's key is a digest of its text,
which a guess could be tried against: so a tombstone holds digests with a secret key of the home
instead (BLAKE2b, 128 bits).
"""

import hashlib
from collections.abc import Iterable, Sequence

import msgspec
import polars as pl

from cairn.knowledge.ingest.adapter import Head
from cairn.knowledge.ingest.events import unique_within
from cairn.knowledge.nlp.dates.timestamps import utc
from cairn.knowledge.schema.identity import SEPARATOR, digest

TYPE = "tombstone"
"""Type of the event."""

NAMESPACE = "namespace"
"""What a tombstone is of that has no digests: all that happened up to a moment."""

STAGE = "forget"
"""Of the rows of `work` that say which tombstones were applied."""

READS = ("namespace", "record_key", "thread", "session", "native_id", "occurred_at")
"""Columns of RECORDS that tell whether a record is forgotten."""


class Tombstone(msgspec.Struct, frozen=True):
    """One event of the inbox."""

    event_id: str
    thing: str = ""
    """fact, entity, record, conversation, name or namespace: what a person named."""
    ids: tuple[str, ...] = ()
    """Its ids, as they were on that day; the name, of a namespace; none, of a name."""
    records: tuple[str, ...] = ()
    """Ids of the rows of raw_logs that go."""
    digests: tuple[str, ...] = ()
    """Keyed digests of the lines that go."""
    answers: tuple[str, ...] = ()
    """Keys of answers of a model that go, whatever they saw."""
    until: str | None = None
    """Of a namespace: what happened up to here goes …"""
    undated: bool = True
    """… and all that has no time, as an older Cairn told it; else only what `digests` name."""

    @property
    def mark(self) -> str:
        """Digest of all that it says; what an older Cairn told has the one that it noted."""
        return digest(repr(self).replace(", undated=True)", ")"))


class _Typed(msgspec.Struct, tag=TYPE):
    """What an event must say to be one."""


_TYPED = msgspec.json.Decoder(_Typed)
_TOMBSTONE = msgspec.json.Decoder(Tombstone)


def tombstone_of(line: bytes) -> Tombstone | None:
    """The tombstone that a line of the inbox is; None if it is anything else."""
    try:
        _TYPED.decode(line)
        return _TOMBSTONE.decode(line)
    except msgspec.DecodeError:
        return None


def digests(records: pl.DataFrame, key: bytes, *, sessions: bool = False) -> list[str]:
    """What a tombstone tells these records by, sorted; with `sessions` their threads, too.

    `records` has the columns READS, `key` at most 64 bytes.
    """
    native, own, thread = _marks(records, key)
    told = [own.zip_with(native.is_null(), native)]
    if sessions:
        told.append(thread.filter(records["session"]))
    return sorted({mark for each in told for mark in each.drop_nulls()})


def forgotten(
    records: pl.DataFrame, tombstones: Sequence[Tombstone], key: bytes | None
) -> pl.Series:
    """Which records some tombstones of their namespace name, row by row.

    Args:
        records: Columns READS, of the one namespace that the tombstones are of.
        tombstones: In any order.
        key: The key that their digests were made with; None only if there are none.
    """
    gone = pl.repeat(value=False, n=records.height, dtype=pl.Boolean, eager=True)
    told = pl.Series(sorted({each for one in tombstones for each in one.digests}), dtype=pl.String)
    if key is not None and told.len() and records.height:
        for marks in _marks(records, key):
            gone |= marks.is_in(told.implode()).fill_null(value=False)
    if (moment := gone_until(tombstones)) is not None:
        at = records["occurred_at"]
        undated = any(one.undated for one in tombstones if _is_until(one))
        gone |= (at <= moment).fill_null(value=undated)
    return gone


def line_forgotten(
    namespace: str, head: Head, tombstones: Sequence[Tombstone], key: bytes | None
) -> bool:
    """Whether a line of the inbox, of which an adapter told the head, is named by tombstones."""
    return forgotten(of_heads(namespace, [head]), tombstones, key).item()


def of_heads(namespace: str, heads: Sequence[Head]) -> pl.DataFrame:
    """Columns READS of lines of the inbox that are no records yet, of which adapters told heads."""
    told = pl.DataFrame(
        [(head.thread, head.session, head.native_id, head.time) for head in heads],
        schema={
            "thread": pl.String, "session": pl.Boolean, "native_id": pl.String, "time": pl.String,
        },
        orient="row",
    )  # fmt: skip
    return told.with_columns(
        namespace=pl.lit(namespace), record_key=pl.lit(""), occurred_at=utc(told["time"], "UTC")
    )


def gone_until(tombstones: Iterable[Tombstone]) -> object:
    """The latest moment up to which a whole namespace goes; None if none does."""
    moments = [one.until for one in tombstones if _is_until(one)]
    return utc(pl.Series(moments, dtype=pl.String), "UTC").max() if moments else None


def _is_until(one: Tombstone) -> bool:
    """Whether a whole namespace goes, up to a moment."""
    return one.thing == NAMESPACE and bool(one.until)


def _marks(records: pl.DataFrame, key: bytes) -> tuple[pl.Series, pl.Series, pl.Series]:
    """Digests by native id, by own key and, of sessions, by thread; null where there is none."""

    def digest(texts: pl.Series) -> pl.Series:
        found = [
            None
            if text is None
            else hashlib.blake2b(text.encode(), digest_size=16, key=key).hexdigest()
            for text in texts.to_list()
        ]
        return pl.Series(found, dtype=pl.String)

    def of(kind: str, *parts: str | pl.Expr) -> pl.Series:
        text = pl.concat_str(pl.lit(kind), "namespace", *parts, separator=SEPARATOR)
        return digest(records.select(mark=text).to_series())

    session = pl.when("session").then("thread")
    return (
        of("native", unique_within(), "native_id"),
        of("record", "record_key"),
        of("thread", session),
    )
