"""What is known of what a message is about, and whether that is enough to answer it."""

from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import polars as pl

from cairn.knowledge.consolidation.verdicts.standing import STANDING
from cairn.knowledge.nlp.text import words
from cairn.knowledge.schema.fact_types import is_event
from cairn.knowledge.schema.tables import MEMORY_ENTITIES
from cairn.resources.vector_index.protocol import Filters
from cairn.serving.read.reader import Reader, best_first
from cairn.serving.retrieval.personalization import Personalization, personalization_of, step
from cairn.serving.retrieval.search import SearchResult, nearest


@dataclass(frozen=True)
class EntityWithFacts:
    """An entity that a message is about."""

    entity_id: str
    name: str
    type: str
    similarity: float
    """1 where the message names it."""
    facts: list[dict[str, Any]]
    """Those that speak to the message, the nearest first, then the surest: fact_id, text,
    confidence, similarity."""


@dataclass(frozen=True)
class KnownEntities:
    """Entities with their facts; `sufficient` if one fact is as near as the threshold."""

    entities: list[EntityWithFacts]
    score: float
    threshold: float

    @property
    def sufficient(self) -> bool:
        """Whether an agent can do without a search of its own."""
        return self.score >= self.threshold


def known(reader: Reader, message: str) -> KnownEntities:
    """Entities nearest to a message, with what is known of each.

    Those that it names come first, then those that a search for it finds; of equally near ones
    what the person cares about more. What they dislike or muted is only told where the message
    names it. The score is the similarity of the nearest fact about any of them, 0 if there is none.

    Raises:
        ValueError: the message is empty.
    """
    policy = reader.state.policy
    if not message.strip():
        raise ValueError("the message is empty")
    cares = personalization_of(reader).but(message)
    near = nearest(
        reader, message, "entities", 4 * policy.known_entities, 0.0, personalization=cares
    )
    entities = sorted(
        (replace(one, similarity=1.0) if _names(message, one) else one for one in near),
        key=lambda one: (
            one.similarity < 1,
            -step(one.similarity),
            -cares.interest.get(one.id, 0.0),
            -one.similarity,
            -one.score,
            one.id,
        ),
    )[: policy.known_entities]
    ids = [one.id for one in entities]
    if not ids:
        return KnownEntities([], 0.0, policy.sufficient_similarity)
    about = Filters(entity_ids=ids)
    most = len(ids) * policy.known_facts
    found = nearest(reader, message, "facts", most, policy.search_min_confidence, about, cares)
    nearness = {one.id: one.similarity for one in found}
    rows = reader.rows(MEMORY_ENTITIES, "entity_id", pl.Series(ids), ["entity_id", "type"])
    types = dict(rows.iter_rows())
    told = [
        EntityWithFacts(
            one.id, one.text, types[one.id], one.similarity,
            _facts(reader, one.id, nearness, cares),
        )
        for one in entities
    ]  # fmt: skip
    return KnownEntities(told, max(nearness.values(), default=0.0), policy.sufficient_similarity)


def _names(message: str, entity: SearchResult) -> bool:
    """Whether a message has the words of a name, side by side."""
    name = " ".join(words(entity.text))
    return bool(name) and f" {name} " in f" {' '.join(words(message))} "


def _facts(
    reader: Reader, entity_id: str, nearness: dict[str, float], cares: Personalization
) -> list[dict[str, Any]]:
    policy = reader.state.policy
    similarity = pl.col("fact_id").replace_strict(
        list(nearness), list(nearness.values()), default=0.0, return_dtype=pl.Float64
    )
    held = (
        reader.about([entity_id])
        .lazy()
        .filter(
            ~is_event(),
            pl.col("status").is_in(STANDING),
            pl.col("effective") >= policy.search_min_confidence,
        )
    )
    told = (
        best_first(held)
        .with_columns(similarity=similarity)
        .filter(pl.col("similarity") >= policy.known_similarity)
        .sort("similarity", descending=True, maintain_order=True)
        .select("fact_id", "predicate", "similarity", text="content", confidence="effective")
        .collect()
        .iter_rows(named=True)
    )
    return list(
        islice((one for one in told if not cares.names_unwanted(one["text"])), policy.known_facts)
    )
