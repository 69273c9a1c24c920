"""Records of one thing: names and attributes that agree, each word weighed by how rare it is.

"Steinberg Nuendo 3 digital audio software" and "Nuendo 3 music production software" of the maker
Steinberg have the words in common that tell which product is meant. What only one name has may
stand in an attribute of the other. A number that each has and the other lacks tells them apart,
whatever else agrees. Only entities of which attributes are known are compared so: a name alone is
too little.
"""

import math

import polars as pl

from cairn.knowledge.nlp.vocabulary import NUMBERS
from cairn.knowledge.resolution.comparison_keys import JOINING, STRICT
from cairn.knowledge.resolution.gazetteer import COMMON

_ENTITY = ["namespace", "entity_id"]
_PAIR = ["namespace", "left", "right"]
_AT_ONCE = 20_000
"""Pairs whose words are compared at once."""

NUMBER, COMMONEST = 1.5, 0.25
"""Weights of a number, and of the words that tell least; any other counts up to 1."""

SHARED_BY = 8
"""Entities of a type, at most, that have a word by which two of them come to be compared."""

USUAL = 100
"""Names as they are anywhere, counted beside those of the namespace."""

ALIKE = 0.3
"""Least weight of the rare words that the shorter name of a pair shares, for it to be looked at."""


def like_records(names: pl.DataFrame, facts: pl.DataFrame) -> pl.DataFrame:
    """Pairs of entities of one type whose names agree in what is rare.

    Args:
        names: ENTITIES rows.
        facts: Values of attributes: namespace, entity_id and object.

    Returns:
        namespace, left, right; shares of the weight that is common: of all words of both names
        (`whole`), of the shorter name (`part`), of the shorter of all that is told (`shared`), and
        that weight (`amount`). What only one name has and an attribute of either tells counts
        neither way. `apart`: whether each name has a number that the other record lacks.
    """
    told = _exploded(facts.select(*_ENTITY, word=_words("object")))
    known = names.filter(~pl.col("type").is_in(list(STRICT))).join(told, on=_ENTITY, how="semi")
    named = _exploded(known.select(*_ENTITY, "type", word=_words("display_name")))
    words = (
        pl.concat(
            [
                named.with_columns(name=True, told=False),
                told.join(known.select(*_ENTITY, "type"), on=_ENTITY).select(
                    named.columns, name=False, told=True
                ),
            ]
        )
        .group_by(*_ENTITY, "type", "word")
        .agg(pl.col("name").any(), pl.col("told").any())
        .pipe(_weighed)
    )
    pairs = _candidates(words.filter("name"))
    judged = [_judged(some, words) for some in pairs.iter_slices(_AT_ONCE)]
    return pl.concat(judged) if judged else _judged(pairs, words)


def _words(text: str) -> pl.Expr:
    plain = pl.col(text).str.normalize("NFKD").str.replace_all(r"\p{M}", "").str.to_lowercase()
    plain = plain.str.replace_all(r"(\d)(?:\.0+)+\b", "$1")
    return plain.str.extract_all(r"\p{L}+|\d+(?:[.:]\d+)*").list.unique()


def _exploded(rows: pl.DataFrame) -> pl.DataFrame:
    words = rows.explode("word", keep_nulls=False, empty_as_null=False)
    return words.with_columns(pl.col("word").replace(NUMBERS)).unique()


def _weighed(words: pl.DataFrame) -> pl.DataFrame:
    """Words with their weight, and whether a difference in them tells two things apart."""
    number = pl.col("word").str.contains(r"^\d")
    letter = (pl.col("word").str.len_chars() == 1) & ~pl.col("word").is_in(["a", "s", "t"])
    kind = ["namespace", "type"]
    share = pl.len().over(*kind, "word") / (pl.col("entity_id").n_unique().over(kind) + USUAL)
    rarity = (share.log() / math.log(2 / USUAL)).clip(COMMONEST, 1)
    return words.with_columns(
        literal=number | letter,
        weight=rarity
        * pl.when(pl.col("word").is_in(list(COMMON | JOINING)))
        .then(COMMONEST)
        .when(number)
        .then(NUMBER)
        .otherwise(1.0),
    )


def _candidates(named: pl.DataFrame) -> pl.DataFrame:
    """Pairs that share much of the shorter name in words that few have."""
    kind = ["namespace", "type"]
    whole = named.group_by(_ENTITY).agg(whole=pl.col("weight").sum())
    rare = named.filter(pl.len().over(*kind, "word").is_between(2, SHARED_BY))
    rare = rare.select(*_ENTITY, "type", "word", "weight")
    return (
        rare.join(rare, on=[*kind, "word"])
        .filter(pl.col("entity_id") < pl.col("entity_id_right"))
        .group_by("namespace", left="entity_id", right="entity_id_right")
        .agg(common=pl.col("weight").sum())
        .join(whole.rename({"entity_id": "left"}), on=["namespace", "left"])
        .join(whole.rename({"entity_id": "right"}), on=["namespace", "right"])
        .filter(pl.col("common") >= ALIKE * pl.min_horizontal("whole", "whole_right"))
        .select(_PAIR)
        .sort(_PAIR)
    )


def _judged(pairs: pl.DataFrame, words: pl.DataFrame) -> pl.DataFrame:
    own = words.select("namespace", "entity_id", "word", "weight", "literal", "name", "told")
    left, right = (
        pairs.join(own.rename({"entity_id": side}), on=["namespace", side])
        for side in ("left", "right")
    )
    both = left.join(right, on=[*_PAIR, "word"], how="full", coalesce=True).with_columns(
        pl.coalesce("weight", "weight_right").alias("weight"),
        pl.coalesce("literal", "literal_right").alias("literal"),
        pl.col("name", "told", "name_right", "told_right").fill_null(value=False),
    )
    ours, theirs = pl.col("name"), pl.col("name_right")
    told = pl.col("told") | pl.col("told_right")
    left_all, right_all = ours | pl.col("told"), theirs | pl.col("told_right")

    def weight(of: pl.Expr) -> pl.Expr:
        return pl.col("weight").filter(of).sum()

    alone = (ours & ~theirs & ~pl.col("told_right"), theirs & ~ours & ~pl.col("told"))
    return (
        both.group_by(_PAIR)
        .agg(
            common=weight(ours & theirs),
            left_only=weight(ours & ~theirs & ~told),
            right_only=weight(theirs & ~ours & ~told),
            shared=weight(left_all & right_all)
            / pl.min_horizontal(weight(left_all), weight(right_all)),
            amount=weight(left_all & right_all),
            apart=(alone[0] & pl.col("literal")).any() & (alone[1] & pl.col("literal")).any(),
        )
        .with_columns(
            whole=pl.col("common")
            / (pl.col("common") + pl.col("left_only") + pl.col("right_only")),
            part=pl.col("common")
            / (pl.col("common") + pl.min_horizontal("left_only", "right_only")),
        )
        .select(*_PAIR, "whole", "part", "shared", "amount", "apart")
    )
