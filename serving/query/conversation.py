"""Records in their conversation: what was said in order, and what was drawn from each line."""

from dataclasses import replace
from typing import Any

import polars as pl

from cairn.knowledge.llm.prompt_injection import QUARANTINED_ORDERS
from cairn.knowledge.schema.fact_types import is_event
from cairn.knowledge.schema.tables import (
    CONVERSATIONS,
    FACT_SOURCES,
    KNOWN_ONLY_CANDIDATES,
    RAW_LOGS,
    REJECTED_FACTS,
)
from cairn.serving.read.pagination import Key, Page, page
from cairn.serving.read.reader import Reader

LONGEST = 2_000
"""Characters of a text in a conversation; a record by itself tells all of it."""

MOST_DRAWN = 20
"""Facts that are told of one record, and lessons."""

MOST_REFUSED = 200
"""Refused candidates that are told of one conversation."""

COLUMNS = (
    "record_id", "conversation_id", "episode_id", "seq", "kind", "origin", "name", "tool_name",
    "tool_input", "text", "is_error", "occurred_at", "source_file", "source_line",
)  # fmt: skip


def conversation(reader: Reader, conversation_id: str) -> dict[str, Any] | None:
    """One conversation; None if there is none of that id by the reader's moment."""
    ids = pl.Series([conversation_id], dtype=pl.String)
    found = reader.rows(CONVERSATIONS, "conversation_id", ids)
    return None if found.is_empty() else found.row(0, named=True)


def file_of(reader: Reader, conversation_id: str) -> str | None:
    """The file of the first line of a conversation; None if there is no such conversation."""
    talk = conversation(reader, conversation_id)
    if talk is None:
        return None
    rows = _told(reader, talk["day"]).filter(conversation_id=conversation_id)
    return rows.sort("seq").select("source_file").first().collect().item()


def messages(
    reader: Reader, conversation_id: str, limit: int = 20, cursor: str | None = None
) -> Page | None:
    """What was said in a conversation, in order; None if there is no such conversation.

    Rows have COLUMNS, texts to LONGEST characters with `cut` where that left some out, and what
    was `drawn` from them: facts and learnings.

    Raises:
        BadCursor: the cursor is none of this list.
    """
    talk = conversation(reader, conversation_id)
    if talk is None:
        return None
    rows = _told(reader, talk["day"]).filter(conversation_id=conversation_id)
    of = ("messages", reader.namespace, conversation_id)
    found = page(rows, [Key(pl.col("seq")), Key(pl.col("record_id"))], of, limit, cursor)
    cut = [_cut(row) for row in found.rows]
    return replace(found, rows=with_drawn(reader, cut, [talk["day"]]))


def refused_candidates(reader: Reader, conversation_id: str) -> list[dict[str, Any]]:
    """What was proposed of a conversation and refused: record_id, content, reason, extractor.

    What gives orders to a model is left out: `cairn review` tells it. The first MOST_REFUSED.
    """
    columns = ["record_id", "content", "reason", "extractor"]
    found = [
        reader.table(table)
        .filter(
            pl.col("conversation_id") == conversation_id,
            pl.col("reason").is_not_null(),
            pl.col("reason") != QUARANTINED_ORDERS,
        )
        .select(columns)
        for table in (REJECTED_FACTS, KNOWN_ONLY_CANDIDATES)
    ]
    return pl.concat(found).sort(columns).head(MOST_REFUSED).collect().to_dicts()


def record(reader: Reader, record_id: str, around: int = 2) -> dict[str, Any] | None:
    """One record whole, with so many before and after it; None if there is no such record."""
    ids = pl.Series([record_id], dtype=pl.String)
    found = reader.rows(RAW_LOGS, "record_id", ids, [*COLUMNS, "day"]).filter(_then(reader))
    if found.is_empty():
        return None
    row = found.row(0, named=True)
    day = row.pop("day")
    near = (
        _told(reader, day)
        .filter(
            pl.col("conversation_id") == row["conversation_id"],
            pl.col("seq").is_between(row["seq"] - around, row["seq"] + around),
            pl.col("record_id") != record_id,
        )
        .sort("seq", "record_id")
        .collect()
        .to_dicts()
    )
    (drawn,) = with_drawn(reader, [row], [day])
    return drawn | {
        "cut": False,
        "before": [_cut(one) for one in near if one["seq"] < row["seq"]],
        "after": [_cut(one) for one in near if one["seq"] >= row["seq"]],
    }


def with_drawn(reader: Reader, rows: list[dict[str, Any]], days: list[str]) -> list[dict[str, Any]]:
    """Rows of some days, each with the facts and learnings that were drawn from it, no events."""
    ids = pl.Series([row["record_id"] for row in rows], dtype=pl.String)
    pairs = (
        reader.table(FACT_SOURCES, ["fact_id", "record_id"], days)
        .filter(pl.col("record_id").is_in(ids.implode()))
        .unique()
        .collect()
    )
    facts = (
        reader.memory(pairs["fact_id"].unique())
        .filter(~is_event())
        .select("fact_id", "content", "status", confidence="effective")
        .collect()
    )
    lessons = (
        reader.learnings()
        .select("learning_id", "title", record_id="source_record_ids")
        .explode("record_id")
        .filter(pl.col("record_id").is_in(ids.implode()))
        .unique()
        .collect()
    )
    by_fact = pairs.join(facts, on="fact_id").sort("record_id", "confidence", "fact_id")
    found = {
        "facts": by_fact.partition_by("record_id", as_dict=True, include_key=False),
        "learnings": lessons.sort("record_id", "learning_id").partition_by(
            "record_id", as_dict=True, include_key=False
        ),
    }
    return [
        row
        | {
            kind: of[row["record_id"],].head(MOST_DRAWN).to_dicts()
            if (row["record_id"],) in of
            else []
            for kind, of in found.items()
        }
        for row in rows
    ]


def _told(reader: Reader, day: str) -> pl.LazyFrame:
    """Records of conversations that began on a day, by the reader's moment."""
    return reader.table(RAW_LOGS, COLUMNS, [day]).filter(_then(reader))


def _then(reader: Reader) -> pl.Expr:
    """Whether a record was there at the reader's moment."""
    return (pl.col("occurred_at") <= reader.latest).fill_null(value=True)


def _cut(row: dict[str, Any]) -> dict[str, Any]:
    """A row whose texts are no longer than LONGEST."""
    long = any(len(row[name] or "") > LONGEST for name in ("text", "tool_input"))
    texts = {name: row[name] and row[name][:LONGEST] for name in ("text", "tool_input")}
    return row | texts | {"cut": long}
