"""Entities that are one thing under several names: the most mentioned stands for the others.

A wrong merge puts two things' facts together, a missed one leaves a thing with two names; so names
must agree in form, and where the form alone could be chance, something that is said must agree too.
No rule looks past a difference in numbers, versions, single letters or symbols ("Room 101", "Room
102"), and vectors never decide by themselves. docs/consolidation.md has an example of each rule.
"""

import numpy as np
import polars as pl

from cairn.knowledge.nlp.names import canonical_column
from cairn.knowledge.resolution.alias_statements import stated_names
from cairn.knowledge.resolution.attribute_match import attributes
from cairn.knowledge.resolution.blocking import (
    PAIR,
    acronyms,
    containing,
    equal_names,
    mistyped_names,
    named,
    records,
    same_facts,
    same_names,
    stated,
    unclashing,
)
from cairn.knowledge.resolution.one_repository import of_one_repository
from cairn.knowledge.schema.calendar import undated
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import ENTITY_MERGES
from cairn.knowledge.vectors.model import Embedder
from cairn.knowledge.vectors.similarity import pair_similarity

MODEL = "model"
RULES = {
    "decided": "a person said so",
    "same_words": "the same words",
    "person": "the same name of a person",
    "same_name": "the same name, once observed and once spoken of",
    "alias": "names of one thing, known everywhere",
    "stated": "a statement says that they are one",
    "one_file": "the same file in another checkout of its repository",
    "one_project": "checkouts of one repository",
    "plural": "the same words, the last one in the plural",
    "containment": "behind the name stands what kind of thing it is",
    "acronym": "the initials of the other, and statements agree",
    "spelling": "one letter differs, one of them is rare, and statements agree",
    "same_facts": "names agree, and so do attributes",
    "like_record": "rare words of the names agree, and so does what is told",
    MODEL: "a language model said so",
}
"""Rules, the surest first, and why each merges."""


def entity_merges(
    entities: pl.DataFrame,
    facts: pl.DataFrame,
    embedder: Embedder,
    policy: Policy,
    apart: pl.DataFrame | None = None,
    together: pl.DataFrame | None = None,
    projects: pl.DataFrame | None = None,
    verdicts: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """ENTITY_MERGES: entities that are merged away, each with the one that stands for it.

    The one with most mentions (ties by first_seen, then id) takes every free entity that a rule
    pairs with it, then the next; so every member was compared with the canonical one, and there are
    no chains. Two that a person keeps apart never come to stand under one: neither joins a third
    that both could join, unless a person merged one of them with it. `apart` and `together` have
    namespace, left_id, right_id: what a person keeps apart, and what a person merged, whatever the
    names. `verdicts` are ENTITY_VERDICTS rows of pairs that a model surely holds for one: of those
    that stand for themselves by rules and people, with all that they stand for.
    """
    found = _by_rule(entities, facts, embedder, policy)
    if projects is not None:
        found = _surest(pl.concat([found, of_one_repository(entities, projects)]))
    pairs = _decided(found, _both_ways(apart), _both_ways(together), entities)
    taken = _taken(pairs, entities).with_columns(said=pl.lit(None, pl.String))
    if verdicts is not None:
        taken = _with_verdicts(taken, verdicts, _both_ways(apart), entities)
    if taken.is_empty():
        return ENTITY_MERGES.empty()
    times = entities.select("namespace", "entity_id", at=pl.col("first_seen").fill_null(undated()))
    return ENTITY_MERGES.frame(
        taken.with_columns(
            similarity=_similarity(taken, entities, embedder),
            reason=pl.concat_str(
                pl.col("rule").replace_strict(RULES, return_dtype=pl.String),
                (": " + pl.col("said")).fill_null(""),
            ),
        )
        .join(times, on=["namespace", "entity_id"])
        .join(times.rename({"entity_id": "canonical_id"}), on=["namespace", "canonical_id"])
        .with_columns(decided_at=pl.max_horizontal("at", "at_right"))
    )


def _by_rule(
    entities: pl.DataFrame, facts: pl.DataFrame, embedder: Embedder, policy: Policy
) -> pl.DataFrame:
    """namespace, left, right, rule: pairs that rules hold for one, each by its surest rule."""
    names = named(entities)
    values = attributes(facts)
    spoken = names.select("namespace", name=canonical_column("display_name", pl.lit("topic")))
    said = stated_names(facts, spoken)
    found = pl.concat(
        [
            equal_names(names),
            same_names(names),
            stated(names, said),
            containing(names, facts),
            acronyms(names, facts, said, embedder, policy),
            mistyped_names(names, facts, embedder, policy),
            same_facts(names, values),
            records(names, facts, values),
        ]
    )
    return unclashing(_surest(found), values)


def _surest(pairs: pl.DataFrame) -> pl.DataFrame:
    order = pl.col("rule").replace_strict(list(RULES), range(len(RULES)))
    return pairs.sort(*PAIR, order).unique(PAIR, keep="first", maintain_order=True)


def _both_ways(pairs: pl.DataFrame | None) -> pl.DataFrame:
    """Pairs that a person decided, with left and right exchanged too."""
    if pairs is None:
        return pl.DataFrame(schema=dict.fromkeys(PAIR, pl.String()))
    pairs = pairs.rename({"left_id": "left", "right_id": "right"}, strict=False)
    ways = [pairs.select(PAIR), pairs.select("namespace", left="right", right="left")]
    return pl.concat(ways).unique()


def _decided(
    found: pl.DataFrame, apart: pl.DataFrame, together: pl.DataFrame, entities: pl.DataFrame
) -> pl.DataFrame:
    """Pairs of rules as people's decisions leave them, with those that people merged."""
    if apart.is_empty() and together.is_empty():
        return found.unique(PAIR, keep="first", maintain_order=True)
    there = entities.select("namespace", "entity_id")
    for side in ("left", "right"):
        together = together.join(
            there.rename({"entity_id": side}), on=["namespace", side], how="semi"
        )
    merged = _together(together.join(apart, on=PAIR, how="anti"), entities)
    merged = merged.join(apart, on=PAIR, how="anti")
    pairs = pl.concat([merged, found.join(apart, on=PAIR, how="anti")])
    pairs = pairs.unique(PAIR, keep="first", maintain_order=True)
    # Whoever could take up two that are kept apart takes neither, unless a person merged them.
    ways = [pairs.select(PAIR), pairs.select("namespace", left="right", right="left")]
    around = pl.concat(ways).rename({"left": "middle"})
    torn = (
        around.join(around, on=["namespace", "middle"], suffix="_other")
        .rename({"right": "left", "right_other": "right"})
        .join(apart, on=PAIR, how="semi")
        .select("namespace", left="middle", right="left")
    )
    torn = pl.concat([torn, torn.select("namespace", left="right", right="left")])
    return pairs.filter(rule="decided").vstack(
        pairs.filter(pl.col("rule") != "decided").join(torn, on=PAIR, how="anti")
    )


def _together(decided: pl.DataFrame, entities: pl.DataFrame) -> pl.DataFrame:
    """Pairs of the first of a group that people merged, in however many steps, and each other."""
    near: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for namespace, left, right in decided.iter_rows():
        near.setdefault((namespace, left), []).append((namespace, right))
    seen: set[tuple[str, str]] = set()
    rows: list[tuple[str, str, str, str]] = []
    for first in _ranked(entities).select("namespace", "entity_id").iter_rows():
        if first in seen or first not in near:
            continue
        seen.add(first)
        waiting = [first]
        while waiting:
            for other in near[waiting.pop()]:
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
                    one, two = sorted((first[1], other[1]))
                    rows.append((first[0], one, two, "decided"))
    return pl.DataFrame(rows, schema=dict.fromkeys((*PAIR, "rule"), pl.String), orient="row")


def _ranked(entities: pl.DataFrame) -> pl.DataFrame:
    """Entities, those that stand for others before them, with their rank."""
    return entities.sort(
        "namespace", "mentions", "first_seen", "entity_id",
        descending=[False, True, False, False], nulls_last=True,
    ).select("namespace", "entity_id", rank=pl.int_range(pl.len()))  # fmt: skip


def _taken(pairs: pl.DataFrame, entities: pl.DataFrame) -> pl.DataFrame:
    """namespace, canonical_id, entity_id, rule: each goes to one at most, decided ones first.

    Entities that took others up by a person's decision stand for themselves.
    """
    ranked = _ranked(entities)
    for side in ("left", "right"):
        pairs = pairs.join(
            ranked.rename({"entity_id": side, "rank": f"{side}_rank"}), on=["namespace", side]
        )
    first = pl.col("left_rank") < pl.col("right_rank")
    ordered = pairs.select(
        "namespace",
        "rule",
        canonical_id=pl.when(first).then("left").otherwise("right"),
        entity_id=pl.when(first).then("right").otherwise("left"),
        rank=pl.min_horizontal("left_rank", "right_rank"),
        other=pl.max_horizontal("left_rank", "right_rank"),
    ).sort(pl.col("rule") != "decided", "rank", "other")
    canonical: set[tuple[str, str]] = set()
    gone: set[tuple[str, str]] = set()
    taken: list[bool] = []
    for namespace, one, other in ordered.select(
        "namespace", "canonical_id", "entity_id"
    ).iter_rows():
        free = (namespace, one) not in gone and (namespace, other) not in gone | canonical
        if free:
            canonical.add((namespace, one))
            gone.add((namespace, other))
        taken.append(free)
    return ordered.filter(pl.Series(taken, dtype=pl.Boolean)).sort("namespace", "entity_id")


def _with_verdicts(
    taken: pl.DataFrame, verdicts: pl.DataFrame, apart: pl.DataFrame, entities: pl.DataFrame
) -> pl.DataFrame:
    """What is taken, and by whom, once a model has said who else is one; `said` is why.

    Nobody stands under one with whom a person keeps it, or what it stands for, apart.
    """
    gone = taken.select("namespace", "entity_id", stands="canonical_id")
    pairs = verdicts.select("namespace", left="left_id", right="right_id", said="reason")
    for side in ("left", "right"):
        own = gone.rename({"entity_id": side, "stands": f"{side}_stands"})
        pairs = pairs.join(own.select("namespace", side), on=["namespace", side], how="anti")
        apart = apart.join(own, on=["namespace", side], how="left").with_columns(
            pl.coalesce(f"{side}_stands", side).alias(side)
        )
    nobody = _both_ways(None)
    found = pairs.select(*PAIR, rule=pl.lit(MODEL))
    more = _taken(_decided(found, apart.select(PAIR).unique(), nobody, entities), entities)
    if more.is_empty():
        return taken
    said = pl.concat(
        [pairs, pairs.rename({"left": "right", "right": "left"}).select(pairs.columns)]
    )
    more = more.join(
        said.rename({"left": "canonical_id", "right": "entity_id"}),
        on=["namespace", "canonical_id", "entity_id"],
    )
    columns = ["namespace", "canonical_id", "entity_id", "rule", "said"]
    into = more.select("namespace", canonical_id="entity_id", to="canonical_id", why="said")
    moved = taken.join(into, on=["namespace", "canonical_id"], how="left").with_columns(
        rule=pl.when(pl.col("to").is_null()).then("rule").otherwise(pl.lit(MODEL)),
        said="why",
        canonical_id=pl.coalesce("to", "canonical_id"),
    )
    return pl.concat([moved.select(columns), more.select(columns)]).sort("namespace", "entity_id")


def _similarity(taken: pl.DataFrame, entities: pl.DataFrame, embedder: Embedder) -> pl.Series:
    """Calibrated similarity of the display names of both."""
    shown = dict(entities.select("entity_id", "display_name").iter_rows())
    names = sorted({shown[id_] for side in ("entity_id", "canonical_id") for id_ in taken[side]})
    place = {name: at for at, name in enumerate(names)}
    vectors = embedder.embed(names)
    left, right = (
        np.array([place[shown[id_]] for id_ in taken[side]])
        for side in ("canonical_id", "entity_id")
    )
    return pl.Series(pair_similarity(vectors, vectors, left, right, embedder))
