"""Texts in force, and their vectors: what is compared, clustered and searched by meaning."""

import polars as pl

from cairn.knowledge.engine.diff import LazyFrames
from cairn.knowledge.resolution.canonical import with_canonical
from cairn.knowledge.schema.fact_types import is_event
from cairn.knowledge.schema.identity import digest_column
from cairn.knowledge.schema.tables import EMBEDDINGS
from cairn.knowledge.vectors.model import Embedder


def learning_text() -> pl.Expr:
    """What is embedded of a learning."""
    return pl.concat_str("title", "content", separator="\n")


def entity_texts(entities: pl.DataFrame) -> pl.DataFrame:
    """What is embedded of entities that stand for themselves, with the names of those merged in.

    Args:
        entities: namespace, entity_id, canonical_id, display_name.

    Returns:
        namespace, entity_id, text, as in "Kubernetes (k8s)".
    """
    merged = pl.col("entity_id") != pl.col("canonical_id")
    names = (
        entities.filter(merged)
        .group_by("namespace", entity_id="canonical_id")
        .agg(others=pl.col("display_name").unique().sort().str.join(", "))
    )
    return (
        entities.filter(~merged)
        .join(names, on=["namespace", "entity_id"], how="left")
        .select(
            "namespace",
            "entity_id",
            text=pl.concat_str(
                "display_name", pl.concat_str(pl.lit(" ("), "others", pl.lit(")")).fill_null("")
            ),
        )
    )


_FREE = ~is_event()
_ALL = pl.lit(value=True)
SAID = {
    "facts": (["namespace", "predicate", "event", "content"], _FREE, [pl.col("content")]),
    "episodes": (
        ["namespace", "text", "speaker", "passages"],
        _ALL,
        [pl.col("text"), pl.col("speaker"), pl.col("passages")],
    ),
    "learnings": (["namespace", "title", "content"], _ALL, [learning_text()]),
    "pieces": (["namespace", "embedding_text"], _ALL, [pl.col("embedding_text")]),
}
"""Table → what is read of it, rows that need vectors (events need none), and of what.

What is embedded of entities is in `entity_texts`.
"""


def texts_in_force(
    facts: pl.DataFrame,
    episodes: pl.DataFrame,
    entities: pl.DataFrame,
    entity_merges: pl.DataFrame,
    learnings: pl.DataFrame,
    pieces: pl.DataFrame,
) -> pl.DataFrame:
    """Distinct texts (namespace, text) that need a vector."""
    tables = {"facts": facts, "episodes": episodes, "learnings": learnings, "pieces": pieces}
    named = entity_texts(with_canonical(entities, entity_merges))
    return texts_of({name: frame.lazy() for name, frame in tables.items()}, named).collect()


def texts_of(tables: LazyFrames, named: pl.DataFrame) -> pl.LazyFrame:
    """`texts_in_force` of tables by name, of which only the columns of SAID are read.

    Args:
        tables: Those of SAID.
        named: `entity_texts`.
    """
    texts = [
        tables[name].filter(needed).select("namespace", text=pl.concat_list(text)).explode("text")
        for name, (_, needed, own) in SAID.items()
        for text in own
    ]
    texts.append(named.lazy().select("namespace", "text"))
    return pl.concat(texts).filter(pl.col("text") != "").unique().sort("namespace", "text")


def embeddings(texts: pl.DataFrame, embedder: Embedder) -> pl.DataFrame:
    """The table `embeddings` of `texts` (columns namespace and text)."""
    vectors = embedder.embed(texts["text"].to_list())
    return EMBEDDINGS.frame(
        texts.with_columns(
            pl.lit(embedder.model).alias("model"),
            digest_column("text").alias("text_hash"),
            pl.Series("vector", vectors, dtype=pl.List(pl.Float32))
            if len(vectors)
            else pl.Series("vector", [], dtype=pl.List(pl.Float32)),
        )
    )


def with_vector(frame: pl.DataFrame, text: pl.Expr, embeddings: pl.DataFrame) -> pl.DataFrame:
    """`frame` with `vector`, the vector of `text`; null where there is none."""
    known = embeddings.select("namespace", "text", "vector")
    return (
        frame.with_columns(_text=text)
        .join(known, left_on=["namespace", "_text"], right_on=["namespace", "text"], how="left")
        .drop("_text")
    )
