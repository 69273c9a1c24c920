"""The stages that make memory of facts: vectors, topics, evidence, confidence, merges, the view."""

import polars as pl

from cairn.knowledge.consolidation.confidence import confidence_updates
from cairn.knowledge.consolidation.embeddings import embeddings, texts_in_force
from cairn.knowledge.consolidation.evidence import evidence
from cairn.knowledge.consolidation.incremental import (
    confidence_updates_after,
    embeddings_after,
    evidence_after,
    memory_after,
    merges_after,
    similar_facts_after,
)
from cairn.knowledge.consolidation.memory import MemoryInput, memory
from cairn.knowledge.consolidation.memory_entities import memory_entities
from cairn.knowledge.consolidation.merges import merges, unequal
from cairn.knowledge.consolidation.similar_facts import similar_facts
from cairn.knowledge.consolidation.topics import clusters
from cairn.knowledge.consolidation.validity import decided_times, valid_times_after
from cairn.knowledge.consolidation.verdicts.decision_effects import (
    as_looked_at,
    confirmations,
    decided_entities,
    still_held,
    undecided,
    withdrawn,
)
from cairn.knowledge.consolidation.verdicts.entity_verdicts import entity_verdicts
from cairn.knowledge.consolidation.verdicts.llm_verdicts import (
    differing,
    judged,
    standing,
    verdicts,
)
from cairn.knowledge.dialogue.trust import BOUNDS
from cairn.knowledge.engine.stage import Count, Frames, Stage, StageContext, StageResult, stage_of
from cairn.knowledge.llm.prompts import CONTRADICTION_PAIRS, ENTITY_PAIRS, MERGE_PAIRS
from cairn.knowledge.llm.prompts.entity_pairs import SAME
from cairn.knowledge.resolution.alike_entities import alike_entities
from cairn.knowledge.resolution.canonical import about_canonical, equal_statements
from cairn.knowledge.resolution.resolution import entity_merges
from cairn.knowledge.schema.tables import (
    CLUSTERS,
    CONFIDENCE_UPDATES,
    CONTRADICTION_VERDICTS,
    DECISIONS,
    EMBEDDINGS,
    ENTITIES,
    ENTITY_MERGES,
    ENTITY_VERDICTS,
    EPISODES,
    EVIDENCE,
    FACT_MST_EDGES,
    FACT_SOURCES,
    FACTS,
    LEARNINGS,
    MEMORY,
    MEMORY_ENTITIES,
    MERGE_VERDICTS,
    MERGES,
    PIECES,
    PROJECTS,
    SIMILAR_FACTS,
    VALID_TIMES,
)

_OF_ENTITIES = stage_of(
    "entity_verdicts", 1, "What a language model says of entities that may be one.", "embedder",
    "merge_similarity", "alike_name_similarity", "candidate_margin", "min_same_confidence",
)  # fmt: skip


def _merged(reads: Frames, means: StageContext, verdicts: pl.DataFrame | None) -> pl.DataFrame:
    together, apart = decided_entities(reads["decisions"])
    facts = still_held(reads["facts"], reads["decisions"])
    return entity_merges(
        reads["entities"], facts, means.embedder, means.policy, apart, together, reads["projects"],
        verdicts,
    )  # fmt: skip


def _entity_verdicts(reads: Frames, means: StageContext) -> StageResult:
    if means.model is None:
        return StageResult({"entity_verdicts": ENTITY_VERDICTS.empty()})
    merged = _merged(reads, means, None)
    facts = still_held(reads["facts"], reads["decisions"])
    _, apart = decided_entities(reads["decisions"])
    alike = alike_entities(
        reads["entities"], facts, merged, apart, means.embedder, means.policy
    )  # fmt: skip
    found = entity_verdicts(
        _OF_ENTITIES, ENTITY_PAIRS, alike, reads["entities"], facts, merged, means.model,
        means.policy,
    )  # fmt: skip
    return StageResult({"entity_verdicts": found.rows}, pending=found.pending)


def _entity_verdicts_count(reads: Frames, made: StageResult) -> Count:
    """Of all entities: in a pair that is decided, in one that a rule refuses, or in none."""
    rows = made.tables["entity_verdicts"]
    done, judged_at_all = (
        len({*some["left_id"], *some["right_id"]}) for some in (standing(rows), rows)
    )
    return Count(done, reads["entities"].height - judged_at_all, judged_at_all - done)


ENTITY_VERDICTS_STAGE = Stage(
    _OF_ENTITIES,
    (ENTITIES, FACTS, DECISIONS, PROJECTS),
    (ENTITY_VERDICTS,),
    _entity_verdicts,
    _entity_verdicts_count,
    prompts=(ENTITY_PAIRS,),
    nightly=True,
)


def _entity_merges(reads: Frames, means: StageContext) -> StageResult:
    said = standing(reads["entity_verdicts"]).filter(verdict=SAME)
    return StageResult({"entity_merges": _merged(reads, means, said)})


ENTITY_MERGES_STAGE = Stage(
    stage_of(
        "entity_merges", 6, "Entities that are one thing under several names.", "embedder",
        "merge_similarity",
    ),
    (ENTITIES, FACTS, DECISIONS, PROJECTS, ENTITY_VERDICTS),
    (ENTITY_MERGES,),
    _entity_merges,
)  # fmt: skip


def _facts(reads: Frames) -> pl.DataFrame:
    """Facts about the entities that stand for those they were said of."""
    return about_canonical(reads["facts"], reads["entity_merges"])


def _embeddings(reads: Frames, means: StageContext) -> StageResult:
    texts = texts_in_force(
        reads["facts"], reads["episodes"], reads["entities"], reads["entity_merges"],
        reads["learnings"], reads["pieces"],
    )  # fmt: skip
    return StageResult({"embeddings": embeddings(texts, means.embedder)})


EMBEDDINGS_STAGE = Stage(
    stage_of("embeddings", 5, "Texts in force and their vectors.", "embedder"),
    (FACTS, EPISODES, ENTITIES, ENTITY_MERGES, LEARNINGS, PIECES),
    (EMBEDDINGS,),
    _embeddings,
    update_incremental=embeddings_after,
)

CLUSTERS_STAGE = Stage(
    stage_of(
        "clusters", 5, "HDBSCAN over facts.", "cluster_min_size", "cluster_neighbours", "embedder"
    ),
    (FACTS,),
    (CLUSTERS, FACT_MST_EDGES),
    lambda reads, means: StageResult(
        clusters(reads["facts"], means.embedder, means.policy)._asdict()
    ),
    after=lambda _, stored, reads, means: clusters(
        reads["facts"], means.embedder, means.policy, stored["fact_mst_edges"]
    )._asdict(),
    columns={
        "facts": ("namespace", "fact_id", "predicate", "event", "content"),
        "clusters": ("namespace", "fact_id"),
    },
    sample_check=True,
)


SIMILAR_FACTS_STAGE = Stage(
    stage_of(
        "similar_facts", 8, "Pairs that may say the same, or deny each other.", "embedder",
        "merge_similarity", "contradiction_similarity", "candidate_margin", "template_size",
    ),
    (FACTS, ENTITY_MERGES),
    (SIMILAR_FACTS,),
    lambda reads, means: StageResult(
        {"similar_facts": similar_facts(_facts(reads), means.embedder, means.policy)}
    ),
    update_incremental=similar_facts_after,
)  # fmt: skip


_OF_WORDS = stage_of(
    "contradiction_verdicts", 1, "What a language model says of facts that differ in words."
)
_OF_CONFIDENCE = stage_of(
    "merge_verdicts", 2, "What a language model says of facts that differ in confidence alone.",
    "merge_similarity", "merge_confidence_gap", "min_merge_confidence", "support_gain",
    *BOUNDS,
)  # fmt: skip


def _contradiction_verdicts(reads: Frames, means: StageContext) -> StageResult:
    if means.model is None:
        return StageResult({"contradiction_verdicts": CONTRADICTION_VERDICTS.empty()})
    similar = undecided(reads["similar_facts"], reads["decisions"])
    found = verdicts(
        _OF_WORDS, CONTRADICTION_PAIRS, differing(similar, reads["valid_times"]), _facts(reads),
        reads["entities"], means.model, means.policy,
    )  # fmt: skip
    return StageResult({"contradiction_verdicts": found.rows}, pending=found.pending)


def _merge_verdicts(reads: Frames, means: StageContext) -> StageResult:
    if means.model is None:
        return StageResult({"merge_verdicts": MERGE_VERDICTS.empty()})
    facts = _facts(reads)
    pairs = unequal(
        facts, reads["evidence"], reads["similar_facts"], means.policy,
        equal=equal_statements(facts, reads["entity_merges"]), decisions=reads["decisions"],
    )  # fmt: skip
    found = verdicts(
        _OF_CONFIDENCE, MERGE_PAIRS, pairs, facts, reads["entities"], means.model, means.policy
    )
    return StageResult({"merge_verdicts": found.rows}, pending=found.pending)


def _verdicts_count(reads: Frames, made: StageResult) -> Count:
    """Of all similar pairs: decided, refused by a rule, or not a model's to decide yet."""
    (rows,) = made.tables.values()
    done = standing(rows).height
    return Count(done, reads["similar_facts"].height - rows.height, rows.height - done)


CONTRADICTION_VERDICTS_STAGE = Stage(
    _OF_WORDS,
    (SIMILAR_FACTS, FACTS, ENTITIES, ENTITY_MERGES, VALID_TIMES, DECISIONS),
    (CONTRADICTION_VERDICTS,),
    _contradiction_verdicts,
    _verdicts_count,
    prompts=(CONTRADICTION_PAIRS,),
    nightly=True,
)

MERGE_VERDICTS_STAGE = Stage(
    _OF_CONFIDENCE,
    (SIMILAR_FACTS, FACTS, ENTITIES, ENTITY_MERGES, EVIDENCE, DECISIONS),
    (MERGE_VERDICTS,),
    _merge_verdicts,
    _verdicts_count,
    prompts=(MERGE_PAIRS,),
    nightly=True,
)


def _evidence(reads: Frames, means: StageContext) -> StageResult:
    similar = judged(reads["similar_facts"], reads["contradiction_verdicts"])
    decisions = reads["decisions"]
    found = evidence(
        reads["facts"], as_looked_at(reads["fact_sources"], decisions), reads["episodes"],
        undecided(similar, decisions), means.embedder, means.policy,
        feedback=confirmations(decisions, means.policy),
    )  # fmt: skip
    return StageResult({"evidence": found})


EVIDENCE_STAGE = Stage(
    stage_of(
        "evidence", 12, "What speaks for and against facts.", "evidence_similarity", "embedder",
        "candidate_margin", "confirm_weight",
    ),
    (FACTS, FACT_SOURCES, EPISODES, SIMILAR_FACTS, CONTRADICTION_VERDICTS, DECISIONS),
    (EVIDENCE,),
    _evidence,
    update_incremental=evidence_after,
)  # fmt: skip


def _valid_times(reads: Frames, means: StageContext) -> StageResult:
    found = decided_times(
        reads["facts"], reads["fact_sources"], reads["entities"], reads["entity_merges"],
        reads["decisions"], means.policy,
    )  # fmt: skip
    return StageResult({"valid_times": found})


VALID_TIMES_STAGE = Stage(
    stage_of("valid_times", 10, "When facts hold.", "single_valued", "many_valued"),
    (FACTS, FACT_SOURCES, ENTITIES, ENTITY_MERGES, DECISIONS),
    (VALID_TIMES,),
    _valid_times,
    update_incremental=valid_times_after,
)

CONFIDENCE_STAGE = Stage(
    stage_of(
        "confidence_updates", 7, "Confidence after each event.", "support_gain",
        "decay_per_day", "lasting_decay_per_day", *BOUNDS,
    ),
    (FACTS, EVIDENCE),
    (CONFIDENCE_UPDATES,),
    lambda reads, means: StageResult(
        {
            "confidence_updates": confidence_updates(
                reads["facts"], reads["evidence"], means.policy
            )
        }
    ),
    update_incremental=confidence_updates_after,
)  # fmt: skip


def _merges(reads: Frames, means: StageContext) -> StageResult:
    facts = _facts(reads)
    said = pl.concat([reads["contradiction_verdicts"], reads["merge_verdicts"]])
    found = merges(
        facts, reads["evidence"], reads["similar_facts"], means.policy,
        equal=equal_statements(facts, reads["entity_merges"]),
        verdicts=standing(said),
        decisions=reads["decisions"],
    )  # fmt: skip
    return StageResult({"merges": found})


MERGES_STAGE = Stage(
    stage_of(
        "merges", 10, "Facts that say the same.", "merge_similarity", "merge_confidence_gap",
        "min_merge_confidence", "support_gain", *BOUNDS,
    ),
    (
        FACTS, ENTITY_MERGES, EVIDENCE, SIMILAR_FACTS, CONTRADICTION_VERDICTS, MERGE_VERDICTS,
        DECISIONS,
    ),
    (MERGES,),
    _merges,
    update_incremental=merges_after,
)  # fmt: skip


def _memory(reads: Frames, means: StageContext) -> StageResult:
    embedded = reads["embeddings"]["text"]
    grounds = MemoryInput(**{name: reads[name] for name in MemoryInput._fields})
    said = as_looked_at(reads["fact_sources"], reads["decisions"])
    grounds = grounds._replace(facts=_facts(reads), fact_sources=said)
    searchable = grounds.facts.filter(pl.col("content").is_in(embedded.implode()))["fact_id"]
    now = memory(grounds, searchable.to_list(), means.policy)
    now = MEMORY.frame(withdrawn(now, reads["decisions"]))
    known = memory_entities(reads["entities"], reads["entity_merges"], now)
    return StageResult({"memory": now, "memory_entities": known})


MEMORY_STAGE = Stage(
    stage_of(
        "memory", 13, "The current view.", "support_gain", "decay_per_day",
        "lasting_decay_per_day", *BOUNDS,
    ),
    (
        FACTS, FACT_SOURCES, EPISODES, ENTITIES, ENTITY_MERGES, VALID_TIMES, EVIDENCE,
        CONFIDENCE_UPDATES, MERGES, EMBEDDINGS, DECISIONS, PIECES,
    ),
    (MEMORY, MEMORY_ENTITIES),
    _memory,
    update_incremental=memory_after,
)  # fmt: skip

VALIDITY = (ENTITY_VERDICTS_STAGE, ENTITY_MERGES_STAGE, VALID_TIMES_STAGE)
"""What needs no text that is compared: which entities are one, and until when facts hold."""

WEIGHING = (
    EMBEDDINGS_STAGE, CLUSTERS_STAGE, SIMILAR_FACTS_STAGE, CONTRADICTION_VERDICTS_STAGE,
    EVIDENCE_STAGE, CONFIDENCE_STAGE, MERGE_VERDICTS_STAGE, MERGES_STAGE, MEMORY_STAGE,
)  # fmt: skip

CONSOLIDATION = (*VALIDITY, *WEIGHING)
