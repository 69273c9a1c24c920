"""What supports a fact: restatements, and episodes that are similar to it."""

import polars as pl

from cairn.knowledge.nlp.statements.negation import contradicts
from cairn.knowledge.schema.calendar import undated
from cairn.knowledge.schema.fact_types import is_event
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import EVIDENCE
from cairn.knowledge.vectors.model import Embedder
from cairn.knowledge.vectors.similarity import similar_pairs

FACTS_AT_ONCE = 16_384
_KEY = ["namespace", "fact_id"]


def no_support() -> pl.DataFrame:
    """Support of nothing; no constant, since polars starts threads when it is first used."""
    return EVIDENCE.empty().drop("evidence_id", "weight")


def support(
    facts: pl.DataFrame,
    fact_sources: pl.DataFrame,
    episodes: pl.DataFrame,
    embedder: Embedder,
    policy: Policy,
) -> list[pl.DataFrame]:
    """Restatements and similar episodes of facts, as parts of EVIDENCE without its id.

    A conversation supports a fact at most once, and those that brought the fact in, the first one
    or those that it was drawn from, not at all. One that states the fact does so by its first
    statement there; else by its earliest episode that is similar to the fact and later than the
    fact's first source. Structural facts are supported by restatement alone.
    """
    stated = first_statements(fact_sources)
    known = known_from(stated, facts, episodes)
    return [
        restatements(stated, facts, episodes),
        similar_episodes(facts, known, episodes, embedder, policy),
    ]


def restatements(stated: pl.DataFrame, facts: pl.DataFrame, episodes: pl.DataFrame) -> pl.DataFrame:
    """The first statement of each fact in each further conversation that it was not drawn from."""
    return (
        stated.filter(pl.col("place") > 0)
        .join(facts.select(_KEY), on=_KEY, how="semi")
        .join(drawn_from(facts, episodes), on=[*_KEY, "conversation_id"], how="anti")
        .select(
            *_KEY,
            "conversation_id",
            "occurred_at",
            kind=pl.lit("restatement"),
            source_id="record_id",
            similarity=pl.lit(1.0),
        )
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
            pl.col("occurred_at").fill_null(undated()),
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


def similar_episodes(
    facts: pl.DataFrame,
    known_from: pl.DataFrame,
    episodes: pl.DataFrame,
    embedder: Embedder,
    policy: Policy,
) -> pl.DataFrame:
    """For each fact and further conversation, its earliest episode that is similar to the fact.

    One that denies it, or gives another value, is similar too, and bears nothing out.
    """
    known = facts.filter(~is_event()).select(
        *_KEY, "content", begun_at=pl.col("first_seen").fill_null(undated())
    )
    heard = episodes.select(
        "namespace",
        "text",
        "conversation_id",
        source_id="episode_id",
        occurred_at=pl.col("started_at").fill_null(undated()),
    ).filter(pl.col("text") != "")
    # Equal texts are compared once.
    contents = known.get_column("content").unique()
    texts = heard.get_column("text").unique()
    text_vectors = embedder.embed(texts.to_list())
    found: list[pl.DataFrame] = []
    for start in range(0, len(contents) if len(texts) else 0, FACTS_AT_ONCE):
        some = contents.slice(start, FACTS_AT_ONCE)
        pairs = similar_pairs(
            embedder.embed(some.to_list()),
            text_vectors,
            policy.evidence_similarity,
            embedder,
            margin=policy.candidate_margin,
        )
        alike = pl.DataFrame(
            {
                "content": some.gather(pairs.left),
                "text": texts.gather(pairs.right),
                "similarity": pairs.similarity,
            }
        )
        further = (
            alike.join(known, on="content")
            .join(heard, on=["namespace", "text"])
            .filter(pl.col("occurred_at") > pl.col("begun_at"))
            .join(known_from, on=[*_KEY, "conversation_id"], how="anti")
        )
        found.append(
            earliest(
                _bearing_out(further).select(
                    *_KEY, "conversation_id", "occurred_at", "source_id", "similarity",
                    kind=pl.lit("episode"),
                )
            )
        )  # fmt: skip
    return pl.concat(found) if found else no_support()


def _bearing_out(heard: pl.DataFrame) -> pl.DataFrame:
    """Rows whose text does not deny the content that it is similar to."""
    pairs = heard.select("content", "text").unique().sort("text", "content")
    against = [contradicts(text, content) for content, text in pairs.iter_rows()]
    denied = pairs.filter(pl.Series(against, dtype=pl.Boolean))
    return heard.join(denied, on=["content", "text"], how="anti")


def earliest(supporting: pl.DataFrame) -> pl.DataFrame:
    """Of the similar episodes of each fact and conversation the earliest, ties by id."""
    return supporting.sort(*_KEY, "conversation_id", "occurred_at", "source_id").unique(
        [*_KEY, "conversation_id"], keep="first", maintain_order=True
    )
