"""Facts that say the same become one: the most confident stays, the others point to it."""

import polars as pl

from knowledge.confidence import undecayed
from knowledge.days import UNDATED
from knowledge.identity import digest_column
from knowledge.kinds import comparable
from knowledge.policy import Policy
from knowledge.similar_facts import SAME
from knowledge.tables import MERGES

AUTO_MERGE = "auto_merge"
SAID_ALIKE = "same meaning, same words, near confidence"
ONE_STATEMENT = "one statement of one entity"


def merges(
    facts: pl.DataFrame,
    evidence: pl.DataFrame,
    similar: pl.DataFrame,
    policy: Policy,
    equal: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """MERGES that need no model: alike in meaning and in words, and near in confidence.

    A pair may merge when its facts are about one entity, say one kind of thing, are more alike
    than the threshold, agree in words (knowledge/wording.py), do not contradict each other, and
    their undecayed confidences lie within the gap with one above the floor. Facts are then taken
    from the most confident down (ties by id): each that is still free takes every free fact that
    may merge with it. So every member is within the threshold of its winner, and there are no
    chains. Names and structural facts never merge.

    Facts that became one statement when their entities were merged are one before that, whatever
    their confidence: the most confident stands for them, and takes them where it goes.

    Args:
        facts: FACTS rows, about canonical entities.
        evidence: EVIDENCE rows: for undecayed confidence and contradictions.
        similar: SIMILAR_FACTS rows.
        policy: Thresholds.
        equal: `equal_statements` of the facts.
    """
    confidence = undecayed(facts, evidence, policy)
    one = _standing(equal, confidence)
    known = (
        facts.select("namespace", "fact_id", kind=comparable())
        .join(confidence, on=["namespace", "fact_id"])
        .join(one.select("namespace", fact_id="loser_id"), on=["namespace", "fact_id"], how="anti")
    )
    pairs = similar.filter(verdict=SAME).rename({"left_id": "left", "right_id": "right"})
    for side in ("left", "right"):
        pairs = pairs.join(
            known.rename({"fact_id": side, "kind": f"{side}_kind", "confidence": f"{side}_c"}),
            on=["namespace", side],
        )
    against = evidence.filter(kind="contradiction").select(
        "namespace", left="fact_id", right="source_id"
    )
    pairs = pairs.filter(
        pl.col("similarity") > policy.merge_similarity,
        pl.col("left_kind") == pl.col("right_kind"),
        # Rounded, so that 0.9 and 0.6 are 0.3 apart.
        (pl.col("left_c") - pl.col("right_c")).abs().round(9) <= policy.merge_confidence_gap,
        pl.max_horizontal("left_c", "right_c") > policy.merge_confidence_floor,
    ).join(against, on=["namespace", "left", "right"], how="anti")
    joined = _with_equal(_taken(pairs), one)
    if joined.is_empty():
        return MERGES.empty()
    times = facts.select("namespace", "fact_id", time=pl.col("first_seen").fill_null(UNDATED))
    return MERGES.frame(
        joined.join(
            times.rename({"fact_id": "winner_id", "time": "won_at"}), on=["namespace", "winner_id"]
        )
        .join(
            times.rename({"fact_id": "loser_id", "time": "lost_at"}), on=["namespace", "loser_id"]
        )
        .sort("namespace", "winner_id", "loser_id")
        .group_by("namespace", "winner_id", "reason", maintain_order=True)
        .agg(
            loser_ids="loser_id",
            similarity=pl.col("similarity").min(),
            decided_at=pl.max_horizontal(pl.col("won_at").max(), pl.col("lost_at").max()),
        )
        .with_columns(
            decision=pl.lit(AUTO_MERGE),
            merge_id=digest_column(
                pl.lit(AUTO_MERGE), "winner_id", pl.col("loser_ids").list.join(","), prefix="m_"
            ),
        )
    )


def _standing(equal: pl.DataFrame | None, confidence: pl.DataFrame) -> pl.DataFrame:
    """namespace, loser_id, winner_id of equal statements: the most confident one stands."""
    if equal is None:
        return pl.DataFrame(schema=dict.fromkeys(("namespace", "loser_id", "winner_id"), pl.String))
    said = ["namespace", "entity_id", "statement"]
    return (
        equal.join(confidence, on=["namespace", "fact_id"])
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
        reason=pl.lit(ONE_STATEMENT),
    )
    said_alike = taken.with_columns(reason=pl.lit(SAID_ALIKE))
    return pl.concat([said_alike, equal.select(said_alike.columns)])


def _taken(pairs: pl.DataFrame) -> pl.DataFrame:
    """Each fact goes to at most one winner: from the most confident pair of hands down.

    Returns:
        namespace, winner_id, loser_id, similarity.
    """
    directed = pl.concat(
        [
            pairs.select(
                "namespace", "similarity",
                winner_id=winner, loser_id=loser, confidence=f"{winner}_c", other=f"{loser}_c",
            )
            for winner, loser in (("left", "right"), ("right", "left"))
        ]
    ).filter(
        (pl.col("confidence") > pl.col("other"))
        | ((pl.col("confidence") == pl.col("other")) & (pl.col("winner_id") < pl.col("loser_id")))
    )  # fmt: skip
    ordered = directed.sort(
        "namespace", pl.col("confidence"), "winner_id", "loser_id",
        descending=[False, True, False, False],
    )  # fmt: skip
    losers: set[tuple[str, str]] = set()
    taken: list[bool] = []
    for namespace, winner, loser in ordered.select(
        "namespace", "winner_id", "loser_id"
    ).iter_rows():
        free = (namespace, winner) not in losers and (namespace, loser) not in losers
        if free:
            losers.add((namespace, loser))
        taken.append(free)
    return ordered.filter(pl.Series(taken, dtype=pl.Boolean)).select(
        "namespace", "winner_id", "loser_id", "similarity"
    )
