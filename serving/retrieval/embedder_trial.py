"""One embedder against another on a memory's own talk: which finds what was answered?"""

from typing import NamedTuple

import numpy as np
import polars as pl

from cairn.knowledge.schema.tables import EPISODES, MEMORY
from cairn.knowledge.vectors.model import Embedder
from cairn.knowledge.vectors.similarity import pair_similarity
from cairn.resources.context import State
from cairn.serving.read.reader import Reader

MOST_TURNS, MOST_FACTS, FIRST = 400, 400, 10
SHOWN = 5


class AlikePair(NamedTuple):
    """Two facts, and how alike they are by the one in force and by the one that is tried."""

    one: str
    other: str
    now: float
    then: float


class EmbedderTrial(NamedTuple):
    """What two embedders find of the same memory."""

    turns: int
    """Requests whose answer is looked for, among the answers to all of them."""
    recall_now: float | None
    """Share of them whose answer is among the first ten, by vectors alone."""
    recall_then: float | None
    pairs: list[AlikePair]
    """Of facts: those about which they differ most."""


def tried(reader: Reader, state: State, name: str) -> EmbedderTrial:
    """Compares the embedder in force with another; what is dear is kept for later.

    Raises:
        EmbedderError: one of them cannot be used.
    """
    both = [state.cached_embedder(reader.manifest.embedder), state.cached_embedder(name)]
    turns = (
        reader.table(EPISODES, ["request", "answer", "ended_at", "episode_id"])
        .filter(pl.col("request").str.len_chars() > 0, pl.col("answer").str.len_chars() > 0)
        .sort("ended_at", "episode_id", descending=True)
        .unique("answer", keep="first", maintain_order=True)
        .head(MOST_TURNS)
        .collect()
    )
    facts = (
        reader.table(MEMORY, ["content", "fact_id", "event", "status"])
        .filter(~pl.col("event"), pl.col("status") == "active")
        .sort("fact_id")
        .head(MOST_FACTS)
        .collect()["content"]
        .unique(maintain_order=True)
        .to_list()
    )
    recalls = [_recall(one, turns) for one in both]
    return EmbedderTrial(turns.height, recalls[0], recalls[1], _pairs(both, facts))


def _recall(embedder: Embedder, turns: pl.DataFrame) -> float | None:
    if turns.height <= FIRST:
        return None
    answers = embedder.embed(turns["answer"].to_list())
    asked = np.stack([embedder.embed_query(text) for text in turns["request"]])
    cosines = asked @ answers.T
    better = (cosines > np.diagonal(cosines)[:, None]).sum(axis=1)
    return float((better < FIRST).mean())


def _pairs(both: list[Embedder], facts: list[str]) -> list[AlikePair]:
    left, right = np.triu_indices(len(facts), 1)
    if not len(left):
        return []
    now, then = (
        pair_similarity(vectors, vectors, left, right, one)
        for one in both
        for vectors in [one.embed(facts)]
    )
    most = np.argsort(-np.abs(then - now), kind="stable")[:SHOWN]
    return [
        AlikePair(facts[left[at]], facts[right[at]], float(now[at]), float(then[at])) for at in most
    ]
