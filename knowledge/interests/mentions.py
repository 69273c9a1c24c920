"""Who and what is named in texts: known names, as whole words."""

import polars as pl

from cairn.knowledge.nlp.names import canonical_column
from cairn.knowledge.nlp.spans import occurring
from cairn.knowledge.nlp.text import STOP_WORDS, words
from cairn.knowledge.schema.entity_types import OF_PROSE
from cairn.knowledge.schema.predicates import NOBODY

_KEY = ["namespace", "entity_id"]


def spellings(entities: pl.DataFrame) -> pl.DataFrame:
    """The names by which entities are called: canonical, as shown, and each alias.

    Returns:
        namespace, entity_id, spelling; distinct, sorted.
    """
    lists = pl.concat_list(pl.concat_list("name", "display_name"), "aliases")
    return (
        entities.select(*_KEY, spelling=lists)
        .explode("spelling")
        .with_columns(pl.col("spelling").str.strip_chars())
        .filter(pl.col("spelling") != "")
        .unique()
        .sort(*_KEY, "spelling")
    )


def called(names: pl.DataFrame, entities: pl.DataFrame) -> pl.DataFrame:
    """Entities that have just a name, or this id.

    `names` has namespace and name, in the canonical form of topics.

    Returns:
        namespace, name, entity_id; distinct, sorted.
    """
    if names.is_empty():
        return pl.DataFrame(schema=dict.fromkeys(("namespace", "name", "entity_id"), pl.String))
    known = pl.concat(
        [
            spellings(entities).select(*_KEY, name=canonical_column("spelling", pl.lit("topic"))),
            entities.select(*_KEY, name="entity_id"),
        ]
    )
    wanted = names.select("namespace", "name").unique()
    return (
        wanted.join(known, on=["namespace", "name"])
        .select("namespace", "name", "entity_id")
        .unique()
        .sort("namespace", "name", "entity_id")
    )


def named_in(texts: pl.DataFrame, entities: pl.DataFrame) -> pl.DataFrame:
    """Entities that texts name: those that were known then, of types that prose is about.

    `texts` has namespace, record_id, text, occurred_at.

    Returns:
        namespace, record_id, entity_id; distinct, sorted.
    """
    nobody = (pl.col("type") == "person") & (pl.col("name") == NOBODY)
    prose = entities.filter(pl.col("type").is_in(OF_PROSE) & ~nobody)
    names = spellings(prose)
    wordy = [
        len(spelling) > 1 and not STOP_WORDS.issuperset(words(spelling))
        for spelling in names["spelling"].to_list()
    ]
    names = names.filter(pl.Series(wordy, dtype=pl.Boolean))
    found = [
        own.select("namespace", "record_id", "occurred_at")
        .with_columns(
            spelling=pl.Series(
                occurring(
                    own["text"].to_list(),
                    names.filter(namespace=namespace)["spelling"].unique().sort().to_list(),
                ),
                dtype=pl.List(pl.String),
            )
        )
        .explode("spelling")
        .drop_nulls("spelling")
        for (namespace,), own in sorted(texts.group_by("namespace"))
    ]
    if not found:
        return texts.select("namespace", "record_id", entity_id="record_id").clear()
    since = prose.select(*_KEY, "first_seen")
    known = (pl.col("first_seen") <= pl.col("occurred_at")).fill_null(value=True)
    return (
        pl.concat(found)
        .join(names, on=["namespace", "spelling"])
        .join(since, on=_KEY)
        .filter(known)
        .select("namespace", "record_id", "entity_id")
        .unique()
        .sort("namespace", "record_id", "entity_id")
    )
