"""Whether what is told of two entities lets them be one: values of predicates, and statements."""

import re

import numpy as np
import polars as pl

from knowledge.embedding import Embedder
from knowledge.facts import FREE_STATEMENTS
from knowledge.kinds import NAME_PREDICATES
from knowledge.similarity import pair_similarity

STATEMENTS = 20
"""Statements of an entity that are compared, at most."""

_PAIR = ["namespace", "left", "right"]
_MANY_DIGITS = 7
_SHARED_BY = 8


def attributes(facts: pl.DataFrame) -> pl.DataFrame:
    """Values of predicates that hold one at a time: no entity of the namespace has two.

    Statements, and names of things that are many to one (tools, paths), are no attributes.

    Returns:
        namespace, entity_id, predicate, words and numbers (sorted), digits (all, in a row).
    """
    value = pl.col("object").str.normalize("NFKD").str.to_lowercase()
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
        )
        .filter(pl.col("words").list.len() > 0)
    )
    valued = ["namespace", "entity_id", "predicate"]
    many = told.filter(pl.len().over(valued) > 1).select("namespace", "predicate").unique()
    return told.join(many, on=["namespace", "predicate"], how="anti").sort(valued)


def sharing(values: pl.DataFrame) -> pl.DataFrame:
    """Pairs (namespace, left, right) of entities with an attribute in common that few have."""
    telling = (
        values.filter(pl.col("digits") != "")
        .with_columns(
            value=pl.when(pl.col("digits").str.len_chars() >= _MANY_DIGITS)
            .then("digits")
            .otherwise(pl.col("words").list.join(" "))
        )
        .filter(pl.len().over("namespace", "predicate", "value").is_between(2, _SHARED_BY))
        .select("namespace", "predicate", "value", "entity_id")
    )
    return (
        telling.join(telling, on=["namespace", "predicate", "value"])
        .filter(pl.col("entity_id") < pl.col("entity_id_right"))
        .select("namespace", left="entity_id", right="entity_id_right")
        .unique()
        .sort(_PAIR)
    )


def compared(pairs: pl.DataFrame, values: pl.DataFrame) -> pl.DataFrame:
    """How attributes of pairs compare.

    Returns:
        The pairs (namespace, left, right) with `agreeing` and `differing` attributes that both
        have, `clashing` ones (both have numbers, none in common), and `telling`: whether a value
        of many digits, or two values of which one has digits, agree.
    """
    keyed = pairs.select(_PAIR).unique()
    same = pl.col("words") == pl.col("words_right")
    many = (pl.col("digits") == pl.col("digits_right")) & (
        pl.col("digits").str.len_chars() >= _MANY_DIGITS
    )
    numbers = (pl.col("numbers").list.len() > 0) & (pl.col("numbers_right").list.len() > 0)
    apart = pl.col("numbers").list.set_intersection("numbers_right").list.len() == 0
    both = (
        keyed.join(
            values.rename({"entity_id": "left"}), on=["namespace", "left"]
        )
        .join(
            values.rename({"entity_id": "right"}),
            on=["namespace", "right", "predicate"],
        )
        .with_columns(same=same | many, many=many, clash=numbers & apart & ~same & ~many)
        .group_by(_PAIR)
        .agg(
            agreeing=pl.col("same").sum().cast(pl.Int64),
            differing=(~pl.col("same")).sum().cast(pl.Int64),
            clashing=pl.col("clash").sum().cast(pl.Int64),
            telling=pl.col("many").any()
            | ((pl.col("same").sum() > 1) & (pl.col("same") & (pl.col("digits") != "")).any()),
        )
    )
    return keyed.join(both, on=_PAIR, how="left").with_columns(
        pl.col("agreeing", "differing", "clashing").fill_null(0), pl.col("telling").fill_null(False)
    )


def context_similarity(
    pairs: pl.DataFrame, entities: pl.DataFrame, facts: pl.DataFrame, embedder: Embedder
) -> pl.Series:
    """How alike what is stated of two entities is, for each pair; 0 where nothing is.

    What is stated of both at once is no evidence, and their names are masked: what remains is the
    company that each keeps.

    Args:
        pairs: namespace, left, right (entity ids).
        entities: ENTITIES rows.
        facts: FACTS rows.
        embedder: Gives vectors and their calibration.
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
                _told(ours, shared, names[namespace, left]),
                _told(theirs, shared, names[namespace, right]),
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


def _told(contents: list[str], shared: set[str], name: re.Pattern[str]) -> str:
    own = [content for content in contents if content not in shared][:STATEMENTS]
    return " ".join(name.sub(" ", content) for content in own).strip()
