"""Rules: data and small functions, in one registry; docs/rules.md is made from it."""

from knowledge.extraction.rules import (
    commands,
    corrections,
    entities,
    keywords,
    paths,
    phrases,
    remember_requests,
    statements,
)
from knowledge.extraction.rules.rule import Example, Found, Record, Rule, field_text

RULES: tuple[Rule, ...] = (
    *commands.RULES,
    *paths.RULES,
    *keywords.RULES,
    *statements.RULES,
    *entities.RULES,
    *phrases.RULES,
    *remember_requests.RULES,
    *corrections.RULES,
)
"""Every rule in force. None depends on what another one found."""

__all__ = ["RULES", "Example", "Found", "Record", "Rule", "field_text"]
