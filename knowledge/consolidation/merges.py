"""Facts that say the same become one: the most confident stays, the others point to it."""

import polars as pl

from cairn.knowledge.consolidation.confidence import undecayed
from cairn.knowledge.consolidation.pairs import PAIR, of_others
from cairn.knowledge.consolidation.similar_facts import SAME
from cairn.knowledge.consolidation.verdicts.decision_effects import (
    KEPT_BOTH,
    decided_pairs,
    merge_rows,
    person_merges,
    still_held,
    undecided,
)
from cairn.knowledge.schema.calendar import undated
from cairn.knowledge.schema.fact_types import comparable
from cairn.knowledge.schema.identity import digest_column
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import DECISIONS, MERGE_VERDICTS, MERGES

AUTO_MERGE, MERGE = "auto_merge", "merge"
SAID_ALIKE = "same meaning, same words, near confidence"
ONE_STATEMENT = "one statement of one entity"

_FACT = ["namespace", "fact_id"]


def merges(
    facts: pl.DataFrame,
    evidence: pl.DataFrame,
    similar: pl.DataFrame,
    policy: Policy,
    *,
    equal: pl.DataFrame | None = None,
    verdicts: pl.DataFrame | None = None,
    decisions: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """MERGES: what a person decided, what rules unite, and what a model decided about the rest.

    A pair may merge when its facts are about one entity, say one kind of thing, agree in words
    (knowledge/nlp/statements/compare.py), do not contradict each other, and their undecayed
    confidences lie within the gap with one above the floor, whoever says them; or when a model says
    that they are the same, and rules let it (verdicts/llm_verdicts.py). Facts are
    then taken from the most confident down (ties by id), so that a person's words stand before an
    agent's: each that is still free takes every free fact that may merge with it. So every member
    says what its winner says, and there are no chains. Names and structural facts never merge.

    Facts that became one statement when their entities were merged are one before that, whatever
    their confidence: the most confident stands for them, and takes them where it goes.

    What a person decided comes first (verdicts/decision_effects.py). Facts that a
    person put together are one to the rules: what may merge with one of them, or is equal, goes to
    their winner. What a person keeps apart from a member stays out. `facts` are about canonical
    entities, `equal` is what `equal_statements` gives of them, and `verdicts` are the rows of
    CONTRADICTION_VERDICTS and MERGE_VERDICTS that rules follow.
    """
    decisions = DECISIONS.empty() if decisions is None else decisions
    said = undecided(MERGE_VERDICTS.empty() if verdicts is None else verdicts, decisions)
    confidence = undecayed(facts, evidence, policy)
    apart = decided_pairs(decisions).filter(verdict=KEPT_BOTH)
    one, by_person = _before_rules(equal, decisions, confidence)
    pairs = _alike(facts, evidence, undecided(similar, decisions), policy, confidence, one)
    united = said.filter(verdict=MERGE).select(*PAIR, "reason", decision=pl.lit(MERGE))
    # Of a pair that rules merge too, the rule decides.
    by_model = pairs.filter(~_by_rule()).join(united, on=PAIR)
    free = pl.concat([_ruled(pairs).select(by_model.columns), by_model])
    joined = _with_equal(_taken(_contracted(free, by_person), by_person, apart), one)
    times = facts.select("namespace", "fact_id", time=pl.col("first_seen").fill_null(undated()))
    decided = (
        joined.join(
            times.rename({"fact_id": "winner_id", "time": "won_at"}), on=["namespace", "winner_id"]
        )
        .join(
            times.rename({"fact_id": "loser_id", "time": "lost_at"}), on=["namespace", "loser_id"]
        )
        .sort("namespace", "winner_id", "loser_id")
        .group_by("namespace", "winner_id", "decision", "reason", maintain_order=True)
        .agg(
            loser_ids="loser_id",
            similarity=pl.col("similarity").min(),
            decided_at=pl.max_horizontal(pl.col("won_at").max(), pl.col("lost_at").max()),
        )
    )
    both_stay = said.filter(pl.col("verdict") != MERGE).select(
        "namespace", "similarity", "reason", "decided_at",
        decision="verdict", winner_id="left_id", loser_ids=pl.concat_list("right_id"),
    )  # fmt: skip
    others = pl.concat([decided, both_stay.select(decided.columns)]).with_columns(
        merge_id=digest_column(
            "decision", "winner_id", pl.col("loser_ids").list.join(","), prefix="m_"
        )
    )
    by_people = MERGES.frame(merge_rows(by_person, decisions, similar))
    return MERGES.frame(pl.concat([by_people, MERGES.frame(others)]))


def unequal(
    facts: pl.DataFrame,
    evidence: pl.DataFrame,
    similar: pl.DataFrame,
    policy: Policy,
    *,
    equal: pl.DataFrame | None = None,
    decisions: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """SIMILAR_FACTS rows of pairs that fail on confidence alone, and that no rule merges away.

    Arguments are those of `merges`.
    """
    decisions = DECISIONS.empty() if decisions is None else decisions
    confidence = undecayed(facts, evidence, policy)
    one, _ = _before_rules(equal, decisions, confidence)
    same = undecided(similar, decisions).filter(verdict=SAME)
    pairs = _alike(facts, evidence, same, policy, confidence, one)
    nobody = DECISIONS.empty()
    taken = _taken(_ruled(pairs), person_merges(nobody, confidence), decided_pairs(nobody))
    left = of_others(pairs, taken.select("namespace", fact_id="loser_id"))
    return left.filter(~pl.col("near")).select(similar.columns)


def _before_rules(
    equal: pl.DataFrame | None, decisions: pl.DataFrame, confidence: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Equal statements that are one, and what people put together, with what is equal to it.

    Returns:
        Two frames with namespace, winner_id, loser_id; the second also with reason, decided_at.
    """
    apart = decided_pairs(decisions).filter(verdict=KEPT_BOTH)
    one = _standing(None if equal is None else still_held(equal, decisions), confidence)
    for side, other in (("left_id", "right_id"), ("right_id", "left_id")):
        kept = apart.select("namespace", winner_id=side, loser_id=other)
        one = one.join(kept, on=kept.columns, how="anti")
    by_person = person_merges(decisions, confidence, one)
    for each in ("winner_id", "loser_id"):
        theirs = by_person.select("namespace", loser_id=each)
        one = one.join(theirs, on=theirs.columns, how="anti")
    return one, by_person


def _alike(
    facts: pl.DataFrame,
    evidence: pl.DataFrame,
    similar: pl.DataFrame,
    policy: Policy,
    confidence: pl.DataFrame,
    one: pl.DataFrame,
) -> pl.DataFrame:
    """Pairs of one kind, of the same words or more alike than the threshold, and undenied.

    Returns:
        SIMILAR_FACTS columns, `left_c` and `right_c` (undecayed confidence), and `near`: whether
        what both claim lies within the gap, with one above the floor.
    """
    known = (
        facts.select(*_FACT, kind=comparable())
        .join(confidence, on=_FACT)
        .join(one.select("namespace", fact_id="loser_id"), on=_FACT, how="anti")
    )
    for side in ("left", "right"):
        own = known.rename(
            {"fact_id": f"{side}_id", "kind": f"{side}_kind", "confidence": f"{side}_c",
             "claimed": f"{side}_claimed"}
        )  # fmt: skip
        similar = similar.join(own, on=["namespace", f"{side}_id"])
    against = evidence.filter(kind="contradiction").select(
        "namespace", left_id="fact_id", right_id="source_id"
    )
    # Rounded, so that 0.9 and 0.6 are 0.3 apart.
    gap = (pl.col("left_claimed") - pl.col("right_claimed")).abs().round(9)
    highest = pl.max_horizontal("left_claimed", "right_claimed")
    return (
        similar.filter(
            (pl.col("verdict") == SAME) | (pl.col("similarity") > policy.merge_similarity),
            pl.col("left_kind") == pl.col("right_kind"),
        )
        .join(against, on=PAIR, how="anti")
        .with_columns(
            near=(gap <= policy.merge_confidence_gap) & (highest > policy.min_merge_confidence)
        )
        .drop("left_kind", "right_kind", "left_claimed", "right_claimed")
    )


def _by_rule() -> pl.Expr:
    return (pl.col("verdict") == SAME) & pl.col("near")


def _ruled(pairs: pl.DataFrame) -> pl.DataFrame:
    return pairs.filter(_by_rule()).with_columns(
        reason=pl.lit(SAID_ALIKE), decision=pl.lit(AUTO_MERGE)
    )


def _standing(equal: pl.DataFrame | None, confidence: pl.DataFrame) -> pl.DataFrame:
    """namespace, loser_id, winner_id of equal statements: the most confident one stands."""
    if equal is None:
        return pl.DataFrame(schema=dict.fromkeys(("namespace", "loser_id", "winner_id"), pl.String))
    said = ["namespace", "entity_id", "statement"]
    return (
        equal.join(confidence, on=_FACT)
        .sort(*said, "confidence", "fact_id", descending=[False, False, False, True, False])
        .select("namespace", loser_id="fact_id", winner_id=pl.col("fact_id").first().over(said))
        .filter(pl.col("loser_id") != pl.col("winner_id"))
    )


def _with_equal(taken: pl.DataFrame, one: pl.DataFrame) -> pl.DataFrame:
    """What was taken up; and equal statements, by whoever took up the one that stands for them."""
    onward = taken.select("namespace", winner_id="loser_id", onto="winner_id", near="similarity")
    equal = one.join(onward, on=["namespace", "winner_id"], how="left").select(
        "namespace",
        "loser_id",
        winner_id=pl.coalesce("onto", "winner_id"),
        similarity=pl.col("near").fill_null(1.0),
        decision=pl.lit(AUTO_MERGE),
        reason=pl.lit(ONE_STATEMENT),
    )
    return pl.concat([taken, equal.select(taken.columns)])


def _contracted(pairs: pl.DataFrame, by_person: pl.DataFrame) -> pl.DataFrame:
    """Pairs in which the winner stands for all that a person put together.

    It goes before every other fact, and is taken by none: it has what a person gave it.
    """
    if by_person.is_empty():
        return pairs
    winner = ["namespace", "winner_id"]
    own = by_person.select(winner).unique().with_columns(id="winner_id")
    stands = pl.concat([by_person.select(*winner, id="loser_id"), own])
    for side in ("left", "right"):
        pairs = pairs.join(
            stands.rename({"id": f"{side}_id", "winner_id": f"{side}_winner"}),
            on=["namespace", f"{side}_id"],
            how="left",
        ).with_columns(
            pl.coalesce(f"{side}_winner", f"{side}_id").alias(f"{side}_id"),
            pl.when(pl.col(f"{side}_winner").is_not_null())
            .then(pl.lit(float("inf")))
            .otherwise(f"{side}_c")
            .alias(f"{side}_c"),
        )
    return pairs.filter(pl.min_horizontal("left_c", "right_c").is_finite())


def _taken(pairs: pl.DataFrame, by_person: pl.DataFrame, apart: pl.DataFrame) -> pl.DataFrame:
    """Each fact goes to at most one winner: from the most confident pair of hands down.

    Returns:
        namespace, winner_id, loser_id, similarity, decision, reason.
    """
    directed = pl.concat(
        [
            pairs.select(
                "namespace", "similarity", "decision", "reason",
                winner_id=f"{winner}_id", loser_id=f"{loser}_id",
                confidence=f"{winner}_c", other=f"{loser}_c",
            )
            for winner, loser in (("left", "right"), ("right", "left"))
        ]
    ).filter(
        (pl.col("confidence") > pl.col("other"))
        | ((pl.col("confidence") == pl.col("other")) & (pl.col("winner_id") < pl.col("loser_id")))
    )  # fmt: skip
    ordered = directed.sort(
        "namespace", "confidence", "winner_id", "loser_id", "similarity", "decision", "reason",
        descending=[False, True, False, False, True, False, False],
    )  # fmt: skip
    held = set(apart.select(PAIR).iter_rows())
    members: dict[tuple[str, str], list[str]] = {}
    for namespace, winner, loser in by_person.select(
        "namespace", "winner_id", "loser_id"
    ).iter_rows():
        members.setdefault((namespace, winner), [winner]).append(loser)
    losers: set[tuple[str, str]] = set()
    taken: list[bool] = []
    for namespace, winner, loser in ordered.select(
        "namespace", "winner_id", "loser_id"
    ).iter_rows():
        free = (namespace, winner) not in losers and (namespace, loser) not in losers
        if free and held:
            group = members.get((namespace, winner), [winner])
            free = not any(
                (namespace, min(loser, member), max(loser, member)) in held for member in group
            )
        if free:
            losers.add((namespace, loser))
            members.setdefault((namespace, winner), [winner]).append(loser)
        taken.append(free)
    return ordered.filter(pl.Series(taken, dtype=pl.Boolean)).select(
        "namespace", "winner_id", "loser_id", "similarity", "decision", "reason"
    )
