"""Rules: data and small functions, in one registry; docs/rules.md is made from it."""

from cairn.knowledge.extraction.rules import (
    chosen,
    commands,
    corrections,
    decided,
    directives,
    entities,
    explained,
    keywords,
    paths,
    phrases,
    refusals,
    remember_requests,
    salient,
    statements,
    written_down,
)
from cairn.knowledge.extraction.rules.rule import Record, Rule, RuleExample, RuleMatch, field_text

RULES: tuple[Rule, ...] = (
    *commands.RULES,
    *paths.RULES,
    *keywords.RULES,
    *statements.RULES,
    *directives.RULES,
    *decided.RULES,
    *chosen.RULES,
    *refusals.RULES,
    *written_down.RULES,
    *explained.RULES,
    *salient.RULES,
    *entities.RULES,
    *phrases.RULES,
    *remember_requests.RULES,
    *corrections.RULES,
)
"""Every rule in force. None depends on what another one found."""

__all__ = ["RULES", "Record", "Rule", "RuleExample", "RuleMatch", "field_text"]
