"""All that was proposed, by rules and by a model, and what became of each: accepted, or why not."""

from collections.abc import Mapping

import polars as pl

from cairn.knowledge.extraction.introductions import proposals
from cairn.knowledge.learnings.draft import decode
from cairn.knowledge.nlp.names import canonical_column
from cairn.knowledge.schema.identity import digest_column
from cairn.knowledge.schema.policy import Policy

PROPOSED = pl.Schema(
    {
        "what": pl.String(),
        "namespace": pl.String(),
        "conversation_id": pl.String(),
        "record_id": pl.String(),
        "about": pl.String(),
        "place": pl.String(),
        "content": pl.String(),
        "text": pl.String(),
        "quote": pl.String(),
        "origin": pl.String(),
        "confidence": pl.Float64(),
        "extractor": pl.String(),
        "reason": pl.String(),
    }
)
"""A proposal. `what` is name, fact or lesson; `about` its entity or category; `place` where it
stands in the record; `text` what a lesson says under its title; `reason` why it was refused, null
if it was not."""

_TABLES = ("candidates", "rejected_facts", "known_only_candidates", "theme_facts")
"""Tables of names and facts, with a reason where they have refused ones."""


def proposed(tables: Mapping[str, pl.DataFrame], policy: Policy) -> pl.DataFrame:
    """Every proposal, as rows of PROPOSED."""
    parts = [_statements(tables, name, policy) for name in _TABLES if name in tables]
    return pl.concat([*parts, _lessons(tables["learning_candidates"])]).sort(
        pl.all(), nulls_last=True
    )


def _statements(tables: Mapping[str, pl.DataFrame], name: str, policy: Policy) -> pl.DataFrame:
    """Names and facts of a table; what no check refused may still fall at a gate."""
    rows = tables[name]
    checked = pl.col("reason") if "reason" in rows.columns else pl.lit(None, pl.String)
    entity = ["namespace", "entity_id"]
    judged = (
        proposals(rows.with_columns(reason=checked), policy)
        .join(_known(tables), on=entity, how="left")
        .join(_gates(tables["rejections"]), on=entity, how="left")
        .join(_sources(tables), on=["namespace", "candidate_id"], how="left")
    )
    is_name = pl.col("kind") == "entity"
    kept = pl.when(is_name).then(pl.col("known") & pl.col("refusal").is_null()).otherwise("used")
    fell = pl.coalesce(
        pl.lit("structural: ") + pl.col("refusal"), "gate", pl.lit("no_fact: nothing is said")
    )
    place = pl.coalesce(
        pl.concat_str("quote_field", pl.lit(" "), "quote_start", pl.lit("-"), "quote_end"),
        pl.col("quote"),
    )
    return judged.select(
        what=pl.when(is_name).then(pl.lit("name")).otherwise(pl.lit("fact")),
        namespace="namespace",
        conversation_id="conversation_id",
        record_id="record_id",
        about="entity_name",
        place=place,
        content="content",
        text=pl.lit(None, pl.String),
        quote="quote",
        origin="origin",
        confidence="confidence",
        extractor="extractor",
        reason=pl.when(pl.col("reason").is_not_null())
        .then("reason")
        .when(kept.fill_null(value=False))
        .then(pl.lit(None, pl.String))
        .otherwise(fell),
    ).cast(PROPOSED)


def _known(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    return tables["entities"].select("namespace", "entity_id", known=pl.lit(value=True))


def _sources(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    used = tables["fact_sources"].select("namespace", "candidate_id").unique()
    return used.with_columns(used=pl.lit(value=True))


def _gates(rejections: pl.DataFrame) -> pl.DataFrame:
    """The gate at which each name fell that is of a form to have an entity_id."""
    return (
        rejections.filter(pl.col("gate") != "structural")
        .with_columns(name=canonical_column("name", "type"))
        .with_columns(entity_id=digest_column("namespace", "type", "name", prefix="e_"))
        .sort("namespace", "entity_id", "gate", "rule")
        .unique(["namespace", "entity_id"], keep="first")
        .select("namespace", "entity_id", gate=pl.concat_str("gate", pl.lit(": "), "rule"))
    )


def _lessons(candidates: pl.DataFrame) -> pl.DataFrame:
    """Drafts of lessons, each at the first message that it quotes."""
    rows = [
        {
            "what": "lesson",
            "namespace": namespace,
            "conversation_id": conversation,
            "record_id": quote.record_id if quote else None,
            "about": draft.category,
            "content": draft.title,
            "text": draft.content,
            "quote": quote.text if quote else None,
            "confidence": draft.confidence,
            "extractor": draft.extractor,
            "reason": draft.refused,
        }
        for namespace, conversation, drafts in candidates.select(
            "namespace", "conversation_id", "drafts"
        ).iter_rows()
        for draft in decode(drafts)
        for quote in [next(iter(draft.quotes), None)]
    ]
    return pl.DataFrame(rows, schema=PROPOSED)
