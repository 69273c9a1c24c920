"""Interest: what somebody cares about, as of a moment, and what made it.

    interest = Σ valence · strength · likeness · repeat^(k - 1) · 0.5^(age / half-life)

over the engagements in force, `likeness` being 1 for what an engagement names and the similarity of
the entity for what a preference reaches. The k-th touch of one kind on one day counts
`interest_repeat` of the one before, so that all of them never count more than one and a quarter:
the searches of an afternoon, however many, are less than one like. Response to what is repeated
falls exponentially with the number of repetitions (Thompson and Spencer, Habituation, Psychological
Review 73, 1966). Time passing scales all interests alike, so it changes no order.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

import numpy as np
import polars as pl

from cairn.knowledge.consolidation.embeddings import entity_texts
from cairn.knowledge.interests.mentions import called
from cairn.knowledge.interests.preferences import in_force, may_reach
from cairn.knowledge.resolution.canonical import with_canonical
from cairn.knowledge.schema.calendar import day, days_since_epoch, microseconds, undated
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import INTERESTS
from cairn.knowledge.vectors.model import Embedder
from cairn.knowledge.vectors.similarity import similar_pairs

DECIMALS = 6
"""Places of a score."""

RANKED_DECIMALS = 12
"""… and of what ranks: what is all but forgotten keeps its order."""

MADE_OF = 5
"""Engagements that are told of an interest."""

ALIKE = ("topic", "system")
"""Types of entities whose names tell by their words what they are."""

WEEKS = 12
"""Points of the curve of an interest, a week apart."""

_ENTITY = ["namespace", "entity_id"]
_PREFERENCE = ["namespace", "preference_id"]


def interests(
    engagements: pl.DataFrame,
    preferences: pl.DataFrame,
    entities: pl.DataFrame,
    entity_merges: pl.DataFrame,
    embedder: Embedder,
    policy: Policy,
    as_of: datetime,
) -> pl.DataFrame:
    """INTERESTS as of a moment: what came later changes nothing.

    Entities are those that were known then, merges those that were decided then.
    """
    if engagements.is_empty() and preferences.is_empty():
        return INTERESTS.empty()
    moments = [as_of - timedelta(weeks=weeks) for weeks in reversed(range(WEEKS))]
    # What has ended since the first of them counted until then.
    begun = preferences.filter((pl.col("started_at") <= as_of).fill_null(value=True))
    held = begun.filter((pl.col("ended_at") > moments[0]).fill_null(value=True))
    reached = _reached(held, entities, entity_merges, embedder, policy)
    every = pl.DataFrame({"moment": moments}, schema={"moment": pl.Datetime("us", "UTC")})
    then = in_force(
        engagements.join(every, how="cross"), "occurred_at", "cancelled_at", pl.col("moment")
    )
    touches = _weighed(then, reached, entity_merges, policy).with_columns(share=_share(policy))
    now = in_force(preferences, "started_at", "ended_at", as_of).select(*_PREFERENCE, "source")
    named = (pl.col("likeness") == 1) & (pl.col("source") != "reaction")
    said = (
        reached.join(now, on=_PREFERENCE)
        .filter((pl.col("attitude") != "like") | named)
        .group_by(_ENTITY)
        .agg(
            liked=(pl.col("attitude") == "like").any(),
            muted=(pl.col("attitude") == "mute").any(),
            disliked=(pl.col("attitude") == "dislike").any(),
        )
    )
    made = (
        _scored(touches.filter(moment=as_of))
        .join(_curves(touches, moments), on=_ENTITY)
        .join(said, on=_ENTITY, how="full", coalesce=True, maintain_order="left_right")
    )
    return INTERESTS.frame(
        made.with_columns(
            pl.col("score", "order").fill_null(0.0),
            pl.col("liked", "sought", "muted", "disliked").fill_null(value=False),
            pl.col("engagements").fill_null(0),
            pl.col("engagement_ids").fill_null(pl.lit([], dtype=pl.List(pl.String))),
            pl.col("curve").fill_null(pl.lit([], dtype=pl.List(pl.Float64))),
        )
        .sort("namespace", "order", "entity_id", descending=[False, True, False])
        .with_columns(rank=pl.int_range(1, pl.len() + 1).over("namespace"))
    )


def _reached(
    held: pl.DataFrame,
    entities: pl.DataFrame,
    entity_merges: pl.DataFrame,
    embedder: Embedder,
    policy: Policy,
) -> pl.DataFrame:
    """namespace, preference_id, attitude, entity_id (canonical), likeness.

    By name, likeness is 1; by similarity of the topic and what is embedded of the entity, at least
    preference_similarity, if the words of both allow it. What is muted is just what has the name;
    and that names of people, hosts or packages look alike says nothing of them.
    """
    known = with_canonical(entities, entity_merges)
    exact = (
        held.select(*_PREFERENCE, "attitude", "name")
        .join(called(held, entities), on=["namespace", "name"])
        .join(known.select(*_ENTITY, "canonical_id"), on=_ENTITY)
        .select(*_PREFERENCE, "attitude", entity_id="canonical_id", likeness=pl.lit(1.0))
    )
    liked = held.filter(pl.col("attitude") != "mute").sort(_PREFERENCE)
    names = known.filter(pl.col("type").is_in(ALIKE)).select(*_ENTITY, "display_name")
    texts = entity_texts(known).join(names, on=_ENTITY).sort(_ENTITY)
    parts = [exact]
    for namespace in liked["namespace"].unique().sort().to_list():
        own, of = liked.filter(namespace=namespace), texts.filter(namespace=namespace)
        if of.is_empty():
            continue
        pairs = similar_pairs(
            np.array(own["vector"].to_list(), dtype=np.float32),
            embedder.embed(of["text"].to_list()),
            policy.preference_similarity,
            embedder,
            margin=policy.candidate_margin,
        )
        alike = pl.concat(
            [
                own.select(*_PREFERENCE, "attitude", "topic")[pairs.left.tolist()],
                of.select("entity_id", "display_name")[pairs.right.tolist()],
                pl.DataFrame({"likeness": pairs.similarity}, schema={"likeness": pl.Float64}),
            ],
            how="horizontal",
        )
        allowed = [
            may_reach(topic, name)
            for topic, name in alike.select("topic", "display_name").iter_rows()
        ]
        parts.append(alike.filter(pl.Series(allowed, dtype=pl.Boolean)).select(exact.columns))
    return (
        pl.concat(parts)
        .group_by(*_PREFERENCE, "attitude", "entity_id")
        .agg(pl.col("likeness").max())
    )


def _weighed(
    then: pl.DataFrame, reached: pl.DataFrame, entity_merges: pl.DataFrame, policy: Policy
) -> pl.DataFrame:
    """namespace, entity_id, engagement_id, occurred_at, moment, sought, weight.

    The weight is what a touch that was in force at a moment adds on its day. What is one thing
    under several names, or like what is liked, is touched once by a record: by what weighs most.
    """
    direct = with_canonical(then.drop_nulls("entity_id"), entity_merges).with_columns(
        entity_id="canonical_id", likeness=pl.lit(1.0)
    )
    spread = then.drop("entity_id").join(
        reached.filter(pl.col("attitude") != "mute").drop("attitude"), on=_PREFERENCE
    )
    columns = [
        *_ENTITY, "record_id", "engagement_id", "engagement_type", "valence", "strength",
        "occurred_at", "likeness", "moment",
    ]  # fmt: skip
    touch = ["moment", *_ENTITY, "record_id"]
    kth = pl.int_range(pl.len()).over("moment", *_ENTITY, "engagement_type", "valence", "day")
    return (
        pl.concat([direct.select(columns), spread.select(columns)])
        .with_columns(most=pl.col("strength") * pl.col("likeness"), day=day(pl.col("occurred_at")))
        .sort(*touch, "most", "engagement_id", descending=[*[False] * len(touch), True, False])
        .unique(touch, keep="first", maintain_order=True)
        .sort("moment", *_ENTITY, pl.col("occurred_at").fill_null(undated()), "engagement_id")
        .select(
            *_ENTITY,
            "engagement_id",
            "occurred_at",
            "moment",
            # What is to be learnt is searched for by that.
            sought=~pl.col("engagement_type").is_in(["mention", "learn"]),
            weight=pl.col("valence") * pl.col("most") * pl.lit(policy.interest_repeat).pow(kth),
        )
    )


def _scored(touches: pl.DataFrame) -> pl.DataFrame:
    """namespace, entity_id, score, order, engagements, sought, engagement_ids, last_engaged_at."""
    heaviest = pl.col("engagement_id").sort_by(
        pl.col("share").abs().round(RANKED_DECIMALS),
        pl.col("engagement_id"),
        descending=[True, False],
    )
    return touches.group_by(_ENTITY, maintain_order=True).agg(
        score=_sum(),
        order=_sum(RANKED_DECIMALS),
        engagements=pl.len().cast(pl.Int64),
        sought=pl.col("sought").any(),
        engagement_ids=heaviest.head(MADE_OF),
        last_engaged_at=pl.col("occurred_at").max(),
    )


def _curves(touches: pl.DataFrame, moments: Sequence[datetime]) -> pl.DataFrame:
    """namespace, entity_id, curve: the score as it was at each of the moments."""
    at = pl.col("moment").dt.epoch("us")
    then = [pl.col("score").filter(at == microseconds(moment)).sum() for moment in moments]
    return (
        touches.group_by(*_ENTITY, "moment", maintain_order=True)
        .agg(score=_sum())
        .group_by(_ENTITY, maintain_order=True)
        .agg(curve=pl.concat_list(then))
    )


def _sum(decimals: int = DECIMALS) -> pl.Expr:
    return pl.col("share").sum().round(decimals) + 0.0


def _share(policy: Policy) -> pl.Expr:
    """What a touch adds at a moment."""
    age = days_since_epoch(pl.col("moment")) - days_since_epoch(pl.col("occurred_at"))
    # What is undated counts as the oldest there is: of 2015, and no younger than any moment.
    return pl.col("weight") * pl.lit(0.5).pow(age.clip(0) / policy.interest_half_life)
