"""What follows from the decisions of people in the stages that make memory of facts.

All of it is rows that go when the decision goes: nothing is changed in place.
"""

from collections.abc import Container, Sequence
from typing import NamedTuple

import polars as pl

from cairn.knowledge.consolidation.pairs import PAIR, of_others, sides
from cairn.knowledge.ingest.inbox_events.decisions import (
    CONFIRM,
    CORRECT,
    ENTITY,
    FACT,
    MERGE,
    RETRACT,
)
from cairn.knowledge.schema.calendar import undated
from cairn.knowledge.schema.identity import digest_column
from cairn.knowledge.schema.policy import Policy

BY_PERSON = "a person decided"
MERGED, KEPT_BOTH = "merge", "keep_both"
"""Decisions in `merges`."""

_FACT = ["namespace", "fact_id"]


def facts_named(decisions: pl.DataFrame) -> pl.DataFrame:
    """namespace, fact_id: all facts that decisions name; ids of entities may be among them."""
    pairs = decisions.select("namespace", "pairs").explode("pairs", empty_as_null=False)
    lists = [
        decisions.select("namespace", fact_id=name).explode("fact_id", empty_as_null=False)
        for name in ("ids", "facts")
    ]
    single = [decisions.select("namespace", fact_id=name) for name in ("replaced_by", "into_id")]
    paired = sides(pairs.unnest("pairs"))
    return pl.concat([*lists, *single, paired]).drop_nulls("fact_id").unique()


def decided_pairs(decisions: pl.DataFrame, thing: str = FACT) -> pl.DataFrame:
    """Pairs on which a person decided: one row each.

    Returns:
        namespace, left_id, right_id (the greater), verdict (merge or keep_both), reason,
        decided_at, decision_id, into_id.
    """
    return (
        decisions.filter(target_type=thing)
        .explode("pairs", empty_as_null=False)
        .unnest("pairs")
        .select(
            *PAIR,
            verdict=pl.when(decision=MERGE).then(pl.lit(MERGED)).otherwise(pl.lit(KEPT_BOTH)),
            reason=_reason(),
            decided_at="decided_at",
            decision_id="decision_id",
            into_id="into_id",
        )
        .sort(PAIR)
    )


def _reason() -> pl.Expr:
    return pl.concat_str(pl.lit(BY_PERSON), ": " + pl.col("reason").fill_null("")).str.strip_chars(
        ": "
    )


def decided_entities(decisions: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Pairs of entities that a person put together, and those that a person keeps apart.

    Returns:
        Two frames with namespace, left_id, right_id.
    """
    pairs = decided_pairs(decisions, ENTITY)
    together, apart = (pairs.filter(verdict=each).select(PAIR) for each in (MERGED, KEPT_BOTH))
    return together, apart


class Group(NamedTuple):
    """Facts that a person put together."""

    namespace: str
    members: frozenset[str]
    into: str | None
    """The one that stays, if a person said so."""
    reason: str
    decided_at: object


def unite(
    found: dict[tuple[str, str], set[str]],
    namespace: str,
    pair: Sequence[str],
    apart: Container[tuple[str, str, str]] = (),
) -> tuple[str, str, str] | None:
    """Makes one group of the groups of two, unless it would join a pair that is kept apart.

    Args:
        found: Group by namespace and member; changed.
        namespace: Theirs.
        pair: The two.
        apart: namespace, and the lesser and the greater id.

    Returns:
        What kept them from being united, the first by id; None if they are one now.
    """
    left, right = (found.setdefault((namespace, id_), {id_}) for id_ in pair)
    between = [
        key
        for one in sorted(left)
        for other in sorted(right)
        if (key := (namespace, min(one, other), max(one, other))) in apart
    ]
    if between:
        return min(between)
    left |= right
    for id_ in right:
        found[namespace, id_] = left
    return None


def groups(decisions: pl.DataFrame, equal: pl.DataFrame | None = None) -> list[Group]:
    """Facts that a person put together, directly or over others; those retracted are left out.

    `equal` has namespace, winner_id, loser_id: facts that are one anyhow go together.
    """
    found: dict[tuple[str, str], set[str]] = {}
    merged = of_others(decided_pairs(decisions).filter(verdict=MERGED), retracted(decisions))
    rows = merged.sort(pl.col("decided_at").fill_null(undated()), "decision_id", *PAIR).to_dicts()
    for row in rows:
        unite(found, row["namespace"], (row["left_id"], row["right_id"]))
    if rows and equal is not None:
        apart = decided_pairs(decisions).filter(verdict=KEPT_BOTH).select(PAIR)
        held = set(apart.iter_rows())
        one = equal.select("namespace", "winner_id", "loser_id").sort(pl.all())
        for namespace, *pair in one.iter_rows():
            unite(found, namespace, pair, held)
    # The latest decision tells why and when, the latest that names one which stays.
    told = {id(found[row["namespace"], row["left_id"]]): row for row in rows}
    into: dict[int, str] = {}
    for row in rows:
        group = found[row["namespace"], row["left_id"]]
        if row["into_id"] in group:
            into[id(group)] = row["into_id"]
    return sorted(
        Group(
            row["namespace"],
            frozenset(found[row["namespace"], row["left_id"]]),
            into.get(group),
            row["reason"],
            row["decided_at"],
        )
        for group, row in told.items()
    )


def undecided(similar: pl.DataFrame, decisions: pl.DataFrame) -> pl.DataFrame:
    """Pairs of SIMILAR_FACTS that are left to rules: no person decided, both facts stand."""
    if decisions.is_empty():
        return similar
    together = pl.DataFrame(
        [
            (group.namespace, left, right)
            for group in groups(decisions)
            for left in group.members
            for right in group.members
            if left < right
        ],
        schema=dict.fromkeys(PAIR, pl.String),
        orient="row",
    )
    settled = pl.concat([decided_pairs(decisions).select(PAIR), together])
    return of_others(similar.join(settled, on=PAIR, how="anti"), retracted(decisions))


_LOOKED_AT = pl.min_horizontal("as_of", "decided_at")
"""From when a decision counts for confidence: the moment that the person looked at, so that a fact
of old logs is not faded to nothing before it is confirmed, or said again."""


def as_looked_at(fact_sources: pl.DataFrame, decisions: pl.DataFrame) -> pl.DataFrame:
    """FACT_SOURCES rows, those of corrections said when they count for confidence."""
    key = ["namespace", "record_id"]
    corrections = decisions.filter(decision=CORRECT)
    moments = corrections.select("namespace", record_id="decision_id", looked_at=_LOOKED_AT)
    return (
        fact_sources.join(moments, on=key, how="left")
        .with_columns(occurred_at=pl.coalesce("looked_at", "occurred_at"))
        .drop("looked_at")
    )


def confirmations(decisions: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """Feedback, as `evidence` takes it: one row per fact that a person confirmed."""
    return (
        decisions.filter(decision=CONFIRM)
        .explode("facts", empty_as_null=False)
        .select(
            "namespace",
            fact_id="facts",
            source_id="decision_id",
            weight=pl.lit(policy.confirm_weight),
            occurred_at=_LOOKED_AT,
        )
    )


def retracted(decisions: pl.DataFrame) -> pl.DataFrame:
    """Facts that a person took back.

    Returns:
        namespace, fact_id, replaced_by (the corrected fact, or null), retracted_at.
    """
    return (
        decisions.filter(pl.col("decision").is_in([RETRACT, CORRECT]))
        .explode("facts", empty_as_null=False)
        .select("namespace", "replaced_by", fact_id="facts", retracted_at="decided_at")
    )


def still_held(facts: pl.DataFrame, decisions: pl.DataFrame) -> pl.DataFrame:
    """FACTS rows that nobody took back: what is retracted ends no other fact."""
    if decisions.is_empty():
        return facts
    return facts.join(retracted(decisions).select(_FACT), on=_FACT, how="anti")


def both_hold(stretches: pl.DataFrame, decisions: pl.DataFrame) -> pl.DataFrame:
    """VALID_TIMES rows in which no fact ends one that a person keeps beside it."""
    apart = decided_pairs(decisions).filter(verdict=KEPT_BOTH).select(PAIR)
    either = [
        apart.select("namespace", fact_id=fact, ended_by=by, beside_it=pl.lit(value=True))
        for fact, by in (("left_id", "right_id"), ("right_id", "left_id"))
    ]
    ends = ("valid_to", "end_known_from", "ended_by")
    return (
        stretches.join(pl.concat(either), on=["namespace", "fact_id", "ended_by"], how="left")
        .with_columns(
            pl.when(pl.col("beside_it").is_null()).then(pl.col(end)).alias(end) for end in ends
        )
        .drop("beside_it")
    )


def replaced(decisions: pl.DataFrame) -> pl.DataFrame:
    """Facts in whose place a person put another: the one that stands after all corrections.

    Returns:
        namespace, fact_id, end.
    """
    gone = retracted(decisions).drop_nulls("replaced_by")
    by = {
        (namespace, fact): to
        for namespace, fact, to in gone.select(*_FACT, "replaced_by").iter_rows()
    }
    ends: list[str] = []
    for namespace, first in gone.select("namespace", "replaced_by").iter_rows():
        # It never leads back, since each correction is later than the one before.
        end = first
        while further := by.get((namespace, end)):
            end = further
        ends.append(end)
    return gone.select(_FACT).with_columns(end=pl.Series(ends, dtype=pl.String))


def as_corrected(fact_sources: pl.DataFrame, decisions: pl.DataFrame) -> pl.DataFrame:
    """FACT_SOURCES rows as if what was corrected had been said right at once.

    The statements of a fact become those of the one that a person put in its place, at their own
    times: so it holds from when the wrong one was said to hold, and ends what that one ended.
    """
    ends = replaced(decisions)
    if ends.is_empty():
        return fact_sources
    said = fact_sources.join(ends, on=_FACT).with_columns(fact_id="end").drop("end")
    corrections = ends.select("namespace", fact_id="end").unique()
    records = decisions.filter(decision=CORRECT).select("namespace", record_id="decision_id")
    own = fact_sources.join(corrections, on=_FACT, how="semi").join(
        records, on=["namespace", "record_id"], how="semi"
    )
    left = fact_sources.join(own, on=[*_FACT, "candidate_id"], how="anti")
    return pl.concat([left, said.select(left.columns)])


def withdrawn(memory: pl.DataFrame, decisions: pl.DataFrame) -> pl.DataFrame:
    """MEMORY rows with what people took back: retracted, and pointing to what stands instead.

    A pointer leads over further corrections and merges to a fact that stands by itself. What was
    put in a fact's place is derived from it, and holds from when that was said to hold.
    """
    gone = retracted(decisions)
    if gone.is_empty():
        return memory
    merged = memory.select("namespace", "merged_into", end="fact_id").drop_nulls("merged_into")
    ends = (
        replaced(decisions)
        .join(merged, on=["namespace", "end"], how="left")
        .select(*_FACT, end=pl.coalesce("merged_into", "end"))
    )
    taken = (
        gone.drop_nulls("replaced_by")
        .join(memory.select(*_FACT, since="valid_from"), on=_FACT)
        .group_by("namespace", "replaced_by")
        .agg(pl.col("since").min(), replaced=pl.col("fact_id").sort())
        .rename({"replaced_by": "fact_id"})
    )
    back = pl.col("retracted_at").is_not_null()
    return (
        memory.join(
            gone.select(*_FACT, pl.col("retracted_at").fill_null(undated())), on=_FACT, how="left"
        )
        .join(ends, on=_FACT, how="left")
        .join(taken, on=_FACT, how="left")
        .with_columns(
            status=pl.when(back).then(pl.lit("retracted")).otherwise("status"),
            merged_into=pl.when(back).then("end").otherwise("merged_into"),
            archived_at=pl.when(back).then("retracted_at").otherwise("archived_at"),
            valid_from=pl.min_horizontal("valid_from", "since"),
            derived_from=pl.concat_list("derived_from", pl.col("replaced").fill_null([]))
            .list.unique()
            .list.sort(),
        )
        .select(memory.columns)
    )


def person_merges(
    decisions: pl.DataFrame, confidence: pl.DataFrame, equal: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Facts that a person put together, with the one that stays.

    That is the one that a person named, else the most confident, ties by id.

    Args:
        decisions: DECISIONS rows.
        confidence: namespace, fact_id, confidence (undecayed).
        equal: namespace, winner_id, loser_id: facts that are one anyhow.

    Returns:
        namespace, winner_id, loser_id, reason, decided_at.
    """
    members = pl.DataFrame(
        [
            (number, group.namespace, member, member == group.into, group.reason, group.decided_at)
            for number, group in enumerate(groups(decisions, equal))
            for member in group.members
        ],
        schema={
            "group": pl.Int64, "namespace": pl.String, "fact_id": pl.String, "into": pl.Boolean,
            "reason": pl.String, "decided_at": pl.Datetime("us", "UTC"),
        },
        orient="row",
    )  # fmt: skip
    ranked = members.join(confidence, on=_FACT).sort(
        "group", "into", "confidence", "fact_id", descending=[False, True, True, False]
    )
    return (
        ranked.with_columns(winner_id=pl.col("fact_id").first().over("group"))
        .filter(pl.col("fact_id") != pl.col("winner_id"))
        .select("namespace", "winner_id", "reason", "decided_at", loser_id="fact_id")
    )


def merge_rows(
    joined: pl.DataFrame, decisions: pl.DataFrame, similar: pl.DataFrame
) -> pl.DataFrame:
    """What people decided, as rows of MERGES: who stays, and what stays apart.

    `joined` is what `person_merges` gives; SIMILAR_FACTS tell what similarity is known.
    """
    apart = decided_pairs(decisions).filter(verdict=KEPT_BOTH)
    rows = pl.concat(
        [
            joined.with_columns(decision=pl.lit(MERGED)),
            apart.select(
                "namespace", "reason", "decided_at", winner_id="left_id", loser_id="right_id",
                decision=pl.lit(KEPT_BOTH),
            ),
        ],
        how="diagonal",
    ).with_columns(
        left_id=pl.min_horizontal("winner_id", "loser_id"),
        right_id=pl.max_horizontal("winner_id", "loser_id"),
    )  # fmt: skip
    by_winner = ["namespace", "decision", "winner_id"]
    # What is kept apart is a row for each pair, since each is a decision of its own.
    alone = pl.when(decision=KEPT_BOTH).then("loser_id").otherwise(pl.lit(""))
    return (
        rows.join(similar.select(*PAIR, "similarity"), on=PAIR, how="left")
        .sort(*by_winner, "loser_id")
        .group_by(*by_winner, alone.alias("alone"), maintain_order=True)
        .agg(
            pl.col("reason", "decided_at").first(),
            loser_ids="loser_id",
            similarity=pl.when(pl.col("similarity").is_not_null().all()).then(
                pl.col("similarity").min()
            ),
        )
        .drop("alone")
        .with_columns(
            merge_id=digest_column(
                "decision", "winner_id", pl.col("loser_ids").list.join(","), prefix="m_"
            )
        )
    )
