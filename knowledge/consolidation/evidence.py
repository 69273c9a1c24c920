"""What speaks for a fact, and what against it."""

from collections.abc import Sequence

import polars as pl

from cairn.knowledge.consolidation.similar_facts import DENIED, OPPOSITE
from cairn.knowledge.consolidation.support import first_statements, support
from cairn.knowledge.dialogue.trust import counts_against
from cairn.knowledge.schema.calendar import undated
from cairn.knowledge.schema.identity import digest_column
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import EVIDENCE
from cairn.knowledge.vectors.model import Embedder

_KEY = ["namespace", "fact_id"]


def evidence(
    facts: pl.DataFrame,
    fact_sources: pl.DataFrame,
    episodes: pl.DataFrame,
    similar: pl.DataFrame,
    embedder: Embedder,
    policy: Policy,
    *,
    feedback: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """EVIDENCE: restatements, similar episodes, clear contradictions and feedback.

    `feedback` is what people said of facts: namespace, fact_id, source_id, weight (-1 to 1),
    occurred_at.
    """
    parts = [
        *support(facts, fact_sources, episodes, embedder, policy),
        contradictions(facts, first_statements(fact_sources), similar),
    ]
    if feedback is not None:
        parts.append(confirmed(feedback).join(facts.select(_KEY), on=_KEY, how="semi"))
    return united(parts)


def confirmed(feedback: pl.DataFrame) -> pl.DataFrame:
    """What people said of facts, as a part of EVIDENCE without its id."""
    return feedback.select(
        *_KEY, "source_id", "weight", "occurred_at",
        kind=pl.lit("feedback"), similarity=pl.lit(1.0),
    )  # fmt: skip


def united(parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """EVIDENCE of its parts, each row with its id."""
    some = [part for part in parts if part.height]
    if not some:
        return EVIDENCE.empty()
    every = pl.concat(some, how="diagonal")
    return EVIDENCE.frame(
        every.with_columns(evidence_id=digest_column("fact_id", "kind", "source_id", prefix="v_"))
    )


def contradictions(
    facts: pl.DataFrame, stated: pl.DataFrame, similar: pl.DataFrame
) -> pl.DataFrame:
    """For each pair of facts of which one clearly denies the other, one row for either.

    What only an agent or a text from outside says denies nothing that has better trust.

    Clear is a denial in the same words, however little alike, and whatever a model calls one.
    Another value in one slot denies nothing by itself: see knowledge/consolidation/validity.py.
    """
    first = stated.filter(place=0)
    times = facts.join(first, on=_KEY, how="left").select(
        "namespace", "trust", id="fact_id",
        time=pl.coalesce("occurred_at", "first_seen").fill_null(undated()),
    )  # fmt: skip
    both = (
        similar.filter(pl.col("verdict").is_in([OPPOSITE, DENIED]))
        .join(
            times.rename({"id": "left_id", "time": "left_at", "trust": "left_trust"}),
            on=["namespace", "left_id"],
        )
        .join(
            times.rename({"id": "right_id", "time": "right_at", "trust": "right_trust"}),
            on=["namespace", "right_id"],
        )
        .with_columns(occurred_at=pl.max_horizontal("left_at", "right_at"))
    )
    sides = [
        both.filter(counts_against(f"{against}_trust", f"{fact}_trust")).select(
            "namespace", "similarity", "occurred_at",
            fact_id=f"{fact}_id", source_id=f"{against}_id", kind=pl.lit("contradiction"),
        )
        for fact, against in (("left", "right"), ("right", "left"))
    ]  # fmt: skip
    origin = first.select("namespace", "conversation_id", source_id="fact_id")
    return pl.concat(sides).join(origin, on=["namespace", "source_id"], how="left")
