"""Facts: equal statements about an entity, united over all their sources."""

from typing import NamedTuple

import polars as pl

from cairn.knowledge.dialogue.trust import best, whose_word
from cairn.knowledge.engine.diff import Change
from cairn.knowledge.nlp.names import canonical_column, canonical_object
from cairn.knowledge.nlp.text import words
from cairn.knowledge.schema.identity import digest_column
from cairn.knowledge.schema.predicates import (
    ATTITUDES,
    EVENT_PREDICATES,
    FREE_STATEMENTS,
    PROVABLE_PREDICATES,
)
from cairn.knowledge.schema.tables import FACT_SOURCES, FACTS

_ENTITY = ["namespace", "entity_id"]
_FACT = ["namespace", "fact_id"]
_CANDIDATE = ["namespace", "candidate_id"]
_WRITTEN = ["namespace", "entity_name", "entity_type"]
_SOURCES_KEPT = 20

FEWEST_PLACES = 2
"""Conversations, and days, that an event is seen in before it counts as knowledge."""


class FactTables(NamedTuple):
    """The tables `facts` and `fact_sources`."""

    facts: pl.DataFrame
    fact_sources: pl.DataFrame


def statements(candidates: pl.DataFrame, entities: pl.DataFrame) -> pl.DataFrame:
    """Fact candidates about known entities: one row per candidate and entity.

    A free statement is about its own subject and about each topic among `entities` whose name
    stands in it as whole words; so what is said of a topic never depends on the other topics.
    `entities` has namespace, entity_id, name (canonical) and type.

    Returns:
        Columns of `candidates`, entity_id and canonical_object; without empty objects.
    """
    known = entities.select(*_ENTITY, "name", "type")
    said = candidates.filter(pl.col("kind") != "entity")
    named = (
        said.select(_WRITTEN)
        .unique()
        .with_columns(
            type=pl.col("entity_type"), name=canonical_column("entity_name", "entity_type")
        )
        .join(known, on=["namespace", "type", "name"])
    )
    own = said.join(named, on=_WRITTEN)
    columns = [*said.columns, "entity_id"]
    about = pl.concat([own.select(columns), _about_topics(said, known).select(columns)])
    return (
        about.unique([*_ENTITY, "candidate_id"], keep="first", maintain_order=True)
        .with_columns(canonical_object=canonical_object())
        .filter(
            pl.col("canonical_object").str.contains(r"[\p{L}\p{N}]"),
            ~pl.col("object").str.contains(r"^\W*(?:\[redacted:[^\]]*\]\W*)+$"),
        )
    )


def _about_topics(said: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """Free statements, once for each topic that they name."""
    topics = known.filter(pl.col("type") == "topic").select(*_ENTITY, "name")
    topics = topics.with_columns(spelled=_spelled("name")).filter(pl.col("spelled") != "")
    free = said.filter(pl.col("predicate").is_in(FREE_STATEMENTS))
    if topics.is_empty() or free.is_empty():
        return said.clear().with_columns(entity_id=pl.lit(None, pl.String))
    patterns = topics["spelled"].unique().implode()
    named = (
        free.select("object")
        .unique()
        .with_columns(
            spelled=_spelled("object").str.extract_many(patterns.first(), overlapping=True)
        )
        .explode("spelled", empty_as_null=False)
        .unique()
    )
    # Who likes tea more than coffee says something about coffee, too, but does not like it.
    states = pl.col("predicate").replace(dict.fromkeys(ATTITUDES.values(), "states"))
    return (
        free.with_columns(states).join(named, on="object").join(topics, on=["namespace", "spelled"])
    )


def _spelled(column: str) -> pl.Expr:
    """Words of a text, each between spaces of its own, so that only whole words match."""

    def spelled(texts: pl.Series) -> pl.Series:
        rows = ("".join(f" {word} " for word in words(text)) for text in texts.to_list())
        return pl.Series(texts.name, list(rows), dtype=pl.String)

    return pl.col(column).map_batches(spelled, return_dtype=pl.String)


def facts(candidates: pl.DataFrame, entities: pl.DataFrame) -> FactTables:
    """Facts about `entities`: equal statements united, every source kept.

    Args:
        candidates: Columns of the table `candidates`, and derived_from: what each was drawn from
            beside its record.
        entities: Columns namespace, entity_id, name (canonical) and type.
    """
    sources = _sources(candidates, entities)
    return FactTables(FACTS.frame(_united(sources)), FACT_SOURCES.frame(sources))


def facts_after(
    changed: Change,
    known: Change,
    stored: FactTables,
    candidates: pl.DataFrame,
    entities: pl.DataFrame,
) -> FactTables:
    """`facts(candidates, entities)`, made of what was stored before a change.

    What a candidate says of an entity depends on these two alone. So statements are read in the
    candidates that came and, for entities that came, in all; only facts that won or lost a source
    are united anew. `changed` candidates and `known` entities came or went; `stored` is what was
    there before.
    """
    appeared = entities.join(known.come.join(known.gone, on=_ENTITY, how="anti"), on=_ENTITY,
                             how="semi")  # fmt: skip
    vanished = known.gone.join(known.come, on=_ENTITY, how="anti")
    alive = stored.facts.join(vanished, on=_ENTITY, how="anti")
    sources = stored.fact_sources.join(alive.select(*_FACT, "entity_id"), on=_FACT)
    kept = sources.join(changed.rows, on=_CANDIDATE, how="anti")
    fresh = pl.concat(
        [
            _sources(candidates.join(changed.come, on=_CANDIDATE, how="semi"), entities),
            _sources(candidates.join(changed.come, on=_CANDIDATE, how="anti"), appeared),
        ]
    )
    lost = sources.join(changed.rows, on=_CANDIDATE, how="semi")
    touched = pl.concat([frame.select(_FACT) for frame in (fresh, lost)]).unique()
    again = kept.join(touched, on=_FACT, how="semi").select(*_CANDIDATE, "fact_id", "entity_id")
    columns = [*candidates.columns, "fact_id", "entity_id"]
    united = _united(
        pl.concat([candidates.join(again, on=_CANDIDATE).select(columns), fresh.select(columns)])
    )
    others = alive.join(touched, on=_FACT, how="anti")
    return FactTables(
        FACTS.frame(pl.concat([others, FACTS.frame(united)])),
        FACT_SOURCES.frame(pl.concat([FACT_SOURCES.frame(kept), FACT_SOURCES.frame(fresh)])),
    )


def _sources(candidates: pl.DataFrame, entities: pl.DataFrame) -> pl.DataFrame:
    """Statements with the fact that each is a source of."""
    return statements(candidates, entities).with_columns(
        fact_id=digest_column(*_ENTITY, "predicate", "canonical_object", prefix="f_")
    )


def _proven() -> pl.Expr:
    """Whether a statement came back: in two conversations, on two days, passing in neither."""
    lasting = ~pl.col("passing").fill_null(value=True)  # null where nobody looked
    places = pl.col("conversation_id").filter(lasting).n_unique()
    days = pl.col("occurred_at").dt.date().filter(lasting).drop_nulls().n_unique()
    provable = pl.col("predicate").first().is_in(PROVABLE_PREDICATES)
    return provable & (pl.min_horizontal(places, days) >= FEWEST_PLACES)


def counted(sources: pl.DataFrame) -> pl.DataFrame:
    """What changes of a fact as it is said again, by those of its sources that are given.

    Args:
        sources: namespace, fact_id, predicate of the fact, and of CANDIDATES record_id,
            conversation_id, occurred_at, passing, origin, mode, trust, object and content.

    Returns:
        namespace, fact_id, source_count, conversation_count, last_seen, trust, event, object,
        content.
    """
    counts = (
        sources.with_columns(trust=whose_word())
        .group_by(_FACT)
        .agg(
            best(),
            source_count=pl.col("record_id").n_unique(),
            conversation_count=pl.col("conversation_id").n_unique(),
            last_seen=pl.col("occurred_at").max(),
            event=pl.col("predicate").first().is_in(EVENT_PREDICATES) & ~_proven(),
        )
    )
    written = (
        sources.group_by(*_FACT, "object", "content")
        .len()
        .sort("len", "object", "content", descending=[True, False, False])
        .unique(_FACT, keep="first", maintain_order=True)
        .drop("len")
    )
    return counts.join(written, on=_FACT)


def _united(sources: pl.DataFrame) -> pl.DataFrame:
    """One row per fact of some sources, of which none may be missing.

    What differs among sources is decided by counting, never by their order: the form as written
    most often (then the smallest); first and last by time, then by record_id. The base confidence
    is the highest in the conversation of the first source.
    """
    by_time = sources.sort(*_FACT, "occurred_at", "record_id", "candidate_id", nulls_last=True)
    records = pl.col("record_id").unique(maintain_order=True)
    in_first = pl.col("conversation_id") == pl.col("conversation_id").first()
    united = by_time.group_by(_FACT, maintain_order=True).agg(
        pl.col("entity_id", "predicate", "extractor").first(),
        pl.col("confidence").filter(in_first).max().alias("base_confidence"),
        pl.col("occurred_at").min().alias("first_seen"),
        records.head(_SOURCES_KEPT).alias("source_record_ids"),
    )
    drawn = (
        sources.select(*_FACT, "derived_from")
        .explode("derived_from", empty_as_null=False)
        .unique()
        .sort(*_FACT, "derived_from")
        .group_by(_FACT, maintain_order=True)
        .agg("derived_from")
    )
    return (
        united.join(counted(sources), on=_FACT)
        .join(drawn, on=_FACT, how="left")
        .with_columns(pl.col("derived_from").fill_null([]))
    )
