"""Clusters of texts about known topics: CPU seconds and accuracy against the library `hdbscan`."""

import random
import time
import warnings
from collections.abc import Sequence
from zlib import crc32

import numpy as np
import polars as pl

from benchmarks.sessions import SAMPLES
from cairn.knowledge.consolidation.topics import clusters
from cairn.knowledge.nlp.text import words
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.vectors.hdbscan import clustering, folded
from cairn.knowledge.vectors.model import Remembering, Vectors
from cairn.resources.embedders.choice import load_embedder

OWN_WORDS = 8
"""Words that a topic is made of."""

PER_TOPIC = 200
ASTRAY = 0.2
"""Share of texts that are about nothing."""


def topical(count: int, seed: int) -> tuple[list[str], list[int]]:
    """Texts and what each is about (-1: nothing), of words of the samples.

    A text about a topic has 5 to 9 of its words and 1 to 4 of any; one about nothing 6 to 14 of
    any.
    """
    dice = random.Random(seed)
    said = " ".join(path.read_text(encoding="utf-8") for path in sorted(SAMPLES.rglob("*.jsonl")))
    any_word = [word for word in words(said) if word.isalpha()]
    telling = sorted({word for word in any_word if len(word) > 3})
    topics = [dice.sample(telling, OWN_WORDS) for _ in range(max(count // PER_TOPIC, 2))]
    texts: list[str] = []
    truth: list[int] = []
    for _ in range(count):
        topic = -1 if dice.random() < ASTRAY else dice.randrange(len(topics))
        if topic < 0:
            said_here = dice.choices(any_word, k=dice.randrange(6, 15))
        else:
            said_here = dice.choices(topics[topic], k=dice.randrange(5, 10))
            said_here += dice.choices(any_word, k=dice.randrange(1, 5))
        texts.append(" ".join(said_here))
        truth.append(topic)
    return texts, truth


def random_vectors(texts: Sequence[str], dimension: int) -> Vectors:
    """Unit vectors: of each text the sum of its words, each a direction that means nothing."""
    known: dict[str, Vectors] = {}
    vectors = np.zeros((len(texts), dimension), dtype=np.float32)
    for row, text in enumerate(texts):
        for word in words(text):
            if word not in known:
                dice = np.random.default_rng(crc32(word.encode()))
                known[word] = dice.normal(size=dimension).astype(np.float32)
            vectors[row] += known[word]
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def measured(count: int, runs: int, dimension: int) -> dict[str, object]:
    """CPU seconds of both, and the adjusted Rand index of each and between them, by run.

    The library decides by the same least size and neighbours, so the clusters are to be the same.
    Vectors are the embedder's where it gives as many dimensions, else random ones of the words.
    """
    from hdbscan import HDBSCAN
    from sklearn.metrics import adjusted_rand_score

    policy, embedder = Policy(), load_embedder("wordllama")
    size, neighbours = policy.cluster_min_size, policy.cluster_neighbours
    some = topical(500, 0)[0]
    first = embedder.embed(some)
    clustering(folded(some, embedder.embed), size, neighbours)
    found: list[dict[str, float]] = []
    for seed in range(runs):
        texts, truth = topical(count, seed)
        own = dimension == first.shape[1]
        vectors = embedder.embed(texts) if own else random_vectors(texts, dimension)
        known = Remembering(embedder, lambda made=(texts, vectors): made)
        start = time.process_time()
        ours = clustering(folded(texts, known.embed), size, neighbours)
        between = time.process_time()
        with warnings.catch_warnings():
            # hdbscan calls scikit-learn by names that are on their way out.
            warnings.simplefilter("ignore", FutureWarning)
            plain = HDBSCAN(min_cluster_size=size, min_samples=neighbours).fit_predict(vectors)
            end = time.process_time()
        found.append(
            {
                "ours": between - start,
                "baseline": end - between,
                "accuracy": float(adjusted_rand_score(truth, ours.labels)),
                "baseline_accuracy": float(adjusted_rand_score(truth, plain)),
                "agreement": float(adjusted_rand_score(plain, ours.labels)),
            }
        )
    return {"texts": count, "dimension": dimension, "runs": found}


def topic_nights(count: int) -> dict[str, object]:
    """CPU seconds of topics of all facts, and of a night on which one in a hundred is new.

    Vectors are there already, as the stage finds them. Both make the same tables.
    """
    new = max(count // 100, 1)
    texts, _ = topical(count + new, 0)
    facts = pl.DataFrame({"content": texts}).select(
        pl.lit("benchmark").alias("namespace"),
        pl.concat_str(pl.lit("f"), pl.int_range(pl.len())).alias("fact_id"),
        pl.lit("decided").alias("predicate"),
        pl.lit(value=False).alias("event"),
        "content",
    )
    policy, embedder = Policy(), Remembering(load_embedder("wordllama"))
    embedder.embed(texts)
    start = time.process_time()
    first = clusters(facts[:count], embedder, policy)
    between = time.process_time()
    second = clusters(facts, embedder, policy, first.fact_mst_edges)
    end = time.process_time()
    return {
        "facts": count,
        "new": new,
        "seconds": {"first": between - start, "night": end - between},
        "topics": second.clusters["cluster_id"].n_unique() - 1,
    }
