"""Entities: the gates that a name passes, and what becomes of it.

The gates, in order: `structural` (form of the name), `not_introduced` (no person brought it in),
`semantic` (a topic that does not fit where it was said), `no_fact` (nothing is known about it). A
name that falls at one is in `rejections` with the rule that refused it; a name that passes all is
an entity. Nothing here depends on the order of rows.
"""

from typing import NamedTuple

import polars as pl

from cairn.knowledge.engine.diff import Change, difference
from cairn.knowledge.extraction.introductions import (
    BY_TIME,
    NAMING_COLUMNS,
    WRITTEN,
    forms,
    identified,
    introduces,
    proposals,
)
from cairn.knowledge.nlp.names import canonical_column
from cairn.knowledge.resolution.context_similarity import context_similarity
from cairn.knowledge.resolution.facts import statements
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.predicates import FREE_STATEMENTS
from cairn.knowledge.schema.tables import ENTITIES, REJECTIONS
from cairn.knowledge.vectors.model import Embedder

_ENTITY = ["namespace", "entity_id"]
_NAMED = [*_ENTITY, "name", "type"]
_CANDIDATE = ["namespace", "candidate_id"]


class Gated(NamedTuple):
    """The tables `entities` and `rejections`."""

    entities: pl.DataFrame
    rejections: pl.DataFrame


GATED_COLUMNS = (
    *NAMING_COLUMNS, "predicate", "object", "content", "quote_start", "quote_end",
)  # fmt: skip
"""What is read of candidates here."""


def entities(
    candidates: pl.DataFrame,
    introductions: pl.DataFrame,
    contexts: pl.DataFrame,
    embedder: Embedder,
    policy: Policy,
) -> Gated:
    """Names through the gates.

    Args:
        candidates: The table `candidates`.
        introductions: The table `introductions`.
        contexts: Columns namespace, record_id and text: what was said in the records that name
            topics. A record that is not there is judged by the candidate's own sentence.
        embedder: Judges whether a topic fits its context.
        policy: name_words and min_name_similarity.
    """
    proposed = proposals(candidates, policy)
    judged = _judged(proposed, introductions, contexts, embedder, policy)
    return _gated(judged, fact_counts(candidates, _known(judged)))


def entities_after(
    changed: Change,
    introduced: Change,
    moved: pl.DataFrame,
    stored: Gated,
    candidates: pl.DataFrame,
    introductions: pl.DataFrame,
    contexts: pl.DataFrame,
    embedder: Embedder,
    policy: Policy,
) -> Gated:
    """What `entities` gives, made of what was stored before a change.

    Made anew are names whose candidates, introduction or contexts changed; those that a changed
    statement is about, or that stand in its record, since it may count for them; and, where a name
    became known or unknown by that, those in the records of what is said of it anywhere. `changed`
    candidates and `introduced` came or went; `moved` has namespace and record_id of the records
    whose context changed; `stored` is what was there before.
    """
    record = ["namespace", "record_id"]
    named = forms(
        pl.concat([frame.select(WRITTEN) for frame in (candidates, changed.gone)]), policy
    )
    rejected = identified(stored.rejections.with_columns(shown="name"), "shown")

    def names_in(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.join(named, on=WRITTEN).select(_ENTITY).unique()

    def proposing(names: pl.DataFrame) -> pl.DataFrame:
        return candidates.join(named.join(names, on=_ENTITY, how="semi"), on=WRITTEN)

    said = names_in(pl.concat([changed.rows, candidates.join(moved, on=record, how="semi")]))
    touched = pl.concat([said, introduced.rows.select(_ENTITY)]).unique()
    judged = _judged(proposing(touched), introductions, contexts, embedder, policy)

    unknown = rejected.filter(pl.col("gate") == "no_fact")
    before = pl.concat([frame.select(_NAMED) for frame in (stored.entities, unknown)])
    known = pl.concat([before.join(touched, on=_ENTITY, how="anti"), _known(judged)])
    turned = difference(before, known).rows
    told = pl.concat([f.select(record) for f in (changed.rows, statements(candidates, turned))])
    naming = candidates.filter(pl.col("kind") == "entity").join(told, on=record, how="semi")
    spoken_of = statements(changed.rows, known).select(_ENTITY)
    names = pl.concat([touched, names_in(naming), spoken_of]).unique()

    others = proposing(names.join(touched, on=_ENTITY, how="anti"))
    judged = pl.concat([judged, _judged(others, introductions, contexts, embedder, policy)])
    topics = known.join(names, on=_ENTITY, how="semi").filter(pl.col("type") == "topic")
    free = candidates.filter(pl.col("predicate").is_in(FREE_STATEMENTS))
    about = pl.concat([f.select(_CANDIDATE) for f in (judged, statements(free, topics))])
    mentions = judged.filter(pl.col("kind") == "entity", pl.col("type") != "topic")
    elsewhere = candidates.join(mentions, on=record, how="anti")
    deciding = [
        candidates.join(mentions, on=record, how="semi"),
        elsewhere.join(about, on=_CANDIDATE, how="semi"),
    ]
    made = _gated(judged, fact_counts(pl.concat(deciding), known))
    kept = rejected.join(names, on=_ENTITY, how="anti").with_columns(name="shown")
    alive = stored.entities.join(names, on=_ENTITY, how="anti")
    return Gated(
        ENTITIES.frame(pl.concat([alive, made.entities])),
        REJECTIONS.frame(pl.concat([REJECTIONS.frame(kept), made.rejections])),
    )


def _judged(
    proposed: pl.DataFrame,
    introductions: pl.DataFrame,
    contexts: pl.DataFrame,
    embedder: Embedder,
    policy: Policy,
) -> pl.DataFrame:
    """Proposals with introduced_by, by_command, score, and the first gate that each falls at."""
    placed = proposed.join(
        introductions.select(*_ENTITY, "by_command", introduced_by="record_id"),
        on=_ENTITY,
        how="left",
    )
    # A model's names were judged with their facts before they became candidates (off_context.py);
    # those that a person gave to be kept are not judged.
    by_model = (pl.col("mode") == "full") & (pl.col("predicate") == "is")
    judged = (by_model | (pl.col("mode") == "given")).any().over(_ENTITY)
    fits = context_similarity(placed.filter(introduces() & ~judged), contexts, embedder)
    return placed.join(fits, on=_ENTITY, how="left").with_columns(
        gate=pl.when(pl.col("refusal").is_not_null())
        .then(pl.lit("structural"))
        .when(pl.col("introduced_by").is_null())
        .then(pl.lit("not_introduced"))
        .when(pl.col("score") < policy.min_name_similarity)
        .then(pl.lit("semantic"))
    )


def _known(judged: pl.DataFrame) -> pl.DataFrame:
    """Names that fell at no gate: what is said of them counts."""
    return judged.filter(pl.col("gate").is_null()).select(_NAMED).unique()


def _gated(judged: pl.DataFrame, counts: pl.DataFrame) -> Gated:
    """Judged names through the last gate, by the facts about each."""
    counted = judged.join(counts, on=_ENTITY, how="left").with_columns(pl.col("facts").fill_null(0))
    kept = (pl.col("facts") > 0) | pl.col("by_command")
    counted = counted.with_columns(
        gate=pl.when(pl.col("gate").is_null() & ~kept)
        .then(pl.lit("no_fact"))
        .otherwise(pl.col("gate"))
    )
    by_name = ["namespace", "written", "type"]
    only = pl.concat_str(
        pl.lit("only_"), pl.col("origin").sort_by(BY_TIME, nulls_last=True).first()
    )
    score, no_score = pl.col("score").first(), pl.lit(None, pl.Float64)
    rejections = [
        _refused(counted, by_name, "structural", pl.col("refusal").first(), no_score),
        _refused(counted, _ENTITY, "not_introduced", only, no_score),
        _refused(counted, _ENTITY, "semantic", pl.lit("off_context"), score),
        _refused(counted, _ENTITY, "no_fact", pl.lit("nothing_known"), score),
    ]
    passed = counted.filter(pl.col("gate").is_null())
    return Gated(_validated(passed), REJECTIONS.frame(pl.concat(rejections)))


def _refused(
    judged: pl.DataFrame, by: list[str], gate: str, rule: pl.Expr, score: pl.Expr
) -> pl.DataFrame:
    """Rows of `rejections` for names that fall at a gate."""
    group = (
        judged.filter(pl.col("gate") == gate)
        .group_by(by)
        .agg(
            pl.col("written").mode().min().alias("shown"),
            pl.col("type").first().alias("of_type"),
            rule.alias("rule"),
            score.alias("score"),
            pl.len().alias("candidates"),
            pl.col("record_id").sort_by(BY_TIME, nulls_last=True).first(),
        )
    )
    return group.select(
        "namespace",
        pl.col("shown").alias("name"),
        pl.col("of_type").alias("type"),
        pl.lit(gate).alias("gate"),
        "rule",
        "score",
        pl.col("candidates").cast(pl.Int64),
        "record_id",
    )


def _validated(passed: pl.DataFrame) -> pl.DataFrame:
    """Rows of `entities` for names that passed; `passed` has a row per candidate."""
    # What searches brought is about names as they were given, not as somebody wrote them.
    written = pl.col("written").filter(pl.col("mode") != "known_only")
    display = pl.coalesce(written.mode().min(), pl.col("written").mode().min())
    table = passed.group_by(_ENTITY).agg(
        pl.col("name", "type", "introduced_by", "facts").first(),
        display.alias("display_name"),
        written.unique().sort().alias("forms"),
        pl.col("occurred_at").min().alias("first_seen"),
        pl.col("occurred_at").max().alias("last_seen"),
        pl.len().alias("mentions"),
    )
    others = pl.col("forms").list.set_difference(pl.concat_list("display_name")).list.sort()
    return ENTITIES.frame(table.with_columns(aliases=others))


def fact_counts(candidates: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """Distinct facts that are about each entity of `known`, or whose own words name it.

    `cairn connects to host nas` is about the project, and its quote names the host; a package is
    named in the words of the command that installs it. That much is known of them. Topics need no
    such place: statements that name them are about them. `known` has namespace, entity_id, name and
    type.

    Returns:
        Columns namespace, entity_id and facts.
    """
    fact = ["namespace", "subject", "predicate", "canonical_object"]
    place = ["namespace", "record_id", "quote_field"]
    about = statements(candidates, known).with_columns(subject="entity_id")
    named = (
        candidates.filter((pl.col("kind") == "entity") & (pl.col("entity_type") != "topic"))
        .with_columns(
            type=pl.col("entity_type"), name=canonical_column("entity_name", "entity_type")
        )
        .join(known, on=["namespace", "type", "name"])
        .select(*place, "entity_id", at="quote_start", to="quote_end")
        .unique()
    )
    quoted = about.select(*fact, "record_id", "quote_field", "quote_start", "quote_end").unique()
    naming = named.join(quoted, on=place).filter(
        (pl.col("quote_start") <= pl.col("at")) & (pl.col("to") <= pl.col("quote_end"))
    )
    return (
        pl.concat([frame.select("entity_id", *fact) for frame in (about, naming)])
        .unique()
        .group_by(_ENTITY)
        .agg(pl.len().cast(pl.Int64).alias("facts"))
    )
