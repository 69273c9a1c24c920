"""The stages over whole tables, in the order of the data, and what each reads and writes."""

import polars as pl

from knowledge.clusters import clusters
from knowledge.confidence import confidence_updates
from knowledge.embeddings import embeddings, texts_in_force
from knowledge.entities import Named, entities, entities_after, introductions
from knowledge.evidence import evidence
from knowledge.extractors import Extractor
from knowledge.facts import Facts, facts, facts_after
from knowledge.funnel import funnel
from knowledge.learnings.feedback import REACTIONS, feedback
from knowledge.learnings.stage import DUPLICATES, learnings, outcomes
from knowledge.memory import Grounds, memory, memory_entities
from knowledge.merges import merges
from knowledge.stage import Changes, Count, Frames, Means, Stage
from knowledge.tables import (
    CANDIDATES,
    CLUSTERS,
    CONFIDENCE_UPDATES,
    EMBEDDINGS,
    ENTITIES,
    EPISODES,
    EVIDENCE,
    FACT_SOURCES,
    FACTS,
    FUNNEL,
    INTRODUCTIONS,
    LEARNING_CANDIDATES,
    LEARNINGS,
    MEMORY,
    MEMORY_ENTITIES,
    MERGES,
    RAW_LOGS,
    REJECTIONS,
    THEMES,
)
from knowledge.themes import themes


def _stage_of(name: str, version: int, about: str, *policy: str) -> Extractor:
    return Extractor(name, "stage", version, about, policy)


def _contexts(episodes: pl.DataFrame) -> pl.DataFrame:
    # A request begins with the text of its first record, so offsets count in both alike.
    return episodes.select("namespace", record_id="episode_id", text="request")


def _entities(reads: Frames, means: Means) -> dict[str, pl.DataFrame]:
    candidates = reads["candidates"]
    introduced = introductions(candidates, means.policy)
    contexts = _contexts(reads["episodes"])
    gated = entities(candidates, introduced, contexts, means.embedder, means.policy)
    return {**gated._asdict(), "introductions": introduced}


def _entities_after(
    changes: Changes, stored: Frames, reads: Frames, means: Means
) -> dict[str, pl.DataFrame]:
    return entities_after(
        changes["candidates"],
        _contexts(changes["episodes"].rows),
        Named(**stored),
        reads["candidates"],
        _contexts(reads["episodes"]),
        means.embedder,
        means.policy,
    )._asdict()


def _entities_count(reads: Frames, writes: Frames) -> Count:
    del reads
    return Count(
        done=int(writes["entities"]["mentions"].sum()),
        rejected=int(writes["rejections"]["candidates"].sum()),
    )


ENTITIES_STAGE = Stage(
    _stage_of(
        "entities", 1, "Names through the gates.", "name_words", "semantic_floor", "embedder",
    ),
    (CANDIDATES, EPISODES),
    (ENTITIES, REJECTIONS, INTRODUCTIONS),
    _entities,
    _entities_count,
    _entities_after,
)  # fmt: skip


def _facts(reads: Frames, means: Means) -> dict[str, pl.DataFrame]:
    del means
    return facts(reads["candidates"], reads["entities"])._asdict()


def _facts_after(
    changes: Changes, stored: Frames, reads: Frames, means: Means
) -> dict[str, pl.DataFrame]:
    del means
    candidates, known = changes["candidates"], changes["entities"]
    return facts_after(
        candidates, known, Facts(**stored), reads["candidates"], reads["entities"]
    )._asdict()


def _facts_count(reads: Frames, writes: Frames) -> Count:
    proposed = reads["candidates"].filter(pl.col("kind") != "entity")
    used = writes["fact_sources"]["candidate_id"].n_unique()
    names = reads["candidates"].height - proposed.height
    return Count(done=used, empty=names, rejected=proposed.height - used)


FACTS_STAGE = Stage(
    _stage_of("facts", 1, "Equal statements united over their sources."),
    (CANDIDATES, ENTITIES),
    (FACTS, FACT_SOURCES),
    _facts,
    _facts_count,
    _facts_after,
)


def _learnings(reads: Frames, means: Means) -> dict[str, pl.DataFrame]:
    given = feedback(reads["raw_logs"])
    found = learnings(reads["learning_candidates"], means.embedder, means.policy, given)
    return {"learnings": found}


def _learnings_count(reads: Frames, writes: Frames) -> Count:
    final = outcomes(reads["learning_candidates"], writes["learnings"])["outcome"].to_list()
    refused = final.count("low_quality") + final.count("duplicate")
    empty = final.count("low_value") + final.count("no_categories")
    return Count(final.count("stored"), empty, refused, final.count("failed"))


LEARNINGS_STAGE = Stage(
    DUPLICATES,
    (LEARNING_CANDIDATES, RAW_LOGS),
    (LEARNINGS,),
    _learnings,
    _learnings_count,
    only={RAW_LOGS.name: REACTIONS},
)


def _embeddings(reads: Frames, means: Means) -> dict[str, pl.DataFrame]:
    texts = texts_in_force(reads["facts"], reads["episodes"], reads["entities"], reads["learnings"])
    return {"embeddings": embeddings(texts, means.embedder)}


EMBEDDINGS_STAGE = Stage(
    _stage_of("embeddings", 1, "Texts in force and their vectors.", "embedder"),
    (FACTS, EPISODES, ENTITIES, LEARNINGS),
    (EMBEDDINGS,),
    _embeddings,
)

THEMES_STAGE = Stage(
    _stage_of(
        "themes", 2, "HDBSCAN over episodes.", "theme_min_size", "cluster_neighbours", "embedder"
    ),
    (EPISODES,),
    (THEMES,),
    lambda reads, means: {"themes": themes(reads["episodes"], means.embedder, means.policy)},
)

CLUSTERS_STAGE = Stage(
    _stage_of(
        "clusters", 2, "HDBSCAN over facts.", "cluster_min_size", "cluster_neighbours", "embedder"
    ),
    (FACTS,),
    (CLUSTERS,),
    lambda reads, means: {"clusters": clusters(reads["facts"], means.embedder, means.policy)},
)


def _evidence(reads: Frames, means: Means) -> dict[str, pl.DataFrame]:
    return {
        "evidence": evidence(
            reads["facts"], reads["fact_sources"], reads["episodes"], means.embedder, means.policy
        )
    }


EVIDENCE_STAGE = Stage(
    _stage_of(
        "evidence", 2, "What speaks for and against facts.", "evidence_similarity", "embedder",
        "merge_similarity", "candidate_margin",
    ),
    (FACTS, FACT_SOURCES, EPISODES),
    (EVIDENCE,),
    _evidence,
)  # fmt: skip

CONFIDENCE_STAGE = Stage(
    _stage_of(
        "confidence_updates", 1, "Confidence after each event.", "support_gain",
        "contradiction_factor", "decay_per_day",
    ),
    (FACTS, EVIDENCE),
    (CONFIDENCE_UPDATES,),
    lambda reads, means: {
        "confidence_updates": confidence_updates(
            reads["facts"], reads["evidence"], means.policy
        )
    },
)  # fmt: skip

MERGES_STAGE = Stage(
    _stage_of(
        "merges", 2, "Facts that say the same.", "embedder", "merge_similarity",
        "merge_confidence_gap",
        "merge_confidence_floor", "candidate_margin", "support_gain", "contradiction_factor",
    ),
    (FACTS, EVIDENCE),
    (MERGES,),
    lambda reads, means: {
        "merges": merges(reads["facts"], reads["evidence"], means.embedder, means.policy)
    },
)  # fmt: skip


def _memory(reads: Frames, means: Means) -> dict[str, pl.DataFrame]:
    embedded = reads["embeddings"]["text"]
    grounds = Grounds(**{name: reads[name] for name in Grounds._fields})
    searchable = grounds.facts.filter(pl.col("content").is_in(embedded.implode()))["fact_id"]
    now = memory(grounds, searchable.to_list(), means.policy)
    return {"memory": now, "memory_entities": memory_entities(reads["entities"], now)}


MEMORY_STAGE = Stage(
    _stage_of(
        "memory", 2, "The current view.", "support_gain", "contradiction_factor", "decay_per_day",
    ),
    (FACTS, FACT_SOURCES, ENTITIES, EVIDENCE, CONFIDENCE_UPDATES, MERGES, EMBEDDINGS),
    (MEMORY, MEMORY_ENTITIES),
    _memory,
)  # fmt: skip

FUNNEL_STAGE = Stage(
    _stage_of("funnel", 1, "Pass rate of each gate."),
    (CANDIDATES, REJECTIONS, ENTITIES, FACT_SOURCES, FACTS, MEMORY, LEARNING_CANDIDATES, LEARNINGS),
    (FUNNEL,),
    lambda reads, _: {"funnel": funnel(reads)},
)

STAGES = (
    ENTITIES_STAGE, FACTS_STAGE, LEARNINGS_STAGE, EMBEDDINGS_STAGE, THEMES_STAGE, CLUSTERS_STAGE,
    EVIDENCE_STAGE, CONFIDENCE_STAGE, MERGES_STAGE, MEMORY_STAGE, FUNNEL_STAGE,
)  # fmt: skip
