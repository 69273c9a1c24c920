"""The current view: facts and entities as they stand after evidence and merging."""

from collections.abc import Collection
from typing import NamedTuple

import polars as pl

from cairn.knowledge.consolidation.confidence import history, last_of
from cairn.knowledge.consolidation.decay import strength
from cairn.knowledge.consolidation.support import drawn_from, first_statements, known_from
from cairn.knowledge.consolidation.validity import last_stretches
from cairn.knowledge.dialogue.trust import PERSON, at_most, best
from cairn.knowledge.nlp.text import STOP_WORDS, words
from cairn.knowledge.schema.calendar import undated
from cairn.knowledge.schema.fact_types import decay_rate, info_type, is_event, knowledge_type
from cairn.knowledge.schema.identity import digest_column
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import MEMORY, PIECES, VALID_TIMES

KEYWORDS = 5
_KEY = ["namespace", "fact_id"]
_WINNER = ["namespace", "winner_id"]


class MemoryInput(NamedTuple):
    """What the current view of facts rests on; one frame per table."""

    facts: pl.DataFrame
    fact_sources: pl.DataFrame
    episodes: pl.DataFrame
    entities: pl.DataFrame
    evidence: pl.DataFrame
    confidence_updates: pl.DataFrame
    merges: pl.DataFrame
    pieces: pl.DataFrame = PIECES.empty()
    valid_times: pl.DataFrame = VALID_TIMES.empty()


def memory(grounds: MemoryInput, embedded: Collection[str], policy: Policy) -> pl.DataFrame:
    """MEMORY: each fact with its confidence, status and valid time.

    A fact that took others up has the closed form over the union of their evidence, in which a
    conversation still counts once; a merge itself is no evidence. It has the best trust of them.
    Facts that were taken up keep their own confidence, and point to who took them. `embedded` are
    ids of the facts that have a vector.
    """
    facts = grounds.facts
    taken = _taken_up(grounds.merges)
    united = _united(grounds, taken, policy)
    own = last_of(grounds.confidence_updates).select(
        *_KEY, "confidence", last_event_at="occurred_at"
    )
    counted = _conversations(grounds, taken)
    drawn_from = _drawn_from(facts, grounds.evidence, taken)
    stretches = last_stretches(grounds.valid_times).with_columns(bounded=pl.lit(value=True))
    ingested = _ingested(grounds)
    confirmed = _confirmed(grounds, taken)
    types = grounds.entities.select("namespace", "entity_id", entity_type="type")
    at_first = pl.min_horizontal("base_confidence", at_most(policy))
    return MEMORY.frame(
        facts.drop("derived_from")
        .join(own, on=_KEY, how="left")
        .join(united, on=_KEY, how="left", suffix="_united")
        .join(counted, on=_KEY, how="left")
        .join(drawn_from, on=_KEY, how="left")
        .join(
            taken.select("namespace", "archived_at", fact_id="loser_id", merged_into="winner_id"),
            on=_KEY,
            how="left",
        )
        .join(types, on=["namespace", "entity_id"], how="left")
        .join(stretches, on=_KEY, how="left", suffix="_told")
        .join(ingested, on=_KEY, how="left")
        .join(confirmed, on=_KEY, how="left")
        .with_columns(
            # One without an event yet, as when this alone is made anew, is as it was first said.
            pl.coalesce("confidence_united", "confidence", at_first).alias("confidence"),
            pl.coalesce("last_event_at_united", "last_event_at", "first_seen").alias(
                "last_event_at"
            ),
            pl.coalesce("confirmed", "trust_united", "trust").alias("trust"),
            pl.when("bounded")
            .then("valid_from_told")
            .otherwise(pl.coalesce("valid_from", "first_seen"))
            .alias("valid_from"),
            pl.coalesce("evidence_count", "conversation_count").alias("evidence_count"),
            status=pl.when(pl.col("merged_into").is_not_null())
            .then(pl.lit("merged_into"))
            .when(is_event() | pl.col("fact_id").is_in(list(embedded)))
            .then(pl.lit("active"))
            .otherwise(pl.lit("pending_embed")),
            knowledge_type=knowledge_type(),
            tags=pl.coalesce("own_tags", _tags()),
            decay_per_day=decay_rate(policy),
        )
        .with_columns(info_type=pl.coalesce("own_info_type", info_type()), strength=strength())
    )


def _ingested(grounds: MemoryInput) -> pl.DataFrame:
    """namespace, fact_id, own_info_type, own_tags, embedding_text of what was ingested last."""
    return (
        grounds.pieces.join(grounds.fact_sources, on=["namespace", "candidate_id"])
        .sort(*_KEY, pl.col("occurred_at").fill_null(undated()), "candidate_id")
        .unique(_KEY, keep="last", maintain_order=True)
        .select(
            *_KEY,
            "embedding_text",
            own_info_type="info_type",
            own_tags=pl.when(pl.col("tags").list.len() > 0).then("tags"),
        )
    )


def _taken_up(merges: pl.DataFrame) -> pl.DataFrame:
    """namespace, winner_id, loser_id, archived_at: one row per fact that was taken up."""
    return (
        merges.filter(pl.col("decision").is_in(["auto_merge", "merge"]))
        .select("namespace", "winner_id", loser_id="loser_ids", archived_at="decided_at")
        .explode("loser_id")
        .with_columns(pl.col("archived_at").fill_null(undated()))
        .unique(["namespace", "loser_id"], keep="first", maintain_order=True)
    )


def _members(facts: pl.DataFrame, taken: pl.DataFrame) -> pl.DataFrame:
    """namespace, winner_id, fact_id: every fact and who stands for it, itself if nobody."""
    return facts.select(_KEY).join(
        taken.select("namespace", "winner_id", fact_id="loser_id"), on=_KEY, how="left"
    ).with_columns(winner_id=pl.coalesce("winner_id", "fact_id"))  # fmt: skip


def _united(grounds: MemoryInput, taken: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """namespace, fact_id, confidence, last_event_at, valid_from, trust of what merging touches.

    Those that took others up; and those that something taken up denies, which denies them once.
    """
    members = _members(grounds.facts, taken)
    denied = (
        grounds.evidence.filter(kind="contradiction")
        .join(taken.select("namespace", source_id="loser_id"), on=["namespace", "source_id"])
        .select(_KEY)
        .join(members, on=_KEY)
    )
    touched = pl.concat([taken.select(_WINNER), denied.select(_WINNER)]).unique()
    united = members.join(touched, on=_WINNER, how="semi")
    first = (
        united.join(
            first_statements(grounds.fact_sources).filter(place=0).drop("place"),
            on=_KEY,
            how="left",
        )
        .join(
            grounds.facts.select(
                *_KEY, "first_seen", "base_confidence", "predicate", "content", "extractor", "trust"
            ),
            on=_KEY,
        )
        .with_columns(occurred_at=pl.coalesce("occurred_at", "first_seen").fill_null(undated()))
        .sort(*_WINNER, "occurred_at", "fact_id")
        .with_columns(
            place=pl.int_range(pl.len()).over(_WINNER),
            # As within one fact: the highest base of the first conversation.
            base=pl.col("base_confidence")
            .filter(pl.col("conversation_id").eq_missing(pl.col("conversation_id").first()))
            .max()
            .over(_WINNER),
            # The one that stays says how fast all of it fades.
            decay_per_day=decay_rate(policy)
            .filter(pl.col("fact_id") == pl.col("winner_id"))
            .max()
            .over(_WINNER),
            trust=best().over(_WINNER),
        )
    )
    leading = first.filter(place=0)
    # The first source of every other member is a statement of the same thing, if it is one.
    drawn = drawn_from(grounds.facts, grounds.episodes)
    stated = first.join(drawn, on=[*_KEY, "conversation_id"], how="anti")
    restated = stated.filter(pl.col("place") > 0).select(
        *_WINNER,
        "conversation_id",
        "occurred_at",
        kind=pl.lit("restatement"),
        source_id="record_id",
        weight=pl.lit(None, pl.Float64),
        evidence_id=digest_column("fact_id", pl.lit("first"), prefix="v_"),
    )
    given = (
        grounds.evidence.join(united, on=_KEY)
        .join(
            members.select("namespace", source_id="fact_id", against="winner_id"),
            on=["namespace", "source_id"],
            how="left",
        )
        .select(
            *_WINNER,
            "conversation_id",
            "kind",
            "weight",
            "evidence_id",
            pl.col("occurred_at").fill_null(undated()),
            pl.coalesce("against", "source_id").alias("source_id"),
        )
    )
    events = pl.concat([given, restated], how="diagonal_relaxed").sort(
        *_WINNER, "occurred_at", pl.col("kind") != "restatement", "evidence_id"
    )
    supports = (
        events.filter(pl.col("kind").is_in(["restatement", "episode"]))
        .join(leading, on=[*_WINNER, "conversation_id"], how="anti")
        .unique([*_WINNER, "conversation_id"], keep="first", maintain_order=True)
    )
    denials = events.filter(kind="contradiction").unique(
        [*_WINNER, "source_id"], keep="first", maintain_order=True
    )
    union = pl.concat([supports, denials, events.filter(kind="feedback")])
    start = leading.select(
        "namespace", "occurred_at", "decay_per_day", fact_id="winner_id", confidence="base",
        at_most=at_most(policy),
    )  # fmt: skip
    return (
        last_of(history(start, union.rename({"winner_id": "fact_id"}), policy))
        .select(*_KEY, "confidence", last_event_at="occurred_at")
        .join(leading.select("namespace", "first_seen", "trust", fact_id="winner_id"), on=_KEY)
        .rename({"first_seen": "valid_from"})
    )


def _confirmed(grounds: MemoryInput, taken: pl.DataFrame) -> pl.DataFrame:
    """namespace, fact_id, confirmed: what a person said is so, and what took it up."""
    said = grounds.evidence.filter(pl.col("kind") == "feedback", pl.col("weight") > 0).select(_KEY)
    stands = _members(grounds.facts, taken).join(said, on=_KEY)
    onward = stands.select("namespace", fact_id="winner_id")
    return pl.concat([said, onward]).unique().with_columns(confirmed=pl.lit(PERSON))


def _conversations(grounds: MemoryInput, taken: pl.DataFrame) -> pl.DataFrame:
    """namespace, fact_id, evidence_count: conversations that state or support a fact."""
    members = _members(grounds.facts, taken)
    heard = pl.concat(
        [
            known_from(grounds.fact_sources, grounds.facts, grounds.episodes),
            grounds.evidence.filter(pl.col("kind").is_in(["restatement", "episode"])).select(
                *_KEY, "conversation_id"
            ),
        ]
    ).drop_nulls("conversation_id")
    both = pl.concat(
        [
            heard,
            # What was taken up counts for itself, and for who took it.
            heard.join(members, on=_KEY)
            .filter(pl.col("winner_id") != pl.col("fact_id"))
            .select("namespace", "conversation_id", fact_id="winner_id")
            .select(heard.columns),
        ]
    )
    return (
        both.group_by(_KEY)
        .agg(evidence_count=pl.col("conversation_id").n_unique())
        .with_columns(pl.col("evidence_count").cast(pl.Int64))
    )


def _drawn_from(facts: pl.DataFrame, evidence: pl.DataFrame, taken: pl.DataFrame) -> pl.DataFrame:
    """namespace, fact_id, derived_from: with supporting episodes and facts that were taken up."""
    own = pl.concat(
        [
            facts.select(*_KEY, source="derived_from").explode("source"),
            evidence.filter(kind="episode").select(*_KEY, source="source_id"),
        ]
    )
    passed_on = own.join(
        taken.select("namespace", "winner_id", fact_id="loser_id"), on=_KEY
    ).select("namespace", "source", fact_id="winner_id")
    losers = taken.select("namespace", source="loser_id", fact_id="winner_id")
    every = [frame.select(*_KEY, "source") for frame in (own, passed_on, losers)]
    grouped = (
        pl.concat(every)
        .drop_nulls("source")
        .unique()
        .sort(*_KEY, "source")
        .group_by(_KEY, maintain_order=True)
        .agg(derived_from="source")
    )
    return (
        facts.select(_KEY)
        .join(grouped, on=_KEY, how="left")
        .with_columns(pl.col("derived_from").fill_null([]))
    )


def _tags() -> pl.Expr:
    """Predicate, type of the entity, and the first keywords of what is said in sentences."""
    keywords = (
        pl.when(is_event())
        .then(pl.lit(""))
        .otherwise("object")
        .map_batches(_keywords, return_dtype=pl.List(pl.String))
    )
    return (
        pl.concat_list("predicate", "entity_type", keywords)
        .list.drop_nulls()
        .list.unique(maintain_order=True)
    )


def _keywords(texts: pl.Series) -> pl.Series:
    return pl.Series(
        texts.name,
        [
            list(
                dict.fromkeys(
                    word
                    for word in words(text)
                    if len(word) > 2 and word not in STOP_WORDS and not word.isdigit()
                )
            )[:KEYWORDS]
            for text in texts.to_list()
        ],
        dtype=pl.List(pl.String),
    )
