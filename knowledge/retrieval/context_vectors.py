"""Vectors of texts where they stand: who speaks or is spoken of, what was said before and after.

"I took it back to the shop" is near to no question about Mira's kettle. Its vector is drawn towards
those of her name and of the turns around it: sums of vectors that are there already, so that an
encoder is asked for each text once, wherever that stands.
"""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cairn.knowledge.consolidation.embeddings import with_vector
from cairn.knowledge.vectors.model import Vectors, unit_rows

SPEAKER, BEFORE, AFTER, ENTITY = 0.7, 0.5, 0.2, 0.5
"""What vectors weigh beside 1 of a text's own: of who said it, of the turn before it and of the
next one; of the entity that a fact is of. Set by `benchmarks.recall`."""


def turn_vectors(episodes: pl.DataFrame, embeddings: pl.DataFrame) -> pl.DataFrame:
    """Vectors of episodes among the others of their conversations.

    A name tells nothing where one person speaks alone; what has an agent's answer with it says
    enough without its neighbours.

    Args:
        episodes: namespace, episode_id, conversation_id, seq, speaker, answer, text.
        embeddings: namespace, text, vector: of texts and of speakers.

    Returns:
        namespace, id, vector (length 1), of all that have a vector by themselves.
    """
    told = _with_vectors(
        episodes.sort("namespace", "conversation_id", "seq"), "text", "speaker", embeddings
    )
    talk = ["namespace", "conversation_id"]
    alone = pl.col("answer") == ""
    own, speaker = _matrices(told)
    drawn = (
        SPEAKER * speaker * _mask(told, pl.col("speaker").drop_nulls().n_unique().over(talk) > 1)
        + BEFORE * np.roll(own, 1, axis=0)
        * _mask(told, alone & (pl.col("seq") > pl.col("seq").min().over(talk)))
        + AFTER * np.roll(own, -1, axis=0)
        * _mask(told, alone & (pl.col("seq") < pl.col("seq").max().over(talk)))
    )  # fmt: skip
    return _drawn(told, own, drawn, "episode_id")


def fact_vectors(
    facts: pl.DataFrame, entities: pl.DataFrame, embeddings: pl.DataFrame
) -> pl.DataFrame:
    """Vectors of facts that do not name what they are of.

    Args:
        facts: namespace, fact_id, entity_id, content, embedding_text.
        entities: namespace, entity_id, display_name, text: by what it is embedded.
        embeddings: namespace, text, vector: of both.

    Returns:
        namespace, id, vector (length 1), of those that have a vector by themselves.
    """
    of = entities.select("namespace", "entity_id", "display_name", named="text")
    bare = facts.join(of, on=["namespace", "entity_id"]).filter(
        ~pl.col("content")
        .str.to_lowercase()
        .str.contains(pl.col("display_name").str.to_lowercase(), literal=True)
    )
    text = pl.coalesce("embedding_text", "content")
    told = _with_vectors(bare.with_columns(text=text), "text", "named", embeddings)
    own, entity = _matrices(told)
    return _drawn(told, own, ENTITY * entity, "fact_id")


def _with_vectors(
    frame: pl.DataFrame, text: str, other: str, embeddings: pl.DataFrame
) -> pl.DataFrame:
    """`frame` with `vector` of a text and `towards` of another; rows without the first go."""
    own = with_vector(frame, pl.col(text), embeddings).rename({"vector": "own"})
    both = with_vector(own.filter(pl.col("own").is_not_null()), pl.col(other), embeddings)
    return both.rename({"vector": "towards", "own": "vector"})


def _matrices(told: pl.DataFrame) -> tuple[Vectors, Vectors]:
    """Both vectors of each row, shape (rows, dimension); zero where the other is missing."""
    size = told["vector"].list.len().max()
    if not isinstance(size, int):
        nothing = np.zeros((0, 1), dtype=np.float32)
        return nothing, nothing
    zero = pl.lit([0.0] * size, dtype=pl.List(pl.Float32))
    both = told.select(pl.col("vector", "towards").fill_null(zero).list.to_array(size))
    return both["vector"].to_numpy(), both["towards"].to_numpy()


def _mask(told: pl.DataFrame, where: pl.Expr) -> Vectors:
    return told.select(where.cast(pl.Float32))[:, 0].to_numpy()[:, np.newaxis]


def _drawn(told: pl.DataFrame, own: Vectors, drawn: NDArray[np.floating], id_: str) -> pl.DataFrame:
    """Of a text of which the encoder knows no word nothing is said by what stands around it."""
    vectors = unit_rows(own + drawn * own.any(axis=1, keepdims=True))
    return told.select("namespace", pl.Series("vector", vectors).cast(pl.List(pl.Float32)), id=id_)
