"""Entities that may be one, though no rule holds them for that: for a model or a person to judge.

They come by name (a kind behind it, initials, a wrong letter, one word of it alone), by the vectors
of their names, and by what is named beside both. Who is beside whom is told by what was said first
of either: so what is said later adds pairs, and takes none away that was judged.

Names that differ in a number, version, single letter or symbol are never among them, nor are things
whose attributes clash.
"""

import numpy as np
import polars as pl

from cairn.knowledge.resolution.attribute_match import attributes
from cairn.knowledge.resolution.blocking import PAIR, named, nearly_one, unclashing
from cairn.knowledge.resolution.canonical import about_canonical, with_canonical
from cairn.knowledge.resolution.comparison_keys import STRICT, read_name
from cairn.knowledge.resolution.gazetteer import COMMON
from cairn.knowledge.schema.calendar import undated
from cairn.knowledge.schema.fact_types import is_event
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.predicates import FREE_STATEMENTS
from cairn.knowledge.vectors.model import Embedder
from cairn.knowledge.vectors.similarity import pair_similarity, similar_pairs

FIRST_BESIDE, FIRST_OF_IT = 8, 16
"""Entities that were named first beside one, and those that one was first named beside, at most."""

SHARED = 2
"""Entities that are beside both, at least."""

MOST_COMPARED = 10_000
"""Names whose vectors are compared with each other, at most: those seen first."""

NAME = {"containment": 1.0, "acronym": 1.0, "spelling": 1.0, "within": 0.5}
"""What the form of two names adds to the score of a pair, by what is so."""

_OBSERVED = ("system", "project", "package")
"""Types of observed things that people also speak of as a topic."""

_TELLING = ("topic", "system", "package")
"""Types of what tells something by being named beside a thing: whoever speaks, and the project that
is worked on, are beside all."""


def alike_entities(
    entities: pl.DataFrame,
    facts: pl.DataFrame,
    merged: pl.DataFrame,
    apart: pl.DataFrame,
    embedder: Embedder,
    policy: Policy,
) -> pl.DataFrame:
    """Pairs of entities that stand for themselves and may be one, the likeliest first.

    The score by which they are sorted is the sum of three, each up to 1: the form of the names,
    the similarity of their vectors, and the share of those beside one that are beside both.

    Args:
        entities: ENTITIES rows.
        facts: FACTS rows; their attributes can keep two apart.
        merged: ENTITY_MERGES rows; what is named by any name of an entity counts for it.
        apart: namespace, left_id, right_id of those that a person keeps apart.
        embedder: Gives vectors of names.
        policy: `alike_name_similarity`, from which two names are a pair by their vectors.

    Returns:
        namespace, left_id and right_id (the greater); `rule`: containment, acronym, spelling,
        within, alike (by vector) or beside; the similarity of the names; `beside`: names of those
        that are beside both.
    """
    placed = with_canonical(entities, merged)
    by_name = pl.concat(
        [nearly_one(named(entities)), _by_form_and_vector(entities, embedder, policy)]
    )
    by_name = unclashing(by_name.unique(), attributes(facts))
    beside = _beside_both(about_canonical(facts, merged), placed)
    found = pl.concat([_standing(by_name, placed), beside.select(*PAIR, rule=pl.lit("beside"))])
    order = pl.col("rule").replace_strict([*NAME, "alike", "beside"], range(len(NAME) + 2))
    found = found.sort(*PAIR, order).unique(PAIR, keep="first", maintain_order=True)
    found = found.join(_standing(_both(apart), placed), on=PAIR, how="anti")
    found = unclashing(_comparable(found, entities), attributes(about_canonical(facts, merged)))
    return _scored(found, beside, entities, embedder)


def _both(apart: pl.DataFrame) -> pl.DataFrame:
    return apart.select("namespace", left="left_id", right="right_id")


def _standing(pairs: pl.DataFrame, placed: pl.DataFrame) -> pl.DataFrame:
    """Pairs of those that stand for the two of each, once; of those that are one already none."""
    stands = placed.select("namespace", "entity_id", "canonical_id")
    for side in ("left", "right"):
        own = stands.rename({"entity_id": side, "canonical_id": f"_{side}"})
        pairs = pairs.join(own, on=["namespace", side])
    return (
        pairs.filter(pl.col("_left") != pl.col("_right"))
        .with_columns(
            left=pl.min_horizontal("_left", "_right"), right=pl.max_horizontal("_left", "_right")
        )
        .drop("_left", "_right")
        .unique()
    )


def _comparable(pairs: pl.DataFrame, entities: pl.DataFrame) -> pl.DataFrame:
    """Pairs of types that may be one, and of which no number, letter or symbol differs."""
    shown = entities.select("namespace", "entity_id", "display_name", "type")
    for side in ("left", "right"):
        pairs = pairs.join(shown.rename({"entity_id": side}), on=["namespace", side]).rename(
            {"display_name": f"{side}_name", "type": f"{side}_type"}
        )
    kinds = ("left_name", "left_type", "right_name", "right_type", "rule")
    may = [_may_be_one(*row) for row in pairs.select(kinds).iter_rows()]
    return pairs.filter(pl.Series(may, dtype=pl.Boolean)).select(*PAIR, "rule")


def _may_be_one(left: str, left_type: str, right: str, right_type: str, rule: str) -> bool:
    if left_type == right_type:
        if left_type in STRICT:
            return False
    elif "topic" not in (left_type, right_type) or not {left_type, right_type} & {*_OBSERVED}:
        return False
    if rule == "acronym":  # the digits of `i18n` count letters
        return True
    ours, theirs = (
        read_name(name, "topic" if type_ in STRICT else type_).literals
        for name, type_ in ((left, left_type), (right, right_type))
    )
    return sorted(ours) == sorted(theirs)


def _by_form_and_vector(entities: pl.DataFrame, embedder: Embedder, policy: Policy) -> pl.DataFrame:
    """namespace, left, right, rule: one is a word of the other, or they are alike by vector."""
    spoken = entities.filter(~pl.col("type").is_in(list(STRICT - {*_OBSERVED})))
    parts = [pl.DataFrame(schema=dict.fromkeys((*PAIR, "rule"), pl.String))]
    for own in spoken.partition_by("namespace", maintain_order=True):
        namespace = own["namespace"][0]
        rows = own.sort(pl.col("first_seen").fill_null(undated()), "entity_id").head(MOST_COMPARED)
        names, ids = rows["display_name"].to_list(), rows["entity_id"]
        vectors = embedder.embed(names)
        near = similar_pairs(
            vectors, None, policy.alike_name_similarity, embedder, margin=policy.candidate_margin
        )
        found = [(int(a), int(b), "alike") for a, b in zip(near.left, near.right, strict=True)]
        found += [(a, b, "within") for a, b in _within(rows)]
        parts.append(
            pl.DataFrame(
                [(namespace, *sorted((ids[a], ids[b])), rule) for a, b, rule in found],
                schema=parts[0].schema,
                orient="row",
            )
        )
    return pl.concat(parts)


def _within(rows: pl.DataFrame) -> list[tuple[int, int]]:
    """Places of names of one word, each with those of longer names that have it."""
    words = [
        read_name(name, "topic" if type_ in STRICT else type_).words
        for name, type_ in rows.select("display_name", "type").iter_rows()
    ]
    alone: dict[str, list[int]] = {}
    for at, own in enumerate(words):
        if len(own) == 1 and own[0] not in COMMON:
            alone.setdefault(own[0], []).append(at)
    return [
        (at, other)
        for at, own in enumerate(words)
        if len(own) > 1
        for word in dict.fromkeys(own)
        for other in alone.get(word, ())
    ]


def _beside_both(facts: pl.DataFrame, placed: pl.DataFrame) -> pl.DataFrame:
    """Pairs of entities beside which others were named, in statements that do not name both.

    Args:
        facts: FACTS rows about entities that stand for theirs.
        placed: ENTITIES rows with `canonical_id`.

    Returns:
        namespace, left, right; `share` of those beside the one with fewer; and their names.
    """
    kinds = placed.filter(pl.col("type").is_in(_TELLING)).select("namespace", "entity_id")
    said = facts.filter(pl.col("predicate").is_in(list(FREE_STATEMENTS)), ~is_event()).select(
        "namespace", "entity_id", "content", at=pl.col("first_seen").fill_null(undated())
    )
    said = said.join(kinds, on=kinds.columns, how="semi")
    links = (
        said.join(said, on=["namespace", "content"], suffix="_other")
        .filter(pl.col("entity_id") != pl.col("entity_id_other"))
        .sort("at", "content", "entity_id", "entity_id_other")
        .unique(["namespace", "entity_id", "entity_id_other"], keep="first", maintain_order=True)
    )
    first = pl.int_range(pl.len()).over("namespace", "entity_id") < FIRST_BESIDE
    links = links.filter(first).with_columns(many=pl.len().over("namespace", "entity_id"))
    links = links.filter(pl.int_range(pl.len()).over("namespace", "entity_id_other") < FIRST_OF_IT)
    names = placed.select("namespace", entity_id_other="entity_id", name="display_name")
    return (
        links.join(links, on=["namespace", "entity_id_other"], suffix="_right")
        .filter(
            pl.col("entity_id") < pl.col("entity_id_right"),
            pl.col("content") != pl.col("content_right"),
        )
        .join(names, on=["namespace", "entity_id_other"])
        .group_by("namespace", left="entity_id", right="entity_id_right")
        .agg(
            beside=pl.col("name").sort(),
            share=pl.len() / pl.min_horizontal("many", "many_right").first(),
        )
        .filter(pl.col("beside").list.len() >= SHARED)
    )


def _scored(
    pairs: pl.DataFrame, beside: pl.DataFrame, entities: pl.DataFrame, embedder: Embedder
) -> pl.DataFrame:
    """Pairs as `alike_entities` gives them, the greatest score first."""
    shown = entities.select("namespace", "entity_id", "display_name", "mentions")
    for side in ("left", "right"):
        pairs = pairs.join(shown.rename({"entity_id": side}), on=["namespace", side]).rename(
            {"display_name": f"{side}_name", "mentions": f"{side}_mentions"}
        )
    names = sorted({*pairs["left_name"], *pairs["right_name"]})
    place = {name: at for at, name in enumerate(names)}
    vectors = embedder.embed(names)
    left, right = (
        np.array([place[name] for name in pairs[f"{side}_name"]], dtype=np.int64)
        for side in ("left", "right")
    )
    similarity = pl.Series(pair_similarity(vectors, vectors, left, right, embedder))
    form = pl.col("rule").replace_strict(NAME, default=0.0, return_dtype=pl.Float64)
    often = pl.col("left_mentions") + pl.col("right_mentions")
    return (
        pairs.with_columns(similarity=similarity)
        .join(beside, on=PAIR, how="left")
        .with_columns(pl.col("beside").fill_null([]), pl.col("share").fill_null(0.0))
        .with_columns(score=(form + pl.col("similarity") + pl.col("share")).round(6), often=often)
        .sort("score", "often", *PAIR, descending=[True, True, False, False, False])
        .rename({"left": "left_id", "right": "right_id"})
        .select("namespace", "left_id", "right_id", "rule", "similarity", "beside")
    )
