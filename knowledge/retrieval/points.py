"""Points of the vector index: what free search can find."""

import polars as pl

from cairn.knowledge.consolidation.decay import FOR_EVER
from cairn.knowledge.consolidation.embeddings import entity_texts, learning_text, with_vector
from cairn.knowledge.llm.prompt_injection import unmarked
from cairn.knowledge.retrieval.context_vectors import fact_vectors, turn_vectors
from cairn.knowledge.schema.fact_types import is_event
from cairn.knowledge.schema.policy import Policy

LONGEST_TITLE, LONGEST_BESIDE = 120, 300
"""Characters of the first request of a conversation, and of what was said beside an episode, that
it is found by too."""

TITLE, BEFORE, AFTER, DATE = 0.5, (0.5, 0.3, 0.2, 0.1), 0.1, 0.3
"""What words beside an episode weigh: of how its conversation began, of the episodes before it, the
last one first, of the next one, and of its day. One with an agent's answer says more by itself:
but for the last one, what is around it has no weight."""
PASSAGE_OF = "#"
"""What stands in the id of a point between an episode and the place of a passage of it."""
ANSWERS = 1.0
"""What words weigh of a question of somebody else, right before it."""


def points(
    memory: pl.DataFrame,
    memory_entities: pl.DataFrame,
    episodes: pl.DataFrame,
    learnings: pl.DataFrame,
    embeddings: pl.DataFrame,
    fact_sources: pl.DataFrame,
    conversations: pl.DataFrame,
    *,
    policy: Policy,
) -> pl.DataFrame:
    """Facts, entities, episodes and learnings of one namespace, with what filters need.

    `first_day` and `day` are those of its first and its last event, `sources` the adapters of the
    conversations that it comes from.
    `context` is searched by words beside `text`: the entity of a fact, the tags of a learning, the
    project of an episode. `beside` has texts with what their words weigh: what was said around an
    episode, so that "is it treatable?" is found by what "it" was, and the words of its day.
    `names` has who said it, or whom a fact is about.
    Events are left out. What has no vector yet is found by its words. A fact that is to
    be searched by another text than its own has the vector of that, and its words beside its own.
    Vectors are drawn towards what stands around a text (`context_vectors`).
    """
    lasting = pl.col("decay_per_day") == policy.lasting_decay_per_day
    names = entity_texts(memory_entities)
    contexts = names.rename({"text": "context"})
    heard = conversations.select("namespace", "conversation_id", sources=pl.concat_list("source"))
    stated = (
        fact_sources.select("namespace", "fact_id", "conversation_id")
        .unique()
        .join(heard.explode("sources"), on=["namespace", "conversation_id"])
        .group_by("namespace", "fact_id")
        .agg(pl.col("sources").unique().sort())
    )
    facts = (
        memory.filter(~is_event())
        .join(contexts, on=["namespace", "entity_id"], how="left")
        .join(stated, on=["namespace", "fact_id"], how="left")
        .with_columns(
            context=pl.concat_str("context", "embedding_text", separator=" ", ignore_nulls=True)
        )
        .select(
            "namespace", "sources", "status", "confidence",
            _strength(~lasting).alias("strength"),
            _strength(lasting).alias("lasting_strength"),
            "valid_from", "valid_to",
            "last_event_at", "entity_id", "predicate", "knowledge_type", "info_type", "tags",
            "context", "embedding_text",
            pl.col("fact_id").alias("id"),
            pl.lit("fact").alias("kind"),
            pl.col("content").alias("text"),
            _day("first_seen").alias("first_day"),
            _day("last_event_at").alias("day"),
        )
    )  # fmt: skip
    entities = memory_entities.join(names, on=["namespace", "entity_id"]).select(
        "namespace", "entity_id", "confidence",
        pl.col("entity_id").alias("id"),
        pl.lit("entity").alias("kind"),
        "text",
        pl.concat_str("type", pl.col("aliases").list.join(" "), separator=" ").alias("context"),
        pl.col("last_seen").alias("last_event_at"),
        _day("first_seen").alias("first_day"),
        _day("last_seen").alias("day"),
    )  # fmt: skip
    placed = (
        episodes.with_columns(beside=_beside(), context="project")
        .filter(pl.col("text") != "")
        .join(heard, on=["namespace", "conversation_id"], how="left")
    )
    told = placed.select(
        "namespace", "sources", "conversation_id",
        pl.col("day").alias("first_day"),
        pl.coalesce(_day("ended_at"), "day").alias("day"),
        pl.col("episode_id").alias("id"),
        pl.lit("episode").alias("kind"),
        "text", "context", "beside", "passages",
        pl.concat_list("speaker").list.drop_nulls().alias("names"),
        pl.col("ended_at").alias("last_event_at"),
    )  # fmt: skip
    further, told = _passages(told), told.drop("passages")
    lessons = learnings.join(heard, on=["namespace", "conversation_id"], how="left").select(
        "namespace", "sources", "category", "confidence", "conversation_id", "tags",
        pl.col("learning_id").alias("id"),
        pl.lit("learning").alias("kind"),
        learning_text().alias("text"),
        pl.col("tags").list.join(" ").alias("context"),
        pl.col("created_at").alias("last_event_at"),
        _day("created_at").alias("first_day"),
        _day("created_at").alias("day"),
    )  # fmt: skip
    together = pl.concat([facts, entities, told, further, lessons], how="diagonal_relaxed")
    searched = pl.coalesce("embedding_text", "text")
    named = memory_entities.join(names, on=["namespace", "entity_id"])
    drawn = pl.concat([turn_vectors(episodes, embeddings), fact_vectors(memory, named, embeddings)])
    return (
        with_vector(together, searched, embeddings)
        .join(drawn, on=["namespace", "id"], how="left", suffix="_drawn")
        .with_columns(vector=pl.coalesce("vector_drawn", "vector"))
        .drop("vector_drawn", "embedding_text")
        .sort("kind", "id")
    )


def _passages(episodes: pl.DataFrame) -> pl.DataFrame:
    """A point for each passage of long episodes: as theirs, found by the end of their beginning."""
    beginning = pl.col("text").str.slice(-LONGEST_BESIDE)
    return (
        episodes.filter(pl.col("passages").list.len() > 0)
        .with_columns(
            beside=pl.concat_list(_weighed(beginning, BEFORE[0])),
            names=pl.lit([], dtype=pl.List(pl.String)),
            text="passages",
            place=pl.int_ranges(1, pl.col("passages").list.len() + 1),
        )
        .explode("text", "place")
        .with_columns(id=passage_id(pl.col("id"), pl.col("place")))
        .drop("passages", "place")
    )


def passage_id(episode_id: pl.Expr, place: pl.Expr) -> pl.Expr:
    """The id of the point of a passage of an episode; places begin at 1."""
    return pl.concat_str(episode_id, place, separator=PASSAGE_OF)


def episode_of(id_: str) -> tuple[str, int]:
    """The episode of a point, and the place of its passage; 0 for the text of the episode."""
    episode_id, _, place = id_.partition(PASSAGE_OF)
    return episode_id, int(place or 0)


def _strength(of: pl.Expr) -> pl.Expr:
    """Strength of facts that fade by one rate; without end for all others."""
    return pl.when(of).then("strength").otherwise(FOR_EVER)


def _day(time: str) -> pl.Expr:
    return pl.col(time).dt.strftime("%Y-%m-%d")


def _beside() -> pl.Expr:
    """Texts by which an episode is found beside its own, each with what its words weigh."""

    def of_talk(text: pl.Expr) -> pl.Expr:
        return text.over("namespace", "conversation_id", order_by="seq")

    title = of_talk(unmarked(pl.col("request")).str.slice(0, LONGEST_TITLE).first())
    asks = pl.col("text").shift(1).str.contains("[?？]") & (
        pl.col("speaker").shift(1) != pl.col("speaker")
    )
    last = pl.when(of_talk(asks)).then(ANSWERS).otherwise(BEFORE[0])
    before = [
        _weighed(of_talk(pl.col("text").shift(place)).str.slice(-LONGEST_BESIDE), weight)
        for place, weight in enumerate((last, *BEFORE[1:]), 1)
    ]
    after = _weighed(of_talk(pl.col("text").shift(-1)).str.slice(0, LONGEST_BESIDE), AFTER)
    alone = pl.col("answer") == ""
    return pl.concat_list(
        _weighed(pl.when(pl.col("seq") > 1).then(title), TITLE),
        before[0],
        *(pl.when(alone).then(each) for each in (*before[1:], after)),
        _weighed(pl.col("started_at").dt.strftime("%-d %B %Y %A"), DATE),
    ).list.filter(pl.element().struct.field("text").fill_null("") != "")


def _weighed(text: pl.Expr, weight: pl.Expr | float) -> pl.Expr:
    each = weight if isinstance(weight, pl.Expr) else pl.lit(weight)
    return pl.struct(text.fill_null("").alias("text"), each.cast(pl.Float64).alias("weight"))
