"""Pairs of facts of the same words, however little their vectors are alike.

"I don't care" and "I care" lie far apart: the shorter a statement is, the more one word weighs. So
what may deny a fact is looked for by its words, too: by the stems of those that have weight,
without negations, of the whole statement and of each of its clauses.
"""

import polars as pl

from cairn.knowledge.consolidation.templates import GROUP
from cairn.knowledge.nlp.vocabulary import NEGATIONS, STOPS, UNITED, stem

_LIGHT = STOPS | NEGATIONS | {"t", "ll"}
_ENDS = r"[.;,!?:()]+(?:\s|$)|\s[-–—]\s|\b(?:and|but|because|or|so)\b"
"""What may stand between clauses."""

FEWEST = 2
"""Words of a clause, at least: many say something of one thing."""


def same_words(facts: pl.DataFrame) -> pl.DataFrame:
    """Pairs of facts of one group, of which one has the words of the other or of a clause of it.

    Args:
        facts: The columns of GROUP, fact_id and content.

    Returns:
        namespace, left, right (fact ids, left < right); each once.
    """
    said = pl.col("content").str.to_lowercase().str.replace_all("’", "'", literal=True)
    said = said.str.replace_all(r"n't\b|\bcannot\b", " not")
    known = facts.filter(pl.len().over(GROUP) > 1).select(*GROUP, "fact_id", said=said)
    whole = _keyed(known.with_columns(part=pl.col("said")))
    clauses = known.with_columns(part=pl.col("said").str.replace_all(_ENDS, "\n").str.split("\n"))
    parts = _keyed(clauses.explode("part", keep_nulls=False, empty_as_null=False), FEWEST)
    keyed = [*GROUP, "key"]
    return (
        whole.join(pl.concat([whole, parts]).unique(), on=keyed)
        .filter(pl.col("fact_id") != pl.col("fact_id_right"))
        .select(
            "namespace",
            left=pl.min_horizontal("fact_id", "fact_id_right"),
            right=pl.max_horizontal("fact_id", "fact_id_right"),
        )
        .unique()
    )


def _keyed(parts: pl.DataFrame, fewest: int = 1) -> pl.DataFrame:
    """GROUP, fact_id and the key of each part that has enough words."""
    words = (
        parts.with_row_index("place")
        .with_columns(word=pl.col("part").str.extract_all(r"[\p{L}\p{N}_]+"))
        .explode("word", keep_nulls=False, empty_as_null=False)
    )
    distinct = words["word"].unique().to_list()
    stems = pl.DataFrame(
        {
            "word": distinct,
            "stem": [None if word in _LIGHT else _united(word) for word in distinct],
        },
        schema={"word": pl.String, "stem": pl.String},
    )
    keys = (
        words.join(stems.drop_nulls(), on="word")
        .group_by("place")
        .agg(key=pl.col("stem").unique().sort())
        .filter(pl.col("key").list.len() >= fewest)
        .select("place", pl.col("key").list.join(" "))
    )
    return parts.with_row_index("place").join(keys, on="place").select(*GROUP, "fact_id", "key")


def _united(word: str) -> str | None:
    form = stem(word)
    return None if word in _LIGHT else UNITED.get(form, (form, False))[0]
