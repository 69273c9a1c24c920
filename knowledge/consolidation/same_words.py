"""Pairs of facts of the same words, however little their vectors are alike.

"I don't care" and "I care" lie far apart: the shorter a statement is, the more one word weighs; and
"I have no pets" is hardly like "I have a dog called Rex". So what may deny a fact is looked for by
its words, too: by the stems of those that have weight, without negations.
"""

import polars as pl

from cairn.knowledge.consolidation.templates import GROUP
from cairn.knowledge.nlp.statements.generality import LONGEST
from cairn.knowledge.nlp.vocabulary import KINDS, NEGATIONS, STOPS, united

_LIGHT = STOPS | NEGATIONS | {"t", "ll"}
_ENDS = r"[.;,!?:()]+(?:\s|$)|\s[-–—]\s|\b(?:and|but|because|or|so)\b"
"""What may stand between clauses."""

_DENIES = rf"\b(?:{'|'.join(sorted(NEGATIONS))})\b"

FEWEST = 2
"""Words of a clause, at least: many say something of one thing."""


def same_words(facts: pl.DataFrame) -> pl.DataFrame:
    """Pairs of facts of one group of which one has the words of the other, or of a clause of it.

    Or all words of a short denial, or of things that are of its kind.

    Args:
        facts: The columns of GROUP, fact_id and content.

    Returns:
        namespace, left, right (fact ids, left < right); each once.
    """
    said = pl.col("content").str.to_lowercase().str.replace_all("’", "'", literal=True)
    said = said.str.replace_all(r"n't\b|\bcannot\b", " not")
    known = facts.filter(pl.len().over(GROUP) > 1).select(*GROUP, "fact_id", said=said)
    whole = _stemmed(known.with_columns(part="said"))
    several = known.filter(pl.col("said").str.contains(rf"(?:{_ENDS})\s*[\p{{L}}\p{{N}}]"))
    clauses = several.with_columns(part=pl.col("said").str.replace_all(_ENDS, "\n").str.split("\n"))
    parts = _stemmed(clauses.explode("part", keep_nulls=False, empty_as_null=False))
    keyed = [_keyed(whole), _keyed(parts.filter(pl.col("stems").list.len() >= FEWEST))]
    found = keyed[0].join(pl.concat(keyed).unique(), on=[*GROUP, "key"])
    return (
        pl.concat([found.select(*GROUP, "fact_id", "fact_id_right"), _special(whole)])
        .filter(pl.col("fact_id") != pl.col("fact_id_right"))
        .select(
            "namespace",
            left=pl.min_horizontal("fact_id", "fact_id_right"),
            right=pl.max_horizontal("fact_id", "fact_id_right"),
        )
        .unique()
    )


def _stemmed(parts: pl.DataFrame) -> pl.DataFrame:
    """The parts that have words of weight, with their `stems`, each once."""
    placed = parts.with_row_index("place")
    words = placed.select("place", word=pl.col("part").str.extract_all(r"[\p{L}\p{N}_]+")).explode(
        "word", keep_nulls=False, empty_as_null=False
    )
    heavy = [word for word in words["word"].unique().to_list() if word not in _LIGHT]
    stems = pl.DataFrame(
        {"word": heavy, "stem": list(map(united, heavy))},
        schema={"word": pl.String, "stem": pl.String},
    )
    found = words.join(stems, on="word").group_by("place").agg(stems=pl.col("stem").unique().sort())
    return placed.join(found, on="place").drop("place")


def _keyed(parts: pl.DataFrame) -> pl.DataFrame:
    return parts.select(*GROUP, "fact_id", key=pl.col("stems").list.join(" "))


def _special(facts: pl.DataFrame) -> pl.DataFrame:
    """GROUP, fact_id of short denials and fact_id_right of what has their words, or their kinds."""
    denied = pl.col("said").str.contains(_DENIES)
    short = pl.col("stems").list.len().is_between(FEWEST, LONGEST)
    general = facts.filter(denied, short).select(*GROUP, "fact_id", "stems")
    kinds = pl.DataFrame(
        [(member, kind) for member, of in KINDS.items() for kind in of],
        schema=["stem", "kind"], orient="row",
    )  # fmt: skip
    others = facts.filter(~denied).join(general, on=GROUP, how="semi")
    each = others.select(*GROUP, "fact_id", stem="stems").explode(
        "stem", keep_nulls=False, empty_as_null=False
    )
    wide = each.join(kinds, on="stem").select(*GROUP, "fact_id", stem="kind")
    each = pl.concat([each, wide]).unique()
    rare = each.group_by(*GROUP, "stem").len()
    # Who has all words has the rarest.
    asked = (
        general.with_columns(stem="stems")
        .explode("stem", keep_nulls=False, empty_as_null=False)
        .join(rare, on=[*GROUP, "stem"], how="left")
        .sort("len", "stem", nulls_last=False)
        .unique([*GROUP, "fact_id"], keep="first", maintain_order=True)
    )
    told = each.group_by(*GROUP, "fact_id").agg(told="stem")
    return (
        asked.join(each, on=[*GROUP, "stem"])
        .join(told.rename({"fact_id": "fact_id_right"}), on=[*GROUP, "fact_id_right"])
        .filter(pl.col("stems").list.set_difference("told").list.len() == 0)
        .select(*GROUP, "fact_id", "fact_id_right")
    )
