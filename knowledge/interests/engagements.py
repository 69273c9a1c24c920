"""Engagements: each sign of interest that a person gave, with what it is worth.

The values are those of the interest graph's contract; docs/interests.md lists them. Only what a
person set off engages: the system's own searches never do.
"""

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from cairn.knowledge.extraction.attitudes import SPOKEN, STRENGTHS, attitudes
from cairn.knowledge.extraction.searches import SearchCommand, commands
from cairn.knowledge.interests.mentions import called, named_in
from cairn.knowledge.interests.preferences import preferences
from cairn.knowledge.nlp.names import canonical_column
from cairn.knowledge.resolution.canonical import with_canonical
from cairn.knowledge.schema.identity import digest_column
from cairn.knowledge.schema.predicates import BY_PERSON
from cairn.knowledge.schema.tables import ENGAGEMENTS, PREFERENCES
from cairn.knowledge.vectors.model import Embedder

LEARN, SEARCH, FOLLOW_UP, MENTION = 1.0, 0.6, 0.5, 0.2
"""Strengths of what a person does about something, always in its favour."""

READ = (
    (pl.col("kind").is_in([*SPOKEN, "command", "reaction", "search"]) & BY_PERSON)
    | ((pl.col("kind") == "message") & pl.col("source").is_in(["inbox", "chat"]))
    | (pl.col("trigger") == "learn_command").fill_null(value=False)
)
"""Rows of RAW_LOGS that engagements rest on: what people do, what they react to, and what a learn
command found. What an agent says in a session of work cannot be reacted to."""

COLUMNS = (
    "name", "namespace", "record_id", "native_id", "conversation_id", "seq", "source", "kind",
    "origin", "trigger", "text", "tool_input", "reply_to", "proactive", "occurred_at",
)  # fmt: skip
"""Columns of RAW_LOGS that are read."""

_ROW = ["namespace", "record_id", "occurred_at"]
_SIGN = [*_ROW, "source", "engagement_type", "strength", "entity_id"]
_QUESTION = r"\?[^\w\s]*(?:\s|$)|[？؟]"
"""An address may have a mark within."""


class Engaged(NamedTuple):
    """The tables `engagements` and `preferences`."""

    engagements: pl.DataFrame
    preferences: pl.DataFrame


def engagements(
    raw_logs: pl.DataFrame,
    read: pl.DataFrame,
    entities: pl.DataFrame,
    facts: pl.DataFrame,
    fact_sources: pl.DataFrame,
    entity_merges: pl.DataFrame,
    embedder: Embedder,
) -> Engaged:
    """What people engaged with, and what they like and dislike.

    Of RAW_LOGS those that are READ count; `read` are candidates that are READ_BY_MODEL. A like is
    taken back by any name of what is liked.
    """
    said = raw_logs.filter(BY_PERSON)
    reactions = said.filter(kind="reaction")
    answered = raw_logs.filter(kind="message").join(
        reactions.select("namespace", native_id="reply_to"),
        on=["namespace", "native_id"],
        how="semi",
    )
    spoken = said.filter(pl.col("kind").is_in([*SPOKEN, "search"]))
    texts = pl.concat([answered, spoken]).unique(["namespace", "record_id"])
    named = named_in(texts, entities)
    signs = _of_things(attitudes(raw_logs, named, entities, read), entities, entity_merges)
    held = preferences(signs, embedder)
    preferred = _preferred(held.signs)
    asked = commands(said)
    learnt, scheduled = (
        _asked_for([one for one in asked if one.verb == verb], said, entities)
        for verb in ("learn", "schedule")
    )
    done = pl.concat(
        [
            _as(learnt, "learn", LEARN),
            _found(raw_logs, facts, fact_sources, learnt),
            _as(scheduled, "search", SEARCH),
            _searched(said, named),
            _spoken(said, named, _stated(held.signs, entities)),
        ]
    ).with_columns(
        valence=pl.lit(1, pl.Int64),
        preference_id=pl.lit(None, pl.String),
        cancelled_at=pl.lit(None, preferred.schema["cancelled_at"]),
    )
    rows = pl.concat([preferred, done.select(preferred.columns)]).with_columns(
        engagement_id=digest_column(
            "namespace", "engagement_type", "record_id", "entity_id", "preference_id", prefix="g_"
        )
    )
    return Engaged(
        ENGAGEMENTS.frame(rows.unique(["namespace", "engagement_id"])),
        PREFERENCES.frame(held.preferences),
    )


def _of_things(
    signs: pl.DataFrame, entities: pl.DataFrame, entity_merges: pl.DataFrame
) -> pl.DataFrame:
    """Signs with `thing`: the entity that alone has their name, under whatever others; or it."""
    known = with_canonical(called(signs.drop_nulls("name"), entities), entity_merges)
    alone = (
        known.group_by("namespace", "name")
        .agg(thing=pl.col("canonical_id").unique())
        .filter(pl.col("thing").list.len() == 1)
        .with_columns(pl.col("thing").list.first())
    )
    return signs.join(alone, on=["namespace", "name"], how="left").with_columns(
        thing=pl.coalesce("thing", "name")
    )


def _preferred(signs: pl.DataFrame) -> pl.DataFrame:
    """What was said for and against things; by commands and statements only their name is known."""
    strength = pl.struct("said_in", "valence").map_elements(
        lambda of: STRENGTHS[of["said_in"], of["valence"]], return_dtype=pl.Float64
    )
    kind = pl.when(said_in="command").then("act").otherwise("said_in")
    return signs.select(
        *_ROW,
        "source",
        "entity_id",
        "preference_id",
        "valence",
        engagement_type=kind,
        strength=strength,
        cancelled_at="ended_at",
    )


def _stated(signs: pl.DataFrame, entities: pl.DataFrame) -> pl.DataFrame:
    """namespace, record_id, entity_id: entities that a statement of the record is about.

    Or that a dislike names on its way: who hates the smell of sourdough says nothing for it.
    """
    stated = signs.filter(said_in="statement").select(*_ROW, "name", "valence", text="topic")
    about = stated.join(called(stated, entities), on=["namespace", "name"])
    against = named_in(stated.filter(pl.col("valence") < 0), entities)
    return pl.concat([about.select(against.columns), against]).unique()


def _asked_for(
    asked: Sequence[SearchCommand], said: pl.DataFrame, entities: pl.DataFrame
) -> pl.DataFrame:
    """Rows of commands that ask for searches, with entity_id: that of the topic that they name."""
    if not asked:
        return said.clear().with_columns(entity_id=pl.lit(None, pl.String))
    topics = pl.DataFrame(
        [(one.namespace, one.id, one.topic) for one in asked],
        schema=dict.fromkeys(("namespace", "record_id", "topic"), pl.String),
        orient="row",
    ).with_columns(name=canonical_column("topic", pl.lit("topic")))
    return (
        topics.join(called(topics, entities), on=["namespace", "name"])
        .select("namespace", "record_id", "entity_id")
        .join(said, on=["namespace", "record_id"])
    )


def _found(
    raw_logs: pl.DataFrame, facts: pl.DataFrame, fact_sources: pl.DataFrame, learnt: pl.DataFrame
) -> pl.DataFrame:
    """Entities found through a learn prompt: prompt → searches → facts → entities, each once.

    What the prompt itself names is `learnt` by it, and not found too.
    """
    prompt = pl.col("tool_input").str.json_path_match("$.learn_prompt_id")
    looked_up = raw_logs.filter(
        pl.col("trigger") == "learn_command", pl.col("kind").is_in(["search", "tool_result"])
    ).with_columns(prompt=pl.coalesce(prompt, "record_id"))
    if looked_up.is_empty():
        return _as(learnt.clear(), "learn", LEARN)
    first = ["namespace", "prompt", "entity_id"]
    of_itself = pl.concat(
        learnt.select("namespace", "entity_id", prompt=id_) for id_ in ("record_id", "native_id")
    )
    found = (
        looked_up.join(
            fact_sources.select("namespace", "record_id", "fact_id"), on=["namespace", "record_id"]
        )
        .join(facts.select("namespace", "fact_id", "entity_id"), on=["namespace", "fact_id"])
        .join(of_itself, on=first, how="anti")
        .sort("occurred_at", "record_id", nulls_last=True)
        .unique(first, keep="first", maintain_order=True)
    )
    return _as(found, "learn", LEARN)


def _searched(said: pl.DataFrame, named: pl.DataFrame) -> pl.DataFrame:
    """Searches that a person made; those of a learn command count by what they found."""
    own = said.filter(kind="search", trigger="user_message")
    return _as(own.join(named, on=["namespace", "record_id"]), "search", SEARCH)


def _spoken(said: pl.DataFrame, named: pl.DataFrame, stated: pl.DataFrame) -> pl.DataFrame:
    """Follow-up questions and mentions in passing: one of them for what a message names.

    A follow-up asks about what the person named before in the conversation; a question that names
    nothing follows up what the message before it named. What a message states a view of is neither.
    """
    here = ["namespace", "conversation_id"]
    messages = (
        said.filter(pl.col("kind").is_in(SPOKEN))
        .sort(*here, "seq", "record_id")
        .with_columns(
            asks=pl.col("text").str.contains(_QUESTION),
            before=pl.col("record_id").shift().over(here),
        )
    )
    naming = messages.join(named, on=["namespace", "record_id"])
    first = pl.col("seq").min().over(*here, "entity_id")
    about = naming.with_columns(again=pl.col("asks") & (pl.col("seq") > first))
    bare = messages.filter("asks").join(named, on=["namespace", "record_id"], how="anti")
    of_before = named.select("namespace", "entity_id", before="record_id")
    followed = bare.join(of_before, on=["namespace", "before"]).with_columns(
        again=pl.lit(value=True)
    )
    every = pl.concat([about, followed.select(about.columns)]).join(
        stated, on=["namespace", "record_id", "entity_id"], how="anti"
    )
    return pl.concat(
        [
            _as(every.filter("again"), "follow_up", FOLLOW_UP),
            _as(every.filter(~pl.col("again")), "mention", MENTION),
        ]
    )


def _as(rows: pl.DataFrame, engagement_type: str, strength: float) -> pl.DataFrame:
    return rows.with_columns(
        source="kind", engagement_type=pl.lit(engagement_type), strength=pl.lit(strength)
    ).select(_SIGN)
