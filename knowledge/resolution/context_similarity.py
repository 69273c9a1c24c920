"""How well a name fits where it was said: what the semantic gate decides by."""

from bisect import bisect_right

import numpy as np
import polars as pl

from cairn.knowledge.nlp.text import sentences
from cairn.knowledge.vectors.model import Embedder
from cairn.knowledge.vectors.similarity import pair_similarity

_ENTITY = ["namespace", "entity_id"]


def context_similarity(
    named: pl.DataFrame, contexts: pl.DataFrame, embedder: Embedder
) -> pl.DataFrame:
    """How well each topic fits where it was named, at its best place.

    Compared are the name with its evidence, the sentence that it stands in, and its context, the
    whole text of the record. A bare name has too few words to be compared with a text.

    Args:
        named: Proposals that introduce their names; only topics are looked at.
        contexts: Columns namespace, record_id and text.
        embedder: Gives vectors and calibration.

    Returns:
        Columns namespace, entity_id and score, one row per topic.
    """
    topics = named.filter(pl.col("type") == "topic").join(
        contexts.select("namespace", "record_id", pl.col("text").alias("context")).unique(
            ["namespace", "record_id"]
        ),
        on=["namespace", "record_id"],
        how="left",
    )
    places = topics.select(
        *_ENTITY,
        "written",
        "quote_start",
        context=pl.when(pl.col("quote_field") == "text")
        .then("context")
        .fill_null(pl.col("content")),
        found=(pl.col("quote_field") == "text") & pl.col("context").is_not_null(),
    ).unique()
    evidence = [
        f"{name}. {sentence}"
        for name, sentence in zip(places["written"].to_list(), _sentences_at(places), strict=True)
    ]
    texts = pl.Series("text", [*evidence, *places["context"].to_list()], dtype=pl.String)
    distinct = texts.unique().sort()
    row = pl.DataFrame({"text": distinct}).with_row_index("row")
    rows = texts.to_frame().join(row, on="text", how="left", maintain_order="left")["row"]
    index = rows.to_numpy().astype(np.int64)
    vectors = embedder.embed(distinct.to_list())
    half = places.height
    scores = pair_similarity(vectors, vectors, index[:half], index[half:], embedder)
    return (
        places.select(_ENTITY).with_columns(score=pl.Series(scores, dtype=pl.Float64))
        .group_by(_ENTITY)
        .agg(pl.col("score").max())
    )  # fmt: skip


def _sentences_at(places: pl.DataFrame) -> list[str]:
    """The sentence at `quote_start` of each context; the whole context if it is not the record."""
    spans_of: dict[str, list[tuple[int, int]]] = {}
    found: list[str] = []
    for text, start, known in places.select("context", "quote_start", "found").iter_rows():
        if not known:
            found.append(text)
            continue
        if text not in spans_of:
            spans_of[text] = sentences(text)
        spans = spans_of[text]
        at = bisect_right(spans, (start, len(text))) - 1
        left, right = spans[at] if at >= 0 else (0, len(text))
        found.append(text[left:right])
    return found
