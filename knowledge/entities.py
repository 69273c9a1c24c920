"""Entities: who introduced a name, the gates it passes, and what becomes of it.

The gates, in order: `structural` (form of the name), `not_introduced` (no person brought it in),
`semantic` (a topic that does not fit where it was said), `no_fact` (nothing is known about it). A
name that falls at one is in `rejections` with the rule that refused it; a name that passes all is
an entity. Nothing here depends on the order of rows.
"""

from bisect import bisect_right
from typing import NamedTuple

import numpy as np
import polars as pl

from knowledge.embedding import Embedder
from knowledge.facts import statements
from knowledge.identity import digest_column
from knowledge.names import canonical_column, refusals
from knowledge.policy import OBSERVED_TYPES, Policy
from knowledge.rules.orders import COMMANDED
from knowledge.similarity import pair_similarity
from knowledge.tables import ENTITIES, INTRODUCTIONS, REJECTIONS
from knowledge.text import sentences

PERSON_TRIGGERS = ("user_message", "learn_command")
"""Triggers by which a name may come in; `enrichment` never brings one."""

_ENTITY = ["namespace", "entity_id"]
_BY_TIME = ["occurred_at", "record_id", "candidate_id"]


class Gated(NamedTuple):
    """The tables `entities` and `rejections`."""

    entities: pl.DataFrame
    rejections: pl.DataFrame


def proposals(candidates: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """Candidates with the entity that each names.

    Adds name (canonical), type, entity_id, written (the name as proposed) and refusal (the
    structural rule against that form, or null).
    """
    refusal = refusals(candidates["entity_name"], candidates["entity_type"], policy.name_words)
    return candidates.with_columns(
        written=pl.col("entity_name").str.strip_chars(),
        type=pl.col("entity_type"),
        name=canonical_column("entity_name", "entity_type"),
        refusal=refusal,
    ).with_columns(entity_id=digest_column("namespace", "type", "name", prefix="e_"))


def _introduces() -> pl.Expr:
    """Whether a candidate may bring its name in.

    Topics come from what a person said or searched for, and from what a learn command found; other
    text from outside is a tool's output. Observed types also come from what was done: the input of
    a call, its tool, its folder, not prose or output.
    """
    origin, trigger = pl.col("origin"), pl.col("trigger")
    said = (origin == "human") | ((origin == "external") & (trigger == "learn_command"))
    done = (pl.col("quote_field") != "text") & pl.col("type").is_in(OBSERVED_TYPES)
    done = done & ~origin.is_in(["recalled", "system"])
    by_person = trigger.is_in(PERSON_TRIGGERS) & (pl.col("mode") != "known_only")
    return (said | done) & by_person & pl.col("refusal").is_null()


def _by_command() -> pl.Expr:
    """A name that a command brought in is kept though there is no fact about it yet."""
    return pl.col("extractor").str.starts_with(f"{COMMANDED}@")


def introductions(candidates: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """The table `introductions`: each name and the first human-triggered event that brought it.

    First by time, undated ones last, then by record_id. Names of a form that the structural gate
    refuses are not introduced.
    """
    introduced = proposals(candidates, policy).filter(_introduces())
    first = (
        introduced.sort(*_BY_TIME, nulls_last=True)
        .group_by(_ENTITY, maintain_order=True)
        .agg(
            pl.col("name", "type", "record_id").first(),
            pl.col("occurred_at").first().alias("introduced_at"),
            _by_command().any().alias("by_command"),
        )
    )
    return INTRODUCTIONS.frame(first)


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
        policy: name_words and semantic_floor.
    """
    proposed = proposals(candidates, policy).join(
        introductions.select(*_ENTITY, "by_command", introduced_by="record_id"),
        on=_ENTITY,
        how="left",
    )
    malformed = proposed.filter(pl.col("refusal").is_not_null())
    formed = proposed.filter(pl.col("refusal").is_null())
    strange = formed.filter(pl.col("introduced_by").is_null())
    introduced = formed.filter(pl.col("introduced_by").is_not_null())

    fits = context_similarity(introduced.filter(_introduces()), contexts, embedder)
    judged = introduced.join(fits, on=_ENTITY, how="left")
    stray = (pl.col("score") < policy.semantic_floor).fill_null(value=False)
    fitting = judged.filter(~stray)

    counts = fact_counts(candidates, fitting.select(*_ENTITY, "name", "type").unique())
    counted = fitting.join(counts, on=_ENTITY, how="left").with_columns(
        pl.col("facts").fill_null(0)
    )
    kept = (pl.col("facts") > 0) | pl.col("by_command")

    empty_score = pl.lit(None, pl.Float64)
    only = pl.concat_str(
        pl.lit("only_"), pl.col("origin").sort_by(_BY_TIME, nulls_last=True).first()
    )
    each_form = ["namespace", "written", "type"]
    rejections = pl.concat(
        [
            _refused(malformed, each_form, "structural", pl.col("refusal").first(), empty_score),
            _refused(strange, _ENTITY, "not_introduced", only, empty_score),
            _refused(
                judged.filter(stray), _ENTITY, "semantic", pl.lit("off_context"),
                pl.col("score").first(),
            ),
            _refused(
                counted.filter(~kept), _ENTITY, "no_fact", pl.lit("nothing_known"),
                pl.col("score").first(),
            ),
        ]
    )  # fmt: skip
    return Gated(_validated(counted.filter(kept)), REJECTIONS.frame(rejections))


def _refused(
    proposed: pl.DataFrame, by: list[str], gate: str, rule: pl.Expr, score: pl.Expr
) -> pl.DataFrame:
    """Rows of `rejections` for names that fall at a gate."""
    group = proposed.group_by(by).agg(
        pl.col("written").mode().min().alias("shown"),
        pl.col("type").first().alias("of_type"),
        rule.alias("rule"),
        score.alias("score"),
        pl.len().alias("candidates"),
        pl.col("record_id").sort_by(_BY_TIME, nulls_last=True).first(),
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
    display = pl.col("written").mode().min()
    table = passed.group_by(_ENTITY).agg(
        pl.col("name", "type", "introduced_by", "facts").first(),
        display.alias("display_name"),
        pl.col("written").unique().sort().alias("forms"),
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
    such place: statements that name them are about them.

    Args:
        candidates: The table `candidates`.
        known: Columns namespace, entity_id, name and type.

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


def context_similarity(
    named: pl.DataFrame, contexts: pl.DataFrame, embedder: Embedder
) -> pl.DataFrame:
    """How well each topic fits where it was named, at its best place.

    Compared are the name with its evidence, the sentence that it stands in, and its context, the
    whole text of the record. A bare name has too few words to be compared with a text.

    Args:
        named: Proposals that introduce their names; only topics are looked at.
        contexts: Columns namespace, record_id and text.
        embedder: Gives vectors and calibration.

    Returns:
        Columns namespace, entity_id and score, one row per topic.
    """
    topics = named.filter(pl.col("type") == "topic").join(
        contexts.select("namespace", "record_id", pl.col("text").alias("context")).unique(
            ["namespace", "record_id"]
        ),
        on=["namespace", "record_id"],
        how="left",
    )
    places = topics.select(
        *_ENTITY,
        "written",
        "quote_start",
        context=pl.when(pl.col("quote_field") == "text")
        .then("context")
        .fill_null(pl.col("content")),
        found=(pl.col("quote_field") == "text") & pl.col("context").is_not_null(),
    ).unique()
    evidence = [
        f"{name}. {sentence}"
        for name, sentence in zip(
            places["written"].to_list(),
            _sentences_at(places),
            strict=True,
        )
    ]
    texts = pl.Series("text", [*evidence, *places["context"].to_list()], dtype=pl.String)
    distinct = texts.unique().sort()
    row = pl.DataFrame({"text": distinct}).with_row_index("row")
    rows = texts.to_frame().join(row, on="text", how="left", maintain_order="left")["row"]
    index = rows.to_numpy().astype(np.int64)
    vectors = embedder.embed(distinct.to_list())
    half = places.height
    scores = pair_similarity(vectors, vectors, index[:half], index[half:], embedder)
    return (
        places.select(_ENTITY).with_columns(score=pl.Series(scores, dtype=pl.Float64))
        .group_by(_ENTITY)
        .agg(pl.col("score").max())
    )  # fmt: skip


def _sentences_at(places: pl.DataFrame) -> list[str]:
    """The sentence at `quote_start` of each context; the whole context if it is not the record."""
    spans_of: dict[str, list[tuple[int, int]]] = {}
    found: list[str] = []
    for text, start, known in places.select("context", "quote_start", "found").iter_rows():
        if not known:
            found.append(text)
            continue
        if text not in spans_of:
            spans_of[text] = sentences(text)
        spans = spans_of[text]
        at = bisect_right(spans, (start, len(text))) - 1
        left, right = spans[at] if at >= 0 else (0, len(text))
        found.append(text[left:right])
    return found
