"""Systems that a person's request is about: a list of words that settings extend."""

import re
from collections.abc import Iterator
from functools import lru_cache

from cairn.knowledge.extraction.rules.rule import (
    SAID_BY_PERSON,
    Record,
    Rule,
    RuleExample,
    RuleMatch,
    each,
    rule,
)
from cairn.knowledge.schema.policy import Policy

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_URL = re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]{0,30}://\S+")


@lru_cache(maxsize=64)
def _pattern(systems: tuple[str, ...]) -> re.Pattern[str]:
    listed = "|".join(
        re.escape(" ".join(name.split())).replace(r"\ ", r"\s+")
        for name in sorted(systems, key=lambda name: (-len(name), name))
        if name.strip()
    )
    return re.compile(
        rf"(?<![\w./@:#$-])(?P<name>{listed or '(?!)'})s?(?![\w/@:=(-]|\.\w)", re.IGNORECASE
    )


def _systems(record: Record, policy: Policy) -> Iterator[RuleMatch]:
    text = record.words
    for hidden in (_FENCE, _URL):
        text = hidden.sub(lambda match: " " * len(match[0]), text)
    for match in _pattern(policy.target_systems).finditer(text):
        name = " ".join(match["name"].lower().split())
        yield RuleMatch(name, match.start("name"), match.end("name"))


RULES: tuple[Rule, ...] = (
    rule(
        "targets_system",
        1,
        "A system that a person's request names, of the list `target_systems`.",
        confidence=0.7,
        reads=SAID_BY_PERSON,
        find=each(_systems),
        content="{entity} targets the system {object}",
        policy=("target_systems",),
        examples=(
            RuleExample("Restart nginx on the NAS.", ("nginx", "nas")),
            RuleExample("Run phx.server and read server.py."),
        ),
    ),
    rule(
        "system",
        1,
        "A system of the list `target_systems` that a person named, as an entity.",
        predicate="is",
        type="system",
        confidence=0.7,
        reads=SAID_BY_PERSON,
        find=each(_systems),
        content="{object} is a system",
        policy=("target_systems",),
    ),
)
