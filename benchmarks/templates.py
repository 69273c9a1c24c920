"""Pairs of facts of one template: CPU seconds against as many facts that say different things."""

import time
from collections.abc import Sequence

import polars as pl

from benchmarks.pairs import statements
from cairn.knowledge.consolidation.similar_facts import similar_facts
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import FACTS
from cairn.knowledge.vectors.model import Remembering
from cairn.resources.embedders.choice import load_embedder

SECONDS = 600


def of_one_template(count: int) -> list[str]:
    """Statements that are the same but for two numbers, of which the first is never the same."""
    return [
        f"Build {number} of the web shop took {number * 7919 % SECONDS} seconds on host7."
        for number in range(count)
    ]


def facts_of(texts: Sequence[str]) -> pl.DataFrame:
    """FACTS rows of one entity."""
    rows = (
        {
            "fact_id": f"f_{number:08}", "namespace": "benchmark", "entity_id": "e",
            "predicate": "states", "object": text, "content": text, "event": False,
            "base_confidence": 0.8, "source_count": 1, "conversation_count": 1,
            "source_record_ids": [], "derived_from": [], "extractor": "rule@1", "trust": "person",
        }
        for number, text in enumerate(texts)
    )  # fmt: skip
    return FACTS.frame(rows)


def measured(count: int) -> dict[str, object]:
    """CPU seconds to SIMILAR_FACTS of both, and their rows, with vectors that are there.

    Statements are read once a process: each side reads its own for the first time.
    """
    policy, embedder = Policy(), Remembering(load_embedder("wordllama"))
    seconds: dict[str, float] = {}
    rows: dict[str, int] = {}
    similar_facts(facts_of(statements(20)), embedder, policy)
    for name, texts in (("baseline", statements(count)), ("ours", of_one_template(count))):
        facts = facts_of(texts)
        embedder.embed(texts)
        start = time.process_time()
        rows[name] = similar_facts(facts, embedder, policy).height
        seconds[name] = time.process_time() - start
    return {"facts": count, "seconds": seconds, "rows": rows}
