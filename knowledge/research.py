"""The stages that say what is to be learnt and searched for."""

import polars as pl

from knowledge.enrichment import ENRICHMENT_EXTRACTOR, enrichment_queue
from knowledge.learn_prompts import LEARN_PROMPTS_EXTRACTOR, learn_prompts
from knowledge.prompts import SEARCH_QUERIES
from knowledge.searches import COMMANDS, SEARCHES
from knowledge.stage import Count, Frames, Made, Means, Stage
from knowledge.tables import (
    ENRICHMENT_QUEUE,
    INTERESTS,
    LEARN_PROMPTS,
    MEMORY,
    MEMORY_ENTITIES,
    RAW_LOGS,
)

_ASKED_FOR = {
    RAW_LOGS.name: (
        "namespace", "day", "conversation_id", "record_id", "native_id", "source", "kind", "origin",
        "role", "text", "tool_name", "tool_input", "occurred_at",
    ),
    INTERESTS.name: ("namespace", "entity_id", "score", "muted", "last_engaged_at"),
    MEMORY.name: ("namespace", "fact_id", "entity_id", "status", "content"),
    MEMORY_ENTITIES.name: (
        "namespace", "entity_id", "canonical_id", "name", "display_name", "type", "active_facts",
        "last_seen",
    ),
}  # fmt: skip
"""Columns that tell what is to be searched for."""


def _learn_prompts(reads: Frames, means: Means) -> Made:
    found = learn_prompts(reads["raw_logs"], means.model, means.policy)
    return Made({"learn_prompts": found.learn_prompts}, found.failures, found.pending)


def _learn_prompts_count(reads: Frames, made: Made) -> Count:
    del reads
    return Count(done=made.tables["learn_prompts"].height)


LEARN_PROMPTS_STAGE = Stage(
    LEARN_PROMPTS_EXTRACTOR,
    (RAW_LOGS,),
    (LEARN_PROMPTS,),
    _learn_prompts,
    _learn_prompts_count,
    only={RAW_LOGS.name: COMMANDS | SEARCHES},
    columns=_ASKED_FOR,
    prompts=(SEARCH_QUERIES,),
)


def _enrichment_queue(reads: Frames, means: Means) -> Made:
    queue = enrichment_queue(
        reads["raw_logs"], reads["learn_prompts"], reads["interests"],
        reads["memory"], reads["memory_entities"], means.policy,
    )  # fmt: skip
    return Made({"enrichment_queue": queue})


def _enrichment_count(reads: Frames, made: Made) -> Count:
    del reads
    queue = made.tables["enrichment_queue"]
    held = queue["held"].count()
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

RESEARCH = (LEARN_PROMPTS_STAGE, ENRICHMENT_QUEUE_STAGE)
