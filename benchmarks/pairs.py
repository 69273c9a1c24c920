"""All pairs of similar statements: CPU seconds against matrix products that compare everything."""

import random
import time
from collections.abc import Callable
from statistics import median

import numpy as np

from benchmarks.sessions import SAMPLES
from cairn.knowledge.nlp.text import words
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.vectors.model import Vectors
from cairn.knowledge.vectors.similarity import BLOCK, candidate_pairs, raw_floor
from cairn.resources.embedders.choice import load_embedder

FULL = 20_000
"""Statements of which a full matrix of similarities still fits in memory."""


def statements(count: int) -> list[str]:
    """Statements of 5 to 14 words of the samples; every third is another with a word changed."""
    dice = random.Random(0)
    said = " ".join(path.read_text(encoding="utf-8") for path in sorted(SAMPLES.rglob("*.jsonl")))
    vocabulary = [word for word in words(said) if word.isalpha()]
    made: list[list[str]] = []
    for number in range(count):
        if number % 3 == 2:
            again = list(dice.choice(made))
            again[dice.randrange(len(again))] = dice.choice(vocabulary)
            made.append(again)
        else:
            made.append(dice.choices(vocabulary, k=dice.randrange(5, 15)))
    return [" ".join(each) for each in made]


def measured(count: int, rounds: int) -> dict[str, object]:
    """CPU seconds of both ways to all candidate pairs, in turns, medians; how many there are."""
    embedder = load_embedder("wordllama")
    policy = Policy()
    vectors = embedder.embed(statements(count))
    floor = raw_floor(embedder, policy.merge_similarity)
    compared = _full if count <= FULL else _blocked
    ways: dict[str, Callable[[], tuple[np.ndarray, np.ndarray]]] = {
        "baseline": lambda: compared(vectors, floor - policy.candidate_margin),
        "ours": lambda: candidate_pairs(vectors, None, floor, margin=policy.candidate_margin),
    }
    taken: dict[str, list[float]] = {name: [] for name in ways}
    found: dict[str, set[tuple[int, int]]] = {}
    for _ in range(rounds):
        for name, way in ways.items():
            start = time.process_time()
            left, right = way()
            taken[name].append(time.process_time() - start)
            found[name] = set(zip(left.tolist(), right.tolist(), strict=True))
    return {
        "statements": count,
        "baseline": "a full matrix" if compared is _full else "blocked products",
        "seconds": {name: median(times) for name, times in taken.items()},
        "pairs": len(found["baseline"]),
        "lost": len(found["baseline"] - found["ours"]),
    }


def _full(vectors: Vectors, floor: float) -> tuple[np.ndarray, np.ndarray]:
    left, right = np.nonzero(vectors @ vectors.T >= floor)
    once = left < right
    return left[once], right[once]


def _blocked(vectors: Vectors, floor: float) -> tuple[np.ndarray, np.ndarray]:
    """As ours, of the whole vectors: each pair once, in blocks that stay in the cache."""
    room = np.empty((BLOCK, BLOCK), dtype=np.float32)
    parts: list[tuple[np.ndarray, np.ndarray]] = []
    for row in range(0, len(vectors), BLOCK):
        one = vectors[row : row + BLOCK]
        for column in range(row, len(vectors), BLOCK):
            two = vectors[column : column + BLOCK]
            products = np.matmul(one, two.T, out=room[: len(one), : len(two)])
            left, right = np.divmod(np.flatnonzero(products >= floor), products.shape[1])
            once = left + row < right + column
            parts.append((left[once] + row, right[once] + column))
    left, right = (np.concatenate(side) for side in zip(*parts, strict=True))
    return left, right
