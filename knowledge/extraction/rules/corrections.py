"""What a person says in the place of a fact that is wrong."""

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from cairn.knowledge.extraction.rules.rule import Record, RuleMatch, rule
from cairn.knowledge.ingest.inbox_events.decisions import (
    ABOUT_ONE,
    CORRECT,
    FACT,
    KIND,
    ToldDecision,
    told_of,
    undone,
)
from cairn.knowledge.nlp.names import canonical, canonical_object
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.predicates import OBSERVED_TYPES

CORRECTION = "correction"
"""Name of the rule, and start of the extractor of its candidates."""

Content = tuple[str, ...]
"""Type and name of the entity, predicate and object of a fact."""


def _corrections(records: Sequence[Record], policy: Policy) -> Iterator[RuleMatch]:
    """What corrections say that hold."""
    for place, told in _holding(records):
        corrected, text = told.meant[0], records[place].text
        if corrected.type in OBSERVED_TYPES | {"topic"}:
            yield RuleMatch(
                text.strip(),
                len(text) - len(text.lstrip()),
                len(text.rstrip()),
                record=place,
                about=(corrected.entity, corrected.type),
                predicate=corrected.predicate,
                confidence=policy.own_statement_confidence,
            )


def _holding(records: Sequence[Record]) -> Iterator[tuple[int, ToldDecision]]:
    """Corrections that nobody undid, and of which not all was decided otherwise since.

    What shares no more than its words with what is decided is told where facts are known
    (knowledge/consolidation/verdicts/decisions.py).
    """
    latest_first = [
        (place, told)
        for place, each in reversed(list(enumerate(records)))
        if (told := told_of(each.tool_input))
    ]
    gone = undone(
        (records[place].record_id, told.decision, [one.id for one in told.meant])
        for place, told in latest_first
    )
    about_one = {
        place: told
        for place, told in latest_first
        if told.decision in ABOUT_ONE
        and told.thing == FACT
        and records[place].record_id not in gone
    }
    named = _contents(about_one)
    settled: set[Content] = set()
    for place, told in about_one.items():
        if told.decision == CORRECT and not named[place] <= settled:
            yield place, told
        settled |= named[place]


def _contents(decided: Mapping[int, ToldDecision]) -> dict[int, set[Content]]:
    """What decisions name, in the form that tells facts apart."""
    columns = ("type", "entity", "predicate", "object")
    rows = pl.DataFrame(
        [
            (place, one.type, canonical(one.entity, one.type), one.predicate, one.object)
            for place, told in decided.items()
            for one in told.meant
        ],
        schema={"place": pl.Int64, **dict.fromkeys(columns, pl.String)},
        orient="row",
    )
    found: dict[int, set[Content]] = {place: set() for place in decided}
    for place, *content in rows.with_columns(object=canonical_object()).iter_rows():
        found[place].add(tuple(content))
    return found


RULES = (
    rule(
        CORRECTION,
        2,
        "What `cairn correct` puts in the place of a fact, of the same kind, while it holds.",
        confidence=0.8,
        reads=(pl.col("kind") == KIND) & (pl.col("origin") == "human"),
        find=_corrections,
        whole=True,
        policy=("own_statement_confidence",),
    ),
)
