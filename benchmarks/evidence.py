"""Episodes that support facts: CPU seconds against a loop of single queries of a vector store."""

import time

import numpy as np
import polars as pl

from benchmarks.made_up import world
from cairn.knowledge.consolidation.support import similar_episodes
from cairn.knowledge.schema.fact_types import is_event
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.vectors.model import Remembering
from cairn.knowledge.vectors.similarity import pair_similarity, raw_floor
from cairn.resources.embedders.choice import load_embedder

MOST = 1000
"""Results that a query asks for: more than there are episodes like one fact."""


def measured(facts: int, asked: int) -> dict[str, object]:
    """Seconds per fact of both, with vectors that are there, and what was found for the same facts.

    Args:
        facts: How many; there are a fifth as many episodes.
        asked: Of how many, evenly chosen, the loop asks; its time for all follows from theirs.
    """
    from qdrant_client import QdrantClient, models

    policy, embedder = Policy(), Remembering(load_embedder("wordllama"))
    made = world(facts).after
    known = made["facts"].filter(~is_event()).with_columns(first_seen=pl.lit(None, pl.Datetime))
    known = known.cast({"first_seen": pl.Datetime("us", "UTC")})
    # Every episode is later than every fact, and of a conversation of its own: all pairs count.
    heard = made["episodes"].with_columns(conversation_id="episode_id")
    contents, texts = known["content"].to_list(), heard["text"].to_list()
    content_vectors, text_vectors = embedder.embed(contents), embedder.embed(texts)

    begin = time.process_time()
    nobody = known.clear().select("namespace", "fact_id", conversation_id="fact_id")
    found = similar_episodes(known, nobody, heard, embedder, policy)
    ours = (time.process_time() - begin) / known.height

    sample = np.linspace(0, known.height - 1, asked).astype(int)
    floor = raw_floor(embedder, policy.evidence_similarity) - policy.candidate_margin
    expected: set[tuple[str, str]] = set()
    store = QdrantClient(":memory:")
    size = models.VectorParams(size=text_vectors.shape[1], distance=models.Distance.COSINE)
    store.create_collection("episodes", vectors_config=size)
    store.upload_collection("episodes", vectors=text_vectors, ids=range(len(texts)))
    begin = time.process_time()
    for row in sample:
        near = store.query_points(
            "episodes", content_vectors[row], limit=MOST, score_threshold=floor
        ).points
        ids = np.array([int(point.id) for point in near], dtype=np.int64)
        rows = np.full(len(ids), row)
        alike = pair_similarity(content_vectors, text_vectors, rows, ids, embedder)
        expected |= {
            (known["fact_id"][int(row)], heard["episode_id"][int(each)])
            for each in ids[alike >= policy.evidence_similarity]
        }
    loop = (time.process_time() - begin) / asked
    store.close()
    of_sample = found.filter(pl.col("fact_id").is_in(known["fact_id"][sample].implode()))
    same = set(of_sample.select("fact_id", "source_id").iter_rows()) == expected
    return {
        "facts": known.height,
        "episodes": heard.height,
        "asked": asked,
        "seconds": {"baseline": loop * known.height, "ours": ours * known.height},
        "pairs": len(expected),
        "same": same,
    }
