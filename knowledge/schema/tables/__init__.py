"""Every table, declared once, layer by layer.

From these come the written schema, Dagster's column metadata, the checks and docs/tables.md.
"""

from cairn.knowledge.schema.tables.consolidation import (
    CLUSTERS,
    CONFIDENCE_UPDATES,
    CONTRADICTION_VERDICTS,
    DECISIONS,
    EMBEDDINGS,
    ENTITY_MERGES,
    ENTITY_VERDICTS,
    EPISODE_MST_EDGES,
    EVIDENCE,
    FACT_MST_EDGES,
    MEMORY,
    MEMORY_ENTITIES,
    MERGE_VERDICTS,
    MERGES,
    SIMILAR_FACTS,
    THEMES,
    VALID_TIMES,
)
from cairn.knowledge.schema.tables.documents import CHECK_INS, PIECES
from cairn.knowledge.schema.tables.failures import ERROR_SIGNATURES, FAILURES
from cairn.knowledge.schema.tables.interests import (
    ENGAGEMENTS,
    INTERESTS,
    NOTIFICATIONS,
    PREFERENCES,
)
from cairn.knowledge.schema.tables.logs import (
    CONVERSATIONS,
    EPISODES,
    RAW_LOGS,
    RECORDS,
    SOURCE_FILES,
)
from cairn.knowledge.schema.tables.offers import UTILITY
from cairn.knowledge.schema.tables.operations import (
    DEAD_LETTERS,
    EXTRACTORS,
    FUNNEL,
    MODEL_CALLS,
    VECTOR_INDEX,
    WORK,
)
from cairn.knowledge.schema.tables.practices import (
    BRIEFS,
    CHECKOUTS,
    COMMAND_RUNS,
    FILE_EDITS,
    OBSERVATIONS,
    PRACTICES,
    PROJECT_FACTS,
    PROJECTS,
)
from cairn.knowledge.schema.tables.research import ENRICHMENT_QUEUE, LEARN_PROMPTS
from cairn.knowledge.schema.tables.statements import (
    CANDIDATES,
    ENTITIES,
    FACT_SOURCES,
    FACTS,
    INTRODUCTIONS,
    KNOWN_ONLY_CANDIDATES,
    LEARNING_CANDIDATES,
    LEARNINGS,
    PROPOSED_OPERATIONS,
    REJECTED_FACTS,
    REJECTIONS,
    THEME_FACTS,
)
from cairn.knowledge.schema.tables.table import Table

TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        RECORDS, SOURCE_FILES, RAW_LOGS, CONVERSATIONS, EPISODES, CANDIDATES, REJECTED_FACTS,
        PIECES, CHECK_INS, INTRODUCTIONS, KNOWN_ONLY_CANDIDATES, REJECTIONS, ENTITIES, THEMES,
        EPISODE_MST_EDGES, THEME_FACTS, FACTS, FACT_SOURCES, DECISIONS, ENTITY_VERDICTS,
        ENTITY_MERGES, EMBEDDINGS, CLUSTERS, FACT_MST_EDGES, SIMILAR_FACTS, VALID_TIMES,
        CONTRADICTION_VERDICTS, EVIDENCE, CONFIDENCE_UPDATES, MERGE_VERDICTS, MERGES, MEMORY,
        MEMORY_ENTITIES, LEARNING_CANDIDATES,
        LEARNINGS, COMMAND_RUNS, FILE_EDITS, OBSERVATIONS, PRACTICES, PROJECT_FACTS, FAILURES,
        ERROR_SIGNATURES, CHECKOUTS, PROJECTS, UTILITY, BRIEFS, PREFERENCES, ENGAGEMENTS, INTERESTS,
        LEARN_PROMPTS,
        ENRICHMENT_QUEUE, NOTIFICATIONS, PROPOSED_OPERATIONS, EXTRACTORS, WORK, DEAD_LETTERS,
        MODEL_CALLS, FUNNEL, VECTOR_INDEX,
    )
}  # fmt: skip
