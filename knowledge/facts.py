"""Facts: equal statements about an entity, united over all their sources."""

from typing import NamedTuple

import polars as pl

from knowledge.identity import digest_column
from knowledge.names import canonical_column
from knowledge.tables import FACT_SOURCES, FACTS
from knowledge.text import words

OBJECT_TYPES = {
    "used_tool": "tool",
    "connects_to_host": "host",
    "mentions_path": "path",
    "targets_system": "system",
}
"""Predicates whose object is a name, with its type."""

FREE_STATEMENTS = frozenset({"states", "discovery", "provides_solution", "identifies_issue"})
"""Predicates whose object is a sentence: about its subject, and about every topic it names."""

_ENTITY = ["namespace", "entity_id"]
_FACT = ["namespace", "fact_id"]
_SOURCES_KEPT = 20


class Facts(NamedTuple):
    """The tables `facts` and `fact_sources`."""

    facts: pl.DataFrame
    fact_sources: pl.DataFrame


def canonical_object(predicate: str = "predicate", value: str = "object") -> pl.Expr:
    """The form by which two objects of a predicate are the same.

    Objects that are entities take the canonical name of their type; a command keeps its case, its
    white space collapsed; any other text is put in lower case, without punctuation at its end.
    """
    said = pl.col(predicate)
    collapsed = pl.col(value).str.normalize("NFKC").str.replace_all(r"\s+", " ").str.strip_chars()
    plain = collapsed.str.to_lowercase().str.strip_chars_end(" .,;:!?…")
    typed = said.replace_strict(OBJECT_TYPES, default=None, return_dtype=pl.String)
    return (
        pl.when(typed.is_not_null())
        .then(canonical_column(value, typed.fill_null("topic")))
        .when(said == "executed_command")
        .then(collapsed)
        .otherwise(plain)
    )


def statements(candidates: pl.DataFrame, entities: pl.DataFrame) -> pl.DataFrame:
    """Fact candidates about known entities: one row per candidate and entity.

    A free statement is about its own subject and about each topic among `entities` whose name
    stands in it as whole words; so what is said of a topic never depends on the other topics.

    Args:
        candidates: The table `candidates`.
        entities: Columns namespace, entity_id, name (canonical) and type.

    Returns:
        Columns of `candidates`, entity_id and canonical_object; without empty objects.
    """
    known = entities.select(*_ENTITY, "name", "type")
    found = candidates.filter(pl.col("kind") != "entity").with_columns(
        canonical_object=canonical_object()
    )
    found = found.filter(
        pl.col("canonical_object").str.contains(r"[\p{L}\p{N}]")
        & ~pl.col("object").str.contains(r"^\W*(?:\[redacted:[^\]]*\]\W*)+$")
    )
    own = found.with_columns(
        type=pl.col("entity_type"), name=canonical_column("entity_name", "entity_type")
    ).join(known, on=["namespace", "type", "name"], how="inner")
    columns = [*found.columns, "entity_id"]
    return pl.concat([own.select(columns), _about_topics(found, known).select(columns)]).unique(
        ["namespace", "entity_id", "candidate_id"], keep="any"
    )


def _about_topics(found: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """Free statements, once for each topic that they name."""
    topics = known.filter(pl.col("type") == "topic").select(*_ENTITY, "name")
    topics = topics.with_columns(spelled=_spelled("name")).filter(pl.col("spelled") != "")
    free = found.filter(pl.col("predicate").is_in(FREE_STATEMENTS))
    if topics.is_empty() or free.is_empty():
        return found.clear().with_columns(entity_id=pl.lit(None, pl.String))
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
    return free.join(named, on="object").join(topics, on=["namespace", "spelled"])


def _spelled(column: str) -> pl.Expr:
    """Words of a text, each between spaces of its own, so that only whole words match."""

    def spelled(texts: pl.Series) -> pl.Series:
        rows = ("".join(f" {word} " for word in words(text)) for text in texts.to_list())
        return pl.Series(texts.name, list(rows), dtype=pl.String)

    return pl.col(column).map_batches(spelled, return_dtype=pl.String)


def facts(candidates: pl.DataFrame, entities: pl.DataFrame) -> Facts:
    """Facts about `entities`: equal statements united, every source kept.

    What differs among sources is decided by counting, never by their order: the form as written
    most often (then the smallest); first and last by time, then by record_id. The base confidence
    is the highest in the conversation of the first source.

    Args:
        candidates: The table `candidates`.
        entities: Columns namespace, entity_id, name (canonical) and type.
    """
    sources = statements(candidates, entities).with_columns(
        fact_id=digest_column(*_ENTITY, "predicate", "canonical_object", prefix="f_")
    )
    by_time = sources.sort(*_FACT, "occurred_at", "record_id", "candidate_id", nulls_last=True)
    records = pl.col("record_id").unique(maintain_order=True)
    in_first = pl.col("conversation_id") == pl.col("conversation_id").first()
    united = by_time.group_by(_FACT, maintain_order=True).agg(
        pl.col("entity_id", "predicate", "extractor").first(),
        pl.col("confidence").filter(in_first).max().alias("base_confidence"),
        pl.col("record_id").n_unique().alias("source_count"),
        pl.col("conversation_id").n_unique().alias("conversation_count"),
        pl.col("occurred_at").min().alias("first_seen"),
        pl.col("occurred_at").max().alias("last_seen"),
        records.head(_SOURCES_KEPT).alias("source_record_ids"),
    )
    written = (
        sources.group_by(*_FACT, "object", "content")
        .len()
        .sort("len", "object", "content", descending=[True, False, False])
        .unique(_FACT, keep="first", maintain_order=True)
    )
    table = united.join(written, on=_FACT).with_columns(
        derived_from=pl.lit([], dtype=pl.List(pl.String))
    )
    return Facts(FACTS.frame(table), FACT_SOURCES.frame(sources))
