"""Whether what is told of two entities lets them be one: values of predicates, and statements."""

import re

import numpy as np
import polars as pl

from cairn.knowledge.schema.fact_types import NAME_PREDICATES
from cairn.knowledge.schema.predicates import FREE_STATEMENTS
from cairn.knowledge.vectors.model import Embedder
from cairn.knowledge.vectors.similarity import pair_similarity

STATEMENTS = 20
"""Statements of an entity that are compared, at most."""

_PAIR = ["namespace", "left", "right"]
MANY_DIGITS = 7
"""Digits of a value that hardly two things have in common by chance: a telephone number."""

_SHARED_BY = 8
_EXACT = r"(?i)version|revision|model|build|serial|isbn|year|^id$|_id$"
"""Predicates of which two values that differ are two things."""


def attributes(facts: pl.DataFrame) -> pl.DataFrame:
    """Values of predicates that hold one at a time: no entity of the namespace has two.

    Statements, and names of things of which one has many (tools, paths), are no attributes.

    Returns:
        namespace, entity_id, predicate, words and numbers (sorted), digits (all, in a row), and
        amount: the number, where the value has just one with a fraction, or minutes and seconds.
    """
    value = pl.col("object").str.normalize("NFKD").str.to_lowercase()
    fractions = value.str.extract_all(r"\d+[.:]\d+|\d+")
    whole = fractions.list.first().str.extract_groups(r"^(\d+)([.:])(\d+)$")
    minutes = whole.struct[0].cast(pl.Float64) * 60 + whole.struct[2].cast(pl.Float64)
    told = (
        facts.filter(~pl.col("predicate").is_in(list(FREE_STATEMENTS | NAME_PREDICATES)))
        .select(
            "namespace",
            "entity_id",
            "predicate",
            words=value.str.extract_all(r"[\p{L}\p{N}]+").list.unique().list.sort(),
            numbers=value.str.extract_all(r"\d+")
            .list.eval(pl.element().cast(pl.Int64, strict=False))
            .list.drop_nulls()
            .list.unique()
            .list.sort(),
            digits=value.str.replace_all(r"\D", ""),
            amount=pl.when(fractions.list.len() == 1, whole.struct[0].is_not_null()).then(
                pl.when(whole.struct[1] == ":")
                .then(minutes)
                .otherwise(fractions.list.first().cast(pl.Float64, strict=False))
            ),
        )
        .filter(pl.col("words").list.len() > 0)
    )
    valued = ["namespace", "entity_id", "predicate"]
    many = told.filter(pl.len().over(valued) > 1).select("namespace", "predicate").unique()
    return told.join(many, on=["namespace", "predicate"], how="anti").sort(valued)


def sharing(values: pl.DataFrame) -> pl.DataFrame:
    """Pairs (namespace, left, right) of entities with a number in common that few have."""
    telling = (
        values.select(
            "namespace",
            "predicate",
            "entity_id",
            value=pl.when(pl.col("digits").str.len_chars() >= MANY_DIGITS)
            .then(pl.concat_list("digits"))
            .otherwise(pl.col("numbers").cast(pl.List(pl.String()))),
        )
        .explode("value", keep_nulls=False, empty_as_null=False)
        .filter(pl.len().over("namespace", "predicate", "value").is_between(2, _SHARED_BY))
    )
    return (
        telling.join(telling, on=["namespace", "predicate", "value"])
        .filter(pl.col("entity_id") < pl.col("entity_id_right"))
        .select("namespace", left="entity_id", right="entity_id_right")
        .unique()
        .sort(_PAIR)
    )


def compared(pairs: pl.DataFrame, values: pl.DataFrame) -> pl.DataFrame:
    """How attributes of pairs compare, of those that both have.

    Two values agree if they are equal, amounts within 2 %, or if the words of the one are among
    those of the other. They clash if both have numbers and none in common, or many digits that are
    others; amounts if they are more than a quarter apart; versions, years and ids if they are not
    equal. They differ if they have no word in common.

    Returns:
        The pairs (namespace, left, right) with the number of `agreeing`, `clashing` and `differing`
        attributes, of `counts` that agree in digits, and `unique`: whether one of many digits does.
    """
    keyed = pairs.select(_PAIR).unique()
    ours, theirs = pl.col("words"), pl.col("words_right")
    common = ours.list.set_intersection(theirs).list.len()
    contained = common == pl.min_horizontal(ours.list.len(), theirs.list.len())
    gap = (pl.col("amount") - pl.col("amount_right")).abs() / pl.max_horizontal(
        "amount", "amount_right"
    )
    unique = (pl.col("digits") == pl.col("digits_right")) & (
        pl.col("digits").str.len_chars() >= MANY_DIGITS
    )
    many = (
        (pl.col("digits").str.len_chars() >= MANY_DIGITS)
        & (pl.col("digits").str.len_chars() == pl.col("digits_right").str.len_chars())
        & (pl.col("digits") != pl.col("digits_right"))
    )
    exact = pl.col("predicate").str.contains(_EXACT)
    numbers = (pl.col("numbers").list.len() > 0) & (pl.col("numbers_right").list.len() > 0)
    apart = pl.col("numbers").list.set_intersection("numbers_right").list.len() == 0
    both = (
        keyed.join(values.rename({"entity_id": "left"}), on=["namespace", "left"])
        .join(values.rename({"entity_id": "right"}), on=["namespace", "right", "predicate"])
        .with_columns(gap=gap, unique=unique)
        .with_columns(
            agrees=pl.col("unique") | pl.coalesce(pl.col("gap") <= 0.02, contained),
            clashes=pl.when(exact)
            .then(ours != theirs)
            .otherwise(
                ~pl.col("unique") & (many | pl.coalesce(pl.col("gap") > 0.25, numbers & apart))
            ),
            differs=~pl.col("unique") & ~numbers & (common == 0),
        )
        .group_by(_PAIR)
        .agg(
            agreeing=pl.col("agrees").sum(),
            clashing=pl.col("clashes").sum(),
            differing=pl.col("differs").sum(),
            counts=(pl.col("agrees") & numbers).sum(),
            unique=pl.col("unique").sum(),
        )
    )
    return keyed.join(both, on=_PAIR, how="left").with_columns(
        pl.col("agreeing", "clashing", "differing", "counts", "unique").fill_null(0).cast(pl.Int64)
    )


def context_similarity(
    pairs: pl.DataFrame, entities: pl.DataFrame, facts: pl.DataFrame, embedder: Embedder, least: int
) -> pl.Series:
    """How alike what is stated of two entities is, for each pair; 0 where too little is.

    What is stated of both at once is no evidence, and their names are masked: what remains is the
    company that each keeps. `pairs` has namespace, left, right (entity ids); `least` is how many
    statements of its own each must have.
    """
    wanted = pl.concat(
        [pairs.select("namespace", entity_id=side) for side in ("left", "right")]
    ).unique()
    names = {
        (namespace, id_): re.compile(
            "|".join(
                rf"(?<!\w){re.escape(form)}(?!\w)"
                for form in sorted({name, display, *aliases}, key=lambda f: (-len(f), f))
            ),
            re.IGNORECASE,
        )
        for namespace, id_, name, display, aliases in entities.join(
            wanted, on=["namespace", "entity_id"], how="semi"
        )
        .select("namespace", "entity_id", "name", "display_name", "aliases")
        .iter_rows()
    }
    said = {
        (namespace, id_): contents
        for namespace, id_, contents in facts.filter(
            pl.col("predicate").is_in(list(FREE_STATEMENTS))
        )
        .join(wanted, on=["namespace", "entity_id"], how="semi")
        .group_by("namespace", "entity_id")
        .agg(pl.col("content").unique().sort())
        .iter_rows()
    }
    texts: list[tuple[str, str]] = []
    for namespace, left, right in pairs.select(_PAIR).iter_rows():
        ours, theirs = (said.get((namespace, side), []) for side in (left, right))
        shared = set(ours) & set(theirs)
        texts.append(
            (
                _told(ours, shared, names[namespace, left], least),
                _told(theirs, shared, names[namespace, right], least),
            )
        )
    told = sorted({text for pair in texts for text in pair if all(pair)})
    if not told:
        return pl.Series(np.zeros(pairs.height))
    place = {text: at for at, text in enumerate(told)}
    vectors = embedder.embed(told)
    both = [at for at, pair in enumerate(texts) if all(pair)]
    found = np.zeros(pairs.height)
    found[both] = pair_similarity(
        vectors,
        vectors,
        np.array([place[texts[at][0]] for at in both]),
        np.array([place[texts[at][1]] for at in both]),
        embedder,
    )
    return pl.Series(found)


def _told(contents: list[str], shared: set[str], name: re.Pattern[str], least: int) -> str:
    own = [content for content in contents if content not in shared][:STATEMENTS]
    if len(own) < least:
        return ""
    return " ".join(name.sub(" ", content) for content in own).strip()
