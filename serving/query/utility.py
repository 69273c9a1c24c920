"""What came of what was offered to agents, for every surface."""

from typing import Any

import polars as pl

from cairn.knowledge.schema import tables
from cairn.serving.query.interests import preferences_at
from cairn.serving.read.id_lookup import PIECE_ID
from cairn.serving.read.reader import Reader

_COLUMNS = [name for name in tables.UTILITY.columns if name != "namespace"]


def utility(reader: Reader, limit: int = 20) -> dict[str, Any]:
    """What came of offers: of each kind of pieces, and of single pieces, the most offered first.

    Returns:
        pieces (how many there are), kinds and top: rows of UTILITY without the namespace; of a
        piece with its text, empty where it is known no more; muted: piece_id, text and since of
        those that a person wants told no more, the last first.
    """
    rows = reader.table(tables.UTILITY).select(_COLUMNS).collect()
    single = rows.filter(pl.col("piece_id") != "").sort(
        "offered", "piece_id", "outcome", descending=[True, False, False]
    )
    return {
        "pieces": single["piece_id"].n_unique(),
        "kinds": rows.filter(piece_id="").drop("piece_id").sort("kind", "outcome").to_dicts(),
        "top": _told(reader, single.head(limit)),
        "muted": _told(reader, _muted(reader)),
    }


def _muted(reader: Reader) -> pl.DataFrame:
    held = preferences_at(reader).filter(attitude="mute")
    pieces = held.filter(pl.col("topic").str.contains(PIECE_ID))
    return pieces.select(piece_id="topic", since="started_at").sort(
        "since", "piece_id", descending=[True, False], nulls_last=True
    )


def _told(reader: Reader, pieces: pl.DataFrame) -> list[dict[str, Any]]:
    """Pieces with what they say."""
    if pieces.is_empty():
        return []
    texts = _texts(reader, pieces["piece_id"])
    told = pieces.join(texts, on="piece_id", how="left", maintain_order="left")
    return told.with_columns(pl.col("text").fill_null("")).to_dicts()


def _texts(reader: Reader, ids: pl.Series) -> pl.DataFrame:
    """What some pieces say, by their id."""
    told = (
        (tables.PRACTICES, "practice_id", "command"),
        (tables.ERROR_SIGNATURES, "fix_id", "fix"),
        (tables.MEMORY, "fact_id", "content"),
        (tables.LEARNINGS, "learning_id", "title"),
        (tables.PROJECT_FACTS, "project_fact_id", "name"),
        (tables.EPISODES, "episode_id", "request"),
        (tables.CONVERSATIONS, "conversation_id", "title"),
    )
    texts = [
        reader.rows(table, id_, ids, [id_, text])
        .select(piece_id=pl.col(id_), text=pl.col(text))
        .drop_nulls()
        for table, id_, text in told
    ]
    return pl.concat(texts).unique("piece_id", keep="any")


def offers_of(reader: Reader, piece_id: str) -> list[dict[str, Any]]:
    """Rows of UTILITY of one piece."""
    rows = reader.table(tables.UTILITY).filter(pl.col("piece_id") == piece_id)
    return rows.select(_COLUMNS).sort("outcome").collect().to_dicts()
