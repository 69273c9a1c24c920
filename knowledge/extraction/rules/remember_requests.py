"""Topics that a person names in a command of ours: `like`, `learn`, `schedule`."""

import re
from collections.abc import Iterator

import polars as pl

from cairn.knowledge.extraction.rules.rule import Record, RuleExample, RuleMatch, each, rule
from cairn.knowledge.schema.policy import Policy

COMMANDED = "commanded_topic"
"""Name of the rule by which a command brings a topic in: it is kept though nothing is known yet."""

_TOPIC = re.compile(
    r"^\s*/?(?:like|learn|schedule)\s+(?P<topic>.+?)\s*(?:--\w.*)?$", re.IGNORECASE | re.DOTALL
)


def _topics(record: Record, policy: Policy) -> Iterator[RuleMatch]:
    del policy
    if match := _TOPIC.match(record.text):
        start, end = match.span("topic")
        yield RuleMatch(record.text[start:end], start, end)


RULES = (
    rule(
        COMMANDED,
        1,
        "What a person likes, wants to learn or has searched for again and again, as an entity.",
        predicate="is",
        type="topic",
        confidence=1.0,
        reads=(pl.col("kind") == "command") & (pl.col("origin") == "human"),
        find=each(_topics),
        content="{object} is a topic",
        examples=(
            RuleExample("/like sourdough baking", ("sourdough baking",)),
            RuleExample("schedule Rust releases --every week", ("Rust releases",)),
            RuleExample("unlike sourdough baking"),
        ),
    ),
)
