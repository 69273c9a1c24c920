"""What speaks for a fact, and what against it."""

import polars as pl

from knowledge.days import UNDATED
from knowledge.embedding import Embedder
from knowledge.identity import digest_column
from knowledge.kinds import structural
from knowledge.policy import Policy
from knowledge.similar_facts import OPPOSITE
from knowledge.similarity import similar_pairs
from knowledge.tables import EVIDENCE

FACTS_AT_ONCE = 2048
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

    A conversation supports a fact at most once, and those that brought the fact in, the first one
    or those that it was drawn from, not at all. One that states the fact does so by its first
    statement there; else by its earliest episode that is similar to the fact and later than the
    fact's first source. Structural facts are supported by restatement alone.

    Args:
        facts: FACTS rows.
        fact_sources: FACT_SOURCES rows.
        episodes: EPISODES rows.
        similar: SIMILAR_FACTS rows.
        embedder: Gives vectors and their calibration.
        policy: Thresholds.
        feedback: namespace, fact_id, source_id, weight (-1 to 1), occurred_at; what people said
            of facts.
    """
    stated = first_statements(fact_sources)
    parts = [
        stated.filter(pl.col("place") > 0)
        .join(drawn_from(facts, episodes), on=[*_KEY, "conversation_id"], how="anti")
        .select(
            *_KEY,
            "conversation_id",
            "occurred_at",
            kind=pl.lit("restatement"),
            source_id="record_id",
            similarity=pl.lit(1.0),
        ),
        _similar_episodes(facts, known_from(stated, facts, episodes), episodes, embedder, policy),
        _contradictions(facts, stated, similar),
    ]
    if feedback is not None:
        parts.append(
            feedback.select(
                *_KEY, "source_id", "weight", "occurred_at",
                kind=pl.lit("feedback"), similarity=pl.lit(1.0),
            )
        )  # fmt: skip
    return EVIDENCE.frame(
        pl.concat([part for part in parts if part.height], how="diagonal")
        .join(facts.select(_KEY), on=_KEY, how="semi")
        .with_columns(evidence_id=digest_column("fact_id", "kind", "source_id", prefix="v_"))
        if any(part.height for part in parts)
        else EVIDENCE.empty()
    )


def first_statements(fact_sources: pl.DataFrame) -> pl.DataFrame:
    """The first source of each fact in each of its conversations.

    Sources stand in the order of `facts`: by time, undated ones last, then by record.

    Returns:
        namespace, fact_id, conversation_id, record_id, occurred_at (undated: 2015-01-01), and
        `place`, the conversation's place among the fact's, from 0.
    """
    return (
        fact_sources.sort(*_KEY, "occurred_at", "record_id", "conversation_id", nulls_last=True)
        .unique([*_KEY, "conversation_id"], keep="first", maintain_order=True)
        .select(
            *_KEY,
            "conversation_id",
            "record_id",
            pl.col("occurred_at").fill_null(UNDATED),
            place=pl.int_range(pl.len()).over(_KEY),
        )
    )


def known_from(stated: pl.DataFrame, facts: pl.DataFrame, episodes: pl.DataFrame) -> pl.DataFrame:
    """namespace, fact_id, conversation_id: those that state a fact, or that it was drawn from."""
    columns = [*_KEY, "conversation_id"]
    return pl.concat([stated.select(columns), drawn_from(facts, episodes)]).unique()


def drawn_from(facts: pl.DataFrame, episodes: pl.DataFrame) -> pl.DataFrame:
    """namespace, fact_id, conversation_id: those whose episodes a fact was drawn from."""
    return (
        facts.select(*_KEY, episode_id="derived_from")
        .explode("episode_id", empty_as_null=False)
        .join(episodes, on=["namespace", "episode_id"])
        .select(*_KEY, "conversation_id")
        .unique()
    )


def _similar_episodes(
    facts: pl.DataFrame,
    known_from: pl.DataFrame,
    episodes: pl.DataFrame,
    embedder: Embedder,
    policy: Policy,
) -> pl.DataFrame:
    """For each fact and further conversation, its earliest episode that is similar to the fact."""
    known = facts.filter(~structural()).select(
        *_KEY, "content", begun_at=pl.col("first_seen").fill_null(UNDATED)
    )
    heard = episodes.select(
        "namespace",
        "text",
        "conversation_id",
        source_id="episode_id",
        occurred_at=pl.col("started_at").fill_null(UNDATED),
    ).filter(pl.col("text") != "")
    # Equal texts are compared once.
    contents = known.get_column("content").unique().sort()
    texts = heard.get_column("text").unique().sort()
    content_vectors = embedder.embed(contents.to_list())
    text_vectors = embedder.embed(texts.to_list())
    found: list[pl.DataFrame] = []
    for start in range(0, len(contents), FACTS_AT_ONCE):
        pairs = similar_pairs(
            content_vectors[start : start + FACTS_AT_ONCE],
            text_vectors,
            policy.evidence_similarity,
            embedder,
            margin=policy.candidate_margin,
        )
        alike = pl.DataFrame(
            {
                "content": contents.gather(pairs.left + start),
                "text": texts.gather(pairs.right),
                "similarity": pairs.similarity,
            }
        )
        found.append(
            alike.join(known, on="content")
            .join(heard, on=["namespace", "text"])
            .filter(pl.col("occurred_at") > pl.col("begun_at"))
            .join(known_from, on=[*_KEY, "conversation_id"], how="anti")
            .sort(*_KEY, "conversation_id", "occurred_at", "source_id")
            .unique([*_KEY, "conversation_id"], keep="first", maintain_order=True)
            .select(
                *_KEY, "conversation_id", "occurred_at", "source_id", "similarity",
                kind=pl.lit("episode"),
            )
        )  # fmt: skip
    return pl.concat(found) if found else pl.DataFrame()


def _contradictions(
    facts: pl.DataFrame, stated: pl.DataFrame, similar: pl.DataFrame
) -> pl.DataFrame:
    """For each pair of facts of which one clearly denies the other, one row for either."""
    times = facts.select("namespace", id="fact_id", time=pl.col("first_seen").fill_null(UNDATED))
    both = (
        similar.filter(verdict=OPPOSITE)
        .join(times.rename({"id": "left_id", "time": "left_at"}), on=["namespace", "left_id"])
        .join(times.rename({"id": "right_id", "time": "right_at"}), on=["namespace", "right_id"])
        .with_columns(occurred_at=pl.max_horizontal("left_at", "right_at"))
    )
    sides = [
        both.select(
            "namespace", "similarity", "occurred_at",
            fact_id=fact, source_id=against, kind=pl.lit("contradiction"),
        )
        for fact, against in (("left_id", "right_id"), ("right_id", "left_id"))
    ]  # fmt: skip
    origin = stated.filter(place=0).select("namespace", "conversation_id", source_id="fact_id")
    return pl.concat(sides).join(origin, on=["namespace", "source_id"], how="left")
