"""From records to events: conversations, days, ids, episodes and projects, as adapters decide."""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec
import polars as pl

from cairn.knowledge.ingest.adapter import Adapter, Event
from cairn.knowledge.ingest.adapters import adapters
from cairn.knowledge.ingest.dating import dated
from cairn.knowledge.ingest.inbox_events.decisions import CHANNEL as DECIDING
from cairn.knowledge.ingest.speakers import named_results, own_output, recalled_apart, spawned
from cairn.knowledge.nlp.names import HOME, worktree_place
from cairn.knowledge.schema.calendar import day, undated
from cairn.knowledge.schema.identity import digest, digest_column
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import DEAD_LETTERS, RAW_LOGS

EPISODE_STARTERS = ("message", "search", "note")
"""Kinds by which a person opens an episode."""

UUID = r"(?i)^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$"


HEAD_COLUMNS = (
    "namespace", "record_key", "adapter", "thread", "session", "native_id", "ordinal",
    "occurred_at", "content_hash", "size", "source_line",
)  # fmt: skip
"""What `placed` reads of a record: narrow columns, so that whole histories stay cheap."""

PLACE = ("occurred_at", "conversation_id", "day")
"""What `placed` says of a record, and `raw_logs` reads."""


def placed(heads: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """Where each record belongs: columns of `heads`, conversation_id and day.

    `heads` has HEAD_COLUMNS of all records of the namespaces in question; `occurred_at` as records
    tell it becomes null where it cannot be (cairn.knowledge.ingest.dating). A native id that came
    several times where it is unique (a resumed session, a document that grew) keeps one record:
    that of the thread that began first, then the longest, then the smallest digest. A channel is
    cut where it was silent for longer than `policy.channel_silence_hours`; what in it is undated
    stays apart. That of decisions is never cut.
    """
    heads = dated(heads, policy)
    thread = ["namespace", "thread"]
    begun = pl.col("occurred_at").min().over(thread).fill_null(undated())
    told = heads.with_columns(
        begun=begun, copy=pl.coalesce("native_id", "record_key"), within=unique_within()
    )
    several = pl.struct("namespace", "within", "copy").is_duplicated()
    kept = (
        told.filter(several)
        .sort("begun", "thread", "size", "content_hash", descending=[False, False, True, False])
        .unique(["namespace", "within", "copy"], keep="first", maintain_order=True)
    )
    once = pl.concat([told.filter(~several), kept]).drop("begun", "copy", "within")
    channels = once.filter(~pl.col("session")).sort(
        *thread, "occurred_at", "record_key", nulls_last=True
    )
    silence = pl.duration(minutes=round(policy.channel_silence_hours * 60))
    cut = (pl.col("occurred_at").diff().over(thread) > silence).fill_null(value=False)
    stretch = (
        pl.when(pl.col("thread") == DECIDING)
        .then(0)
        .when(pl.col("occurred_at").is_null())
        .then(-1)
        .otherwise(cut.cast(pl.Int64).cum_sum().over(thread))
    )
    cut_up = pl.concat(
        [
            once.filter("session").with_columns(stretch=pl.lit(0, pl.Int64)),
            channels.with_columns(stretch=stretch),
        ]
    )
    starts = cut_up.group_by(*thread, "session", "stretch").agg(
        pl.col("occurred_at").min().alias("started_at")
    )
    channel = digest_column("namespace", "thread", pl.col("started_at").dt.epoch("us"), prefix="c_")
    named = starts.with_columns(
        conversation_id=pl.when("session").then("thread").otherwise(channel),
        day=day(pl.col("started_at")),
    ).drop("started_at")
    keys = [*thread, "session", "stretch"]
    return cut_up.join(named, on=keys, how="left").drop("stretch")


def unique_within() -> pl.Expr:
    """Where a native id is the only one: a UUID everywhere, any other in its thread."""
    return pl.when(pl.col("native_id").str.contains(UUID)).then(pl.lit("")).otherwise("thread")


class ReadEvents(NamedTuple):
    """Events of records, the records that their adapter could not read, and how many had none."""

    raw_logs: pl.DataFrame
    dead_letters: pl.DataFrame
    silent: int


EVENT_TYPES = {
    "kind": pl.String, "origin": pl.String, "text": pl.String, "role": pl.String, "block": pl.Int64,
    "parent_id": pl.String, "name": pl.String, "trigger": pl.String, "tool_name": pl.String,
    "tool_input": pl.String, "call_id": pl.String, "is_error": pl.Boolean, "model": pl.String,
    "cwd": pl.String, "sidechain": pl.Boolean, "reply_to": pl.String, "proactive": pl.Boolean,
    "branch": pl.String,
}  # fmt: skip


def events(
    records: pl.DataFrame, known: Mapping[str, Adapter] | None = None
) -> tuple[pl.DataFrame, list[tuple[int, str]]]:
    """Events of `records` (columns adapter and payload) with `row`, the index of their record.

    Returns also (row, reason) of each record that its adapter failed on.
    """
    known = adapters() if known is None else known
    rows: list[int] = []
    found: list[Event] = []
    failed: list[tuple[int, str]] = []
    payloads = records["payload"].cast(pl.Binary)  # as bytes, which costs no decoding
    pairs = zip(records["adapter"].to_list(), payloads.to_list(), strict=True)
    for row, (name, payload) in enumerate(pairs):
        adapter = known.get(name)
        if adapter is None:
            failed.append((row, f"no adapter named {name}"))
            continue
        try:
            of_record = recalled_apart(list(adapter.events(payload)))
        except Exception as error:
            failed.append((row, _unreadable(name, error)))
            continue
        found += of_record
        rows += [row] * len(of_record)
    try:
        columns = _columns(found)
    except TypeError:
        odd = _odd(rows, found)
        names = records["adapter"].gather(sorted(odd)).to_list()
        failed += [
            (row, _unreadable(name, odd[row])) for row, name in zip(sorted(odd), names, strict=True)
        ]
        kept = [at for at, row in enumerate(rows) if row not in odd]
        rows, columns = [rows[at] for at in kept], _columns([found[at] for at in kept])
    return columns.with_columns(pl.Series("row", rows, dtype=pl.UInt32)), failed


def _unreadable(adapter: str, error: Exception) -> str:
    return f"{adapter} could not read it: {type(error).__name__}"


def _columns(found: list[Event]) -> pl.DataFrame:
    columns = list(zip(*found, strict=True)) or [()] * len(Event._fields)
    return pl.DataFrame(
        {
            name: pl.Series(name, values, dtype=EVENT_TYPES[name])
            for name, values in zip(Event._fields, columns, strict=True)
        }
    )


def _odd(rows: list[int], found: list[Event]) -> dict[int, Exception]:
    """Rows of records with a value of another type than declared: one must not fail all."""
    odd: dict[int, Exception] = {}
    for row, event in zip(rows, found, strict=True):
        try:
            msgspec.convert(tuple(event), Event)
        except msgspec.ValidationError as error:
            odd[row] = error
    return odd


def raw_logs(records: pl.DataFrame, known: Mapping[str, Adapter] | None = None) -> ReadEvents:
    """Events of whole conversations: rows of `records` with what `placed` says of them.

    The result is sorted by conversation and `seq`; every id depends on where a record stands.
    """
    read, failed = events(records, known)
    logs = read.join(
        records.drop("payload", "size").with_row_index("row"), on="row", how="left"
    ).rename({"adapter": "source"})
    logs = spawned(own_output(named_results(_identified(_ordered(logs)))))
    logs = _in_projects(_in_episodes(logs))
    began = (pl.col("origin") == "human").any().over("namespace", "conversation_id")
    logs = logs.with_columns(
        trigger=pl.coalesce("trigger", pl.when(began).then(pl.lit("user_message"))),
        content_hash=digest_column("text", "tool_input"),
    )
    return ReadEvents(
        RAW_LOGS.frame(logs).sort("namespace", "conversation_id", "seq"),
        _dead_letters(records, failed),
        silent=records.height - read["row"].n_unique() - len(failed),
    )


def _ordered(logs: pl.DataFrame) -> pl.DataFrame:
    """Sorted by conversation, then time; within one time by place, parent before child, then id."""
    tie = ["namespace", "conversation_id", "occurred_at"]
    return (
        logs.join(_depths(logs, tie), on=[*tie, "native_id"], how="left", nulls_equal=True)
        .with_columns(
            pl.col("depth").fill_null(0),
            # A line without an id of its own has only its place to tell it from its neighbours.
            line=pl.when(pl.col("native_id").is_null()).then("source_line"),
            long=pl.col("native_id").str.len_chars(),  # 10 comes after 2
        )
        .sort(
            *tie,
            "ordinal",
            "depth",
            "line",
            "long",
            "native_id",
            "record_key",
            "block",
            nulls_last=True,
        )
        .drop("depth", "line", "long")
        .with_columns(seq=pl.int_range(pl.len()).over("namespace", "conversation_id"))
    )


def _depths(logs: pl.DataFrame, tie: list[str]) -> pl.DataFrame:
    """Of each record that has ancestors of its own moment how many: `tie`, native_id and depth."""
    named = logs.select(*tie, "native_id", "parent_id").drop_nulls("native_id")
    there = named.select(*tie, parent_id="native_id")
    links = named.drop_nulls("parent_id").join(
        there, on=[*tie, "parent_id"], how="semi", nulls_equal=True
    )
    parents = {
        (*place, native): (*place, parent) for *place, native, parent in links.sort(pl.all()).rows()
    }
    depths: dict[tuple[object, ...], int] = {}
    for record in parents:
        path: dict[tuple[object, ...], None] = {}
        at = record
        while at in parents and at not in depths and at not in path:
            path[at] = None
            at = parents[at]
        depth = depths.get(at, 0)
        for place in reversed(path):
            depth += 1
            depths[place] = depth
    schema = {**{name: logs.schema[name] for name in (*tie, "native_id")}, "depth": pl.Int64}
    return pl.DataFrame([(*place, depth) for place, depth in depths.items()], schema, orient="row")


def _identified(logs: pl.DataFrame) -> pl.DataFrame:
    """With record_id: by native id and block, else by conversation, time, kind and place there."""
    moment = ["namespace", "conversation_id", "occurred_at", "kind", "block"]
    nth = pl.col("record_key").rank("dense").over(moment)
    native = digest_column("namespace", unique_within(), "native_id", "block", prefix="r_")
    placed_at = digest_column(
        "namespace",
        "conversation_id",
        pl.col("occurred_at").dt.epoch("us"),
        "kind",
        "block",
        nth,
        prefix="r_",
    )
    return pl.concat(
        [
            logs.filter(pl.col("native_id").is_not_null()).with_columns(record_id=native),
            logs.filter(pl.col("native_id").is_null()).with_columns(record_id=placed_at),
        ]
    ).sort("namespace", "conversation_id", "seq")


def _in_episodes(logs: pl.DataFrame) -> pl.DataFrame:
    """With episode_id: the human record that opened the stretch, none before the first.

    Recalled text belongs to no episode. Of a line with several blocks only the first one opens.
    """
    conversation = ["namespace", "conversation_id"]
    opens = (
        (pl.col("origin") == "human")
        & pl.col("kind").is_in(EPISODE_STARTERS)
        & ~pl.col("sidechain")
    )
    first = opens & (opens.cum_sum().over(*conversation, "record_key") == 1)
    opened = pl.when(first).then("record_id").forward_fill().over(conversation)
    return logs.with_columns(episode_id=pl.when(pl.col("origin") != "recalled").then(opened))


def _in_projects(logs: pl.DataFrame) -> pl.DataFrame:
    """With `project`: the first folder of the conversation, or one seen there that contains it.

    The home folder is written `~`, so that a project is one on every machine of a person; a
    worktree counts as its repository, where its place says so: names.worktree_place.
    """
    conversation = ["namespace", "conversation_id"]
    known = {cwd: _repository(cwd) for cwd in logs["cwd"].drop_nulls().unique()}
    folder = pl.col("cwd").replace_strict(known, default=None, return_dtype=pl.String)
    seen = logs.select(*conversation, "seq", folder.alias("folder")).filter(pl.col("folder") != "")
    first = seen.sort("seq").group_by(conversation).agg(pl.col("folder").first().alias("first"))
    roots = (
        seen.select(*conversation, "folder")
        .unique()
        .join(first, on=conversation)
        .filter(
            (pl.col("first") == pl.col("folder"))
            | (
                pl.any_horizontal(
                    pl.col("first").str.starts_with(pl.col("folder") + separator)
                    for separator in ("/", "\\")
                )
                & ~pl.col("folder").str.contains(r"^(?:~|[A-Za-z]:)$")
            )
        )
        .group_by(conversation)
        .agg(pl.col("folder").sort_by(pl.col("folder").str.len_bytes()).first().alias("project"))
    )
    return logs.join(roots, on=conversation, how="left")


def _repository(cwd: str) -> str:
    folder = HOME.sub("~", cwd)
    place = worktree_place(folder)
    return (place.repository if place else folder).rstrip("/\\")


def _dead_letters(records: pl.DataFrame, failed: list[tuple[int, str]]) -> pl.DataFrame:
    places = records.select(
        "namespace", "record_key", "source_file", "source_line", "source_offset"
    )
    return DEAD_LETTERS.frame(
        {
            **{key: value for key, value in place.items() if key != "record_key"},
            "dead_letter_id": digest("raw_logs", place["record_key"]),
            "stage": "raw_logs",
            "unit": place["record_key"],
            "reason": reason,
            "replay": "cairn run",
        }
        for row, reason in failed
        for place in (places.row(row, named=True),)
    )
