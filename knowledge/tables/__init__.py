"""Every table, declared once, layer by layer.

From these come the written schema, Dagster's column metadata, the checks and docs/tables.md.
"""

from knowledge.tables.consolidation import (
    CLUSTERS,
    CONFIDENCE_UPDATES,
    CONTRADICTION_VERDICTS,
    DECISIONS,
    EMBEDDINGS,
    ENTITY_MERGES,
    EPISODE_LINKS,
    EVIDENCE,
    FACT_LINKS,
    MEMORY,
    MEMORY_ENTITIES,
    MERGE_VERDICTS,
    MERGES,
    SIMILAR_FACTS,
    THEMES,
    VALID_TIMES,
)
from knowledge.tables.ingested import CHECK_INS, PIECES
from knowledge.tables.interests import ENGAGEMENTS, INTERESTS, PREFERENCES
from knowledge.tables.logs import CONVERSATIONS, EPISODES, RAW_LOGS, RECORDS, SOURCE_FILES
from knowledge.tables.research import ENRICHMENT_QUEUE, LEARN_PROMPTS
from knowledge.tables.statements import (
    CANDIDATES,
    ENTITIES,
    FACT_SOURCES,
    FACTS,
    INTRODUCTIONS,
    KNOWN_ONLY_CANDIDATES,
    LEARNING_CANDIDATES,
    LEARNINGS,
    PROPOSED_OPERATIONS,
    REFUSALS,
    REJECTIONS,
    THEME_FACTS,
)
from knowledge.tables.table import (
    COUNT,
    DAY,
    FLAG,
    REAL,
    TEXT,
    TEXTS,
    TIME,
    VECTOR,
    Column,
    Table,
)
from knowledge.tables.upkeep import (
    DEAD_LETTERS,
    EXTRACTORS,
    FUNNEL,
    MODEL_CALLS,
    VECTOR_INDEX,
    WORK,
)

TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        RECORDS, SOURCE_FILES, RAW_LOGS, CONVERSATIONS, EPISODES, CANDIDATES, REFUSALS,
        PIECES, CHECK_INS, INTRODUCTIONS, KNOWN_ONLY_CANDIDATES, REJECTIONS, ENTITIES, THEMES,
        EPISODE_LINKS, THEME_FACTS, FACTS, FACT_SOURCES, DECISIONS, ENTITY_MERGES, EMBEDDINGS,
        CLUSTERS, FACT_LINKS, SIMILAR_FACTS, VALID_TIMES, CONTRADICTION_VERDICTS, EVIDENCE,
        CONFIDENCE_UPDATES, MERGE_VERDICTS, MERGES, MEMORY, MEMORY_ENTITIES, LEARNING_CANDIDATES,
        LEARNINGS, PREFERENCES, ENGAGEMENTS, INTERESTS, LEARN_PROMPTS, ENRICHMENT_QUEUE,
        PROPOSED_OPERATIONS, EXTRACTORS, WORK, DEAD_LETTERS, MODEL_CALLS, FUNNEL, VECTOR_INDEX,
    )
}  # fmt: skip

__all__ = [
    "CANDIDATES",
    "CHECK_INS",
    "CLUSTERS",
    "CONFIDENCE_UPDATES",
    "CONTRADICTION_VERDICTS",
    "CONVERSATIONS",
    "COUNT",
    "DAY",
    "DEAD_LETTERS",
    "DECISIONS",
    "EMBEDDINGS",
    "ENGAGEMENTS",
    "ENRICHMENT_QUEUE",
    "ENTITIES",
    "ENTITY_MERGES",
    "EPISODES",
    "EPISODE_LINKS",
    "EVIDENCE",
    "EXTRACTORS",
    "FACTS",
    "FACT_LINKS",
    "FACT_SOURCES",
    "FLAG",
    "FUNNEL",
    "INTERESTS",
    "INTRODUCTIONS",
    "KNOWN_ONLY_CANDIDATES",
    "LEARNINGS",
    "LEARNING_CANDIDATES",
    "LEARN_PROMPTS",
    "MEMORY",
    "MEMORY_ENTITIES",
    "MERGES",
    "MERGE_VERDICTS",
    "MODEL_CALLS",
    "PIECES",
    "PREFERENCES",
    "PROPOSED_OPERATIONS",
    "RAW_LOGS",
    "REAL",
    "RECORDS",
    "REFUSALS",
    "REJECTIONS",
    "SIMILAR_FACTS",
    "SOURCE_FILES",
    "TABLES",
    "TEXT",
    "TEXTS",
    "THEMES",
    "THEME_FACTS",
    "TIME",
    "VALID_TIMES",
    "VECTOR",
    "VECTOR_INDEX",
    "WORK",
    "Column",
    "Table",
]
