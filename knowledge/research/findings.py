"""Findings: facts of which nothing was known before some search brought them.

They come in batches: a search with its results; of logs that do not name their searches, a
conversation. What a person said, or any earlier record, is no finding of a later search; nor is
what was merged into it.
"""

import polars as pl

from cairn.knowledge.llm.chunks import LOOKED_UP
from cairn.knowledge.research.search_queue import FEW, MANY
from cairn.knowledge.schema.calendar import undated
from cairn.knowledge.schema.fact_types import is_event
from cairn.knowledge.schema.policy import Policy

_SEARCH = pl.col("tool_input").str.json_path_match("$.effect_id")
FINDINGS = LOOKED_UP | (
    (pl.col("kind") == "tool_result") & (pl.col("tool_name") == "search") & _SEARCH.is_not_null()
)
"""Rows of RAW_LOGS that Cairn looked up, whoever it did so for."""

_ENTITY = ["namespace", "entity_id"]
_FACT = ["namespace", "fact_id"]
_RECORD = ["namespace", "record_id"]
BATCH = [*_ENTITY, "batch"]
"""What tells a batch about an entity."""


def known_facts(
    fact_sources: pl.DataFrame, memory: pl.DataFrame, memory_entities: pl.DataFrame, policy: Policy
) -> pl.DataFrame:
    """Facts that count, each with its first record.

    Returns:
        namespace, entity_id (the one that stands for it), fact_id, content, confidence, record_id
        and first_at: null where it is undated, and record_id where it has no record of its own.
    """
    stands = memory.select(*_FACT, stands=pl.coalesce("merged_into", "fact_id"))
    first = (
        fact_sources.join(stands, on=_FACT)
        .select("namespace", "record_id", "occurred_at", fact_id="stands")
        .sort(*_FACT, "occurred_at", "record_id", nulls_last=False)
        .unique(_FACT, keep="first", maintain_order=True)
    )
    return (
        memory.filter(
            pl.col("status") == "active",
            ~is_event(),
            pl.col("confidence") >= policy.search_min_confidence,
        )
        .join(memory_entities.select(*_ENTITY, "canonical_id"), on=_ENTITY)
        .join(first, on=_FACT, how="left")
        .select(
            "namespace",
            "fact_id",
            "content",
            "confidence",
            "record_id",
            entity_id="canonical_id",
            first_at=pl.when(pl.col("record_id").is_null())
            .then("first_seen")
            .otherwise("occurred_at"),
        )
        .sort(*_ENTITY, "fact_id")
    )


def findings(raw_logs: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """The facts that searches were the first to bring.

    `known` is what `known_facts` gives.

    Returns:
        Rows of `known` with batch, trigger and image_url (an address of the web) of their record,
        found_at (when the first of the batch was found; null if one is undated) and mode: broad,
        gaps or briefing, by how many facts about the entity were known before the batch.
    """
    image = pl.col("tool_input").str.json_path_match("$.image_url")
    looked_up = raw_logs.filter(FINDINGS.fill_null(value=False)).select(
        *_RECORD,
        "trigger",
        batch=pl.coalesce(_SEARCH, "conversation_id"),
        image_url=pl.when(image.str.contains(r"^https?://\S+$")).then(image),
    )
    dateless = pl.col("first_at").is_null().any()
    found = known.join(looked_up, on=_RECORD).with_columns(
        found_at=pl.when(~dateless.over(BATCH)).then(pl.col("first_at").min().over(BATCH))
    )
    before = (
        known.select(*_ENTITY, at=pl.col("first_at").fill_null(undated()))
        .sort(*_ENTITY, "at")
        .with_columns(known=pl.int_range(1, pl.len() + 1).over(_ENTITY))
        .sort("at", maintain_order=True)
    )
    counted = (
        found.sort("found_at", "fact_id", nulls_last=True)
        .join_asof(
            before,
            left_on="found_at",
            right_on="at",
            by=_ENTITY,
            allow_exact_matches=False,
            check_sortedness=False,
        )
        .with_columns(pl.col("known").fill_null(0))
    )
    mode = (
        pl.when(pl.col("known") < FEW)
        .then(pl.lit("broad"))
        .when(pl.col("known") < MANY)
        .then(pl.lit("gaps"))
        .otherwise(pl.lit("briefing"))
    )
    columns = [*known.columns, "batch", "trigger", "image_url", "found_at"]
    return counted.select(*columns, "known", mode=mode).sort(*BATCH, "fact_id")
