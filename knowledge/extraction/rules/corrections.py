"""What a person says in the place of a fact that is wrong."""

from collections.abc import Iterator

import polars as pl

from cairn.knowledge.extraction.rules.rule import Record, RuleMatch, each, rule
from cairn.knowledge.ingest.inbox_events.decisions import CORRECT, FACT, KIND, told_of
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.predicates import OBSERVED_TYPES

CORRECTION = "correction"
"""Name of the rule, and start of the extractor of its candidates."""


def _corrections(record: Record, policy: Policy) -> Iterator[RuleMatch]:
    told = told_of(record.tool_input)
    if told is None or told.decision != CORRECT or told.thing != FACT or not told.meant:
        return
    if told.meant[0].type not in OBSERVED_TYPES | {"topic"}:
        return
    text = record.text
    start = len(text) - len(text.lstrip())
    corrected = told.meant[0]
    yield RuleMatch(
        text.strip(),
        start,
        len(text.rstrip()),
        about=(corrected.entity, corrected.type),
        predicate=corrected.predicate,
        confidence=policy.own_statement_confidence,
    )


RULES = (
    rule(
        CORRECTION,
        1,
        "What `cairn correct` puts in the place of a fact: of the same entity and predicate.",
        confidence=0.8,
        reads=(pl.col("kind") == KIND)
        & (pl.col("origin") == "human")
        & pl.col("tool_input").str.contains(f'"decision":"{CORRECT}"', literal=True),
        find=each(_corrections),
        policy=("own_statement_confidence",),
    ),
)
