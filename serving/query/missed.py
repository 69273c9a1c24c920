"""What people said that Cairn should have learnt: labelled examples, each of one record."""

import polars as pl

from cairn.knowledge.ingest.inbox_events.documents import DOCUMENT
from cairn.knowledge.schema.tables import RAW_LOGS
from cairn.serving.read.pagination import Key, Page, newest, page
from cairn.serving.read.reader import Reader

LONGEST = 2_000
"""Characters of the message of an example."""


def missed(reader: Reader, limit: int = 20, cursor: str | None = None) -> Page:
    """Examples, the latest first: example_id, record_id, expected, at, conversation_id, text.

    `text` is what the record says, its first LONGEST characters.

    Raises:
        BadCursor: the cursor is none of this list.
    """
    every = reader.once("missed", lambda: _told(reader))
    rows = every.filter((pl.col("at") <= reader.latest).fill_null(value=True))
    about = reader.rows(
        RAW_LOGS, "record_id", rows["record_id"].unique(), ["record_id", "conversation_id", "text"]
    ).with_columns(pl.col("text").str.head(LONGEST))
    keys = [newest("at"), Key(pl.col("example_id"))]
    joined = rows.lazy().join(about.lazy(), on="record_id", how="left")
    return page(joined, keys, ("missed", reader.namespace), limit, cursor)


def _told(reader: Reader) -> pl.DataFrame:
    """All examples that were published; files of a whole year are looked into for the few."""
    return (
        reader.table(RAW_LOGS)
        .filter(pl.col("kind") == DOCUMENT, pl.col("reply_to").is_not_null())
        .select(example_id="record_id", record_id="reply_to", expected="text", at="occurred_at")
        .collect()
    )
