"""Many namespaces in one process, asked at random: how long an answer takes, and the memory of all.

A namespace has facts that are made up; a query is the content of one without every third word.
"""

import random
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.pairs import statements
from cairn.knowledge.consolidation.verdicts.standing import STANDING
from cairn.resources.embedders.choice import load_embedder
from cairn.resources.vector_index.edge import EdgeIndex
from cairn.resources.vector_index.protocol import Filters

GOAL_MS = 15
LARGE, SMALL = 2_000, (50, 300)
SHARE_LARGE = 0.3


def measured(folder: Path, count: int, asked: int) -> dict[str, Any]:
    """Milliseconds of searches of `count` namespaces, of the first of each too; memory for each.

    Three of ten have 2,000 points, the others 50 to 300.
    """
    dice, embedder = random.Random(0), load_embedder("wordllama")
    said = statements(2 * LARGE)
    vectors = embedder.embed(said)
    index, names, texts = EdgeIndex(folder), list[str](), list[list[int]]()
    for number in range(count):
        size = LARGE if number < SHARE_LARGE * count else dice.randint(*SMALL)
        rows = dice.sample(range(len(said)), size)
        points = _points([said[row] for row in rows], vectors[rows].tolist())
        made = index.publish(f"n{number}", points, model=embedder.model, dimension=vectors.shape[1])
        names.append(made.name)
        texts.append(rows)
    index, before = EdgeIndex(folder), _memory_mb()
    now = datetime.now(UTC)
    wanted = Filters(kinds=["fact", "episode"], statuses=STANDING, holds_after=now,
                     min_strength=-1.0, min_lasting_strength=-1.0)  # fmt: skip

    def ask(number: int) -> float:
        words = said[dice.choice(texts[number])].split()
        query = " ".join(word for at, word in enumerate(words) if at % 3 != 2)
        begin = time.perf_counter()
        index.search(
            f"n{number}", names[number], text=query, vector=embedder.embed([query])[0].tolist(),
            model=embedder.model, filters=wanted, vectors=True,
        )  # fmt: skip
        return 1000 * (time.perf_counter() - begin)

    first = [ask(number) for number in dice.sample(range(count), count)]
    later = [ask(dice.randrange(count)) for _ in range(asked)]
    return {
        "namespaces": count,
        "asked": asked,
        "first": _percentiles(first),
        "later": _percentiles(later),
        "memory_mb": (_memory_mb() - before) / count,
    }


def _points(texts: list[str], vectors: list[list[float]]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "id": [f"f{number}" for number in range(len(texts))],
            "kind": "fact",
            "text": texts,
            "vector": vectors,
            "status": "active",
            "strength": 1.0,
            "lasting_strength": 1.0,
            "confidence": 0.8,
            "day": "2026-02-03",
            "first_day": "2026-02-03",
        },
        schema_overrides={"vector": pl.List(pl.Float32)},
    )


def _memory_mb() -> float:
    """What this process has for itself, with its share of what others map, too (Linux)."""
    lines = Path("/proc/self/smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def _percentiles(values: list[float]) -> dict[str, float]:
    return {name: float(np.percentile(values, at)) for name, at in (("p50", 50), ("p95", 95))}
