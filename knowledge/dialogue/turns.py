"""What may be read of a conversation, in order, as the later steps need it."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
import polars as pl

READ_ORIGINS = ("human", "agent", "tool")
"""Recalled and system text is never read: a memory that reads its own output grows junk."""

READ_KINDS = ("message", "thinking", "tool_call", "tool_result")

CONVERSATION = ("namespace", "conversation_id")

_COLUMNS = (
    "record_id", "seq", "kind", "origin", "text", "tool_name", "tool_input", "call_id",
    "is_error", "project", "sidechain", "occurred_at", "role", "cwd", "branch",
)  # fmt: skip


class Turn(NamedTuple):
    """One readable row of raw_logs."""

    record_id: str
    seq: int
    kind: str
    origin: str
    text: str
    tool_name: str | None
    tool_input: str | None
    call_id: str | None
    is_error: bool
    project: str | None
    sidechain: bool
    occurred_at: datetime | None
    role: str | None
    cwd: str | None = None
    branch: str | None = None

    @property
    def input(self) -> dict[str, Any]:
        """Input of a call; empty where it is no JSON object."""
        if not self.tool_input:
            return {}
        try:
            value = msgspec.json.decode(self.tool_input)
        except (msgspec.DecodeError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}


def readable(raw_logs: pl.DataFrame) -> pl.DataFrame:
    """Rows of raw_logs that learnings may read, sorted by conversation and place."""
    return raw_logs.filter(
        pl.col("origin").is_in(READ_ORIGINS) & pl.col("kind").is_in(READ_KINDS)
    ).sort(*CONVERSATION, "seq", "record_id")


def heads(raw_logs: pl.DataFrame, extractor: str) -> dict[tuple[str, str], dict[str, str]]:
    """What rows about a conversation begin with, and its source, by namespace and conversation."""
    found = raw_logs.group_by(CONVERSATION).agg(pl.col("day", "source").min())
    rows = found.with_columns(extractor=pl.lit(extractor)).iter_rows(named=True)
    return {(row["namespace"], row["conversation_id"]): row for row in rows}


def is_message() -> pl.Expr:
    """Whether a row is something that a person or an agent said."""
    return (
        (pl.col("kind") == "message")
        & pl.col("origin").is_in(["human", "agent"])
        & pl.col("text").str.contains(r"\S")
    )


def conversations(turns: pl.DataFrame) -> Iterator[tuple[str, str, list[Turn]]]:
    """Namespace, conversation and its turns in order; the rows of each must stand together."""
    read = turns.select(_COLUMNS)
    runs = turns.select(pl.struct(CONVERSATION).rle().alias("run")).unnest("run")
    start = 0
    for length, key in runs.iter_rows():
        rows = read.slice(start, length).iter_rows()
        yield key["namespace"], key["conversation_id"], [Turn._make(row) for row in rows]
        start += length
