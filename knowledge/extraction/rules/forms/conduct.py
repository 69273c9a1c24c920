"""The forms of what a person tells an agent of its work: rules to write down, what it got wrong.

They are matched as those of directives are. Whoever has a rule written into the agent's own
instructions, or complains of where or how it worked, wants it so from now on, though no word says
so.
"""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re

from cairn.knowledge.extraction.rules.forms.word_classes import OF_THE_MOMENT
from cairn.knowledge.nlp.patterns import lazy_pattern

_LED_IN = r"""(?:(?:always\ )?(?:(?:specify|specifies)|says?|states?|mentions?|records?|requires?|tells?\ (?:you|me|agents?|it)|reminds?\ (?:you|agents?|it)
      |make\ sure|ensures?|agents?\ (?:always\ )?(?:knows?|must|should)|what\ we\ (?:just\ )?learned\ (?:re|about|regarding|on)|it\ is\ clear|you)\ (?:that\ |to\ )*)*"""
"""How what is to be written is led in."""

_WRITES = lazy_pattern(
    rf"""(?:(?:please|also|and|then|now|so|just|can\ you|could\ you)\ )*
        (?:add|make|create|write|record|put|update|adjust|amend|change|extend|improve|document)\ [^;?]{{0,80}}?
        (?:\b(?:rules?|(?:agents?|claude|copilot|cursor|project|custom|your)\ instructions?|guidelines?|your\ memory)\b|\b(?:claude|agents|gemini)\.md\b|\.mdc\b|\.cursorrules\b)
        [^;?]{{0,40}}?\ (?:to(?!\ (?:this|that|the|my|your|our|it|an?)\b)|(?<!\bto\ )(?<!\bin\ )(?<!\bfor\ )(?<!\bof\ )that|which|so(?:\ that)?|saying|stating)\ {_LED_IN}""",
    re.VERBOSE,
)
"""What has something written into the instructions of the agent, up to what that is."""

_HOLDS = lazy_pattern(
    r"\b(?:always|never|ever|any|anymore|every|each|when|whenever|before|after|instead of|rather than|must|only|no longer|do not)\b"
)
"""What makes a rule for agents of it; a rule of a firewall has none, mostly."""

_WORKED = r"(?:edit|updat|modif|chang|creat|commit|push|merg|work|run|writ|wrote|put|add|mak|made|install|test|deploy|delet)"
_PLACE = r"(?:repo|repository|workspace|worktree|checkout|clone|branch|main|master|tree|copy|folder|directory|container|env|environment|venv|server|prod|production|staging|sandbox|machine)\b"
_WRONG_PLACE = lazy_pattern(
    rf"(?:no\ )?(?:why\ )?(?:you\ (?:are\ |were\ |keep\ |have\ )?|are\ you\ ){_WORKED}\w*\ [^;?]{{0,60}}?\b{_PLACE}"
    rf"[^;?]{{0,20}}?(?:,|\ and|\ but)?\ (?:not|instead\ of)\ (?:in\ |on\ |from\ |to\ )?(?:the\ |an?\ |your\ )?\w",
    re.VERBOSE,
)
_WHY_NOT = lazy_pattern(
    r"why\ did\ not\ you\ (?=(?:run|use|check|follow|read|ask|commit|push|test|switch|verify|wait|respect)\ )"
)
"""What it should have done stands behind it as an order would."""

_WHY = lazy_pattern(
    r"why\ (?:on\ earth\ |the\ \w+\ )?(?:did|do|are|have)\ you\ (?:keep\ )?\w+\ [^;?]{3,80}?"
    r"(?:\b(?:before\ \w+ing|without\ \w+ing|when\ i\ (?:asked|told|said)|instead\ of)\b|(?:,|\ and)\ not\ )"
)
_CONDUCT = lazy_pattern(
    r"""you\ can\ (?:keep\ going|carry\ on|continue|proceed|go\ on)\ (?:until|without|as\ long\ as|unless)\ \w
      | you\ (?:should|must)\ (?:not|never)\ be\ \w+ing\ \w
      | you\ (?:need|have)\ to\ (?:always\ )?\w+\ [^;?]{3,60}?\ (?:to\ make\ sure|each\ time|every\ time|whenever|before\ \w+ing|after\ \w+ing)\b""",
    re.VERBOSE,
)


def conduct_form(told: str) -> int | None:
    """Where what an agent is to do from now on begins; None if nothing of that is said.

    Args:
        told: A sentence in lower case from its first word on, code and quotations as `x`.
    """
    if written := _WRITES.match(told):
        return written.end() if _HOLDS.search(told, written.end()) else None
    if OF_THE_MOMENT.search(told):
        return None
    if asked := _WHY_NOT.match(told):
        return asked.end()
    return 0 if any(form.match(told) for form in (_WRONG_PLACE, _WHY, _CONDUCT)) else None
