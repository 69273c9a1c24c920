"""The stages that say what is to be learnt, searched for and told."""

import polars as pl

from cairn.knowledge.engine.stage import (
    Count,
    Frames,
    Stage,
    StageContext,
    StageResult,
    all_made,
    stage_of,
)
from cairn.knowledge.extraction.searches import COMMANDS, SEARCHES
from cairn.knowledge.llm.prompts import SEARCH_QUERIES
from cairn.knowledge.research import notifications
from cairn.knowledge.research.learn_prompts import LEARN_PROMPTS_EXTRACTOR, learn_prompts
from cairn.knowledge.research.search_queue import ENRICHMENT_EXTRACTOR, enrichment_queue
from cairn.knowledge.schema.calendar import watermark
from cairn.knowledge.schema.tables import (
    CONVERSATIONS,
    ENRICHMENT_QUEUE,
    FACT_SOURCES,
    INTERESTS,
    LEARN_PROMPTS,
    MEMORY,
    MEMORY_ENTITIES,
    NOTIFICATIONS,
    RAW_LOGS,
)

_ASKED_FOR = {
    RAW_LOGS.name: (
        "namespace", "day", "conversation_id", "record_id", "native_id", "source", "kind", "origin",
        "role", "text", "tool_name", "tool_input", "occurred_at",
    ),
    INTERESTS.name: (
        "namespace", "entity_id", "score", "liked", "sought", "muted", "last_engaged_at",
    ),
    MEMORY.name: ("namespace", "fact_id", "entity_id", "status", "content"),
    MEMORY_ENTITIES.name: (
        "namespace", "entity_id", "canonical_id", "name", "display_name", "type", "active_facts",
        "last_seen",
    ),
}  # fmt: skip
"""Columns that tell what is to be searched for."""


def _learn_prompts(reads: Frames, means: StageContext) -> StageResult:
    found = learn_prompts(reads["raw_logs"], means.model, means.policy)
    return StageResult({"learn_prompts": found.learn_prompts}, found.failures, found.pending)


LEARN_PROMPTS_STAGE = Stage(
    LEARN_PROMPTS_EXTRACTOR,
    (RAW_LOGS,),
    (LEARN_PROMPTS,),
    _learn_prompts,
    all_made,
    only={RAW_LOGS.name: COMMANDS | SEARCHES},
    columns=_ASKED_FOR,
    prompts=(SEARCH_QUERIES,),
)


def _enrichment_queue(reads: Frames, means: StageContext) -> StageResult:
    queue = enrichment_queue(
        reads["raw_logs"], reads["learn_prompts"], reads["interests"],
        reads["memory"], reads["memory_entities"], means.policy,
    )  # fmt: skip
    return StageResult({"enrichment_queue": queue})


def _enrichment_count(_: Frames, made: StageResult) -> Count:
    queue = made.tables["enrichment_queue"]
    held = queue["blocked_by"].count()
    return Count(done=queue.height - held, rejected=held)


ENRICHMENT_QUEUE_STAGE = Stage(
    ENRICHMENT_EXTRACTOR,
    (LEARN_PROMPTS, RAW_LOGS, INTERESTS, MEMORY, MEMORY_ENTITIES),
    (ENRICHMENT_QUEUE,),
    _enrichment_queue,
    _enrichment_count,
    only={RAW_LOGS.name: COMMANDS | SEARCHES, MEMORY.name: pl.col("status") == "active"},
    columns=_ASKED_FOR,
)


def _notifications(reads: Frames, means: StageContext) -> StageResult:
    told = notifications.notifications(
        reads["raw_logs"], reads["fact_sources"], reads["memory"], reads["memory_entities"],
        reads["interests"], means.embedder, means.policy,
        watermark(reads["conversations"], "ended_at"),
    )  # fmt: skip
    return StageResult({"notifications": told})


def _notifications_count(_: Frames, made: StageResult) -> Count:
    status = made.tables["notifications"]["status"].to_list()
    held, failed = status.count("blocked"), status.count("failed")
    return Count(done=len(status) - held - failed, rejected=held, failed=failed)


NOTIFICATIONS_STAGE = Stage(
    stage_of(
        "notifications", 2, "What is to be told unasked, and when.", "notify_triggers",
        "notify_days", "notify_words", "notify_similarity", "merge_similarity",
        "search_min_confidence", "embedder",
    ),
    (RAW_LOGS, FACT_SOURCES, MEMORY, MEMORY_ENTITIES, INTERESTS, CONVERSATIONS),
    (NOTIFICATIONS,),
    _notifications,
    _notifications_count,
    only={RAW_LOGS.name: notifications.READ, MEMORY.name: pl.col("status") != "quarantined"},
    columns={
        RAW_LOGS.name: notifications.COLUMNS,
        FACT_SOURCES.name: ("namespace", "fact_id", "record_id", "occurred_at"),
        MEMORY.name: (
            "namespace", "fact_id", "entity_id", "predicate", "event", "content", "confidence",
            "status",
            "merged_into", "first_seen",
        ),
        MEMORY_ENTITIES.name: ("namespace", "entity_id", "canonical_id", "display_name"),
        INTERESTS.name: ("namespace", "entity_id", "score", "muted", "disliked"),
        CONVERSATIONS.name: ("namespace", "ended_at"),
    },
)  # fmt: skip

RESEARCH = (LEARN_PROMPTS_STAGE, ENRICHMENT_QUEUE_STAGE, NOTIFICATIONS_STAGE)
