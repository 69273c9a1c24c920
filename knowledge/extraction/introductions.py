"""Introductions: who brought a name in, and when.

A name comes in by what a person said or set off, never by what the system looked up by itself. What
the known-only mode is given, and what entities may be made of, follows from this table alone.
"""

import polars as pl

from cairn.knowledge.engine.diff import Change
from cairn.knowledge.extraction.rules.remember_requests import COMMANDED
from cairn.knowledge.nlp.names import canonical_column, name_rejections
from cairn.knowledge.schema.fact_types import FROM_ELSEWHERE, LOADED
from cairn.knowledge.schema.identity import digest_column
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.predicates import OBSERVED_TYPES, PERSON_TRIGGERS
from cairn.knowledge.schema.tables import INTRODUCTIONS

WRITTEN = ["namespace", "entity_name", "entity_type"]
"""A name as a candidate has it."""

BY_TIME = ["occurred_at", "record_id", "candidate_id"]
"""The order of candidates, undated ones last."""

_ENTITY = ["namespace", "entity_id"]


NAMING_COLUMNS = (
    "candidate_id", "namespace", "record_id", "kind", "entity_name", "entity_type", "quote_field",
    "mode", "extractor", "origin", "trigger", "occurred_at",
)  # fmt: skip
"""What `introductions` reads of candidates: narrow columns, so that whole histories stay cheap."""


def proposals(candidates: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """Candidates with the entity that each names.

    Adds name (canonical), type, entity_id, written (the name as proposed) and refusal (the
    structural rule against that form, or null).
    """
    return candidates.join(forms(candidates, policy), on=WRITTEN)


def forms(candidates: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """The distinct names of candidates as written, each with its entity and refusal."""
    names = candidates.select(WRITTEN).unique()
    return identified(
        names.with_columns(
            written=pl.col("entity_name").str.strip_chars(),
            type=pl.col("entity_type"),
            refusal=name_rejections(names["entity_name"], names["entity_type"], policy.name_words),
        ),
        "entity_name",
    )


def identified(named: pl.DataFrame, column: str) -> pl.DataFrame:
    """Rows with the canonical name and the entity_id of the name in a column and of `type`."""
    return named.with_columns(name=canonical_column(column, "type")).with_columns(
        entity_id=digest_column("namespace", "type", "name", prefix="e_")
    )


def introduces() -> pl.Expr:
    """Whether a candidate may bring its name in.

    Topics come from what a person said, searched for or imported, and from what a learn command
    found; of
    other text from outside a model is shown the results of a person's searches alone, and the rest
    is a tool's output. Observed types also come from what was done: the input of a call, its tool,
    its folder, not prose or output.
    """
    origin, trigger = pl.col("origin"), pl.col("trigger")
    searched = (pl.col("mode") == "full") & (pl.col("kind") == "entity")
    brought = pl.col("extractor").str.starts_with(FROM_ELSEWHERE)
    found = (origin == "external") & ((trigger == "learn_command") | searched | brought)
    said = (origin == "human") | found
    done = (pl.col("quote_field") != "text") & pl.col("type").is_in(OBSERVED_TYPES)
    done = done & ~origin.is_in(["recalled", "system"])
    by_person = trigger.is_in(PERSON_TRIGGERS) & (pl.col("mode") != "known_only")
    return (said | done) & by_person & pl.col("refusal").is_null()


def _by_command() -> pl.Expr:
    """A name that a command brought in, or that was loaded, is kept with no fact about it yet."""
    loaded = pl.col("extractor").str.starts_with(LOADED) & (pl.col("kind") == "entity")
    return pl.col("extractor").str.starts_with(f"{COMMANDED}@") | loaded


def introductions(candidates: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """The table `introductions`: each name and the first human-triggered event that brought it.

    First by time, undated ones last, then by record_id. Names of a form that the structural gate
    refuses are not introduced.
    """
    first = (
        proposals(candidates, policy)
        .filter(introduces())
        .sort(*BY_TIME, nulls_last=True)
        .group_by(_ENTITY, maintain_order=True)
        .agg(
            pl.col("name", "type", "record_id").first(),
            pl.col("occurred_at").first().alias("introduced_at"),
            _by_command().any().alias("by_command"),
        )
    )
    return INTRODUCTIONS.frame(first)


def first_introductions(*introductions: pl.DataFrame) -> pl.DataFrame:
    """INTRODUCTIONS of several histories as one: each name by who brought it in first."""
    every = pl.concat(introductions).sort("introduced_at", "record_id", nulls_last=True)
    return INTRODUCTIONS.frame(
        every.group_by(_ENTITY, maintain_order=True).agg(
            pl.col("name", "type", "record_id", "introduced_at").first(), pl.col("by_command").any()
        )
    )


def introductions_after(
    changed: Change, stored: pl.DataFrame, candidates: pl.DataFrame, policy: Policy
) -> pl.DataFrame:
    """`introductions(candidates)`, made of what was stored before a change.

    Who brought a name in depends on the candidates that have this name alone. `stored` are those of
    the candidates before `changed` came or went.
    """
    named = forms(
        pl.concat([frame.select(WRITTEN) for frame in (candidates, changed.gone)]), policy
    )
    touched = changed.rows.join(named, on=WRITTEN).select(_ENTITY).unique()
    again = candidates.join(named.join(touched, on=_ENTITY, how="semi"), on=WRITTEN, how="semi")
    kept = stored.join(touched, on=_ENTITY, how="anti")
    return INTRODUCTIONS.frame(pl.concat([kept, introductions(again, policy)]))
