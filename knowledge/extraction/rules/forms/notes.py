"""How a line of a file that agents read tells what to do, or how a thing is.

It is matched on a sentence in lower case, contractions written out.
"""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re

from cairn.knowledge.extraction.rules.forms.directives import alone
from cairn.knowledge.extraction.rules.forms.word_classes import FINITE, ORDER
from cairn.knowledge.nlp.patterns import lazy_pattern
from cairn.knowledge.nlp.text import words

FEWEST_WORDS = 6
"""Words of a note: fewer name a thing."""

_NAMED = r"(?!(?:we|i|you|they|this|that|there|it)\b)[^,;:(]{3,80}?"
_FORBIDS = lazy_pattern(
    rf"""^(?:(?:when|whenever|if|before|after|for|in|on)\ [^,]{{3,80}},\ )?
        (?:always|never|do\ not|avoid|prefer|only\ {ORDER}|you\ must|must)\ \w
      | ^{_NAMED}\ must(?:\ (?:not|never|always|only|also))?\ (?!have\ been\b)\w
      | ^{_NAMED}\ should\ (?:not|never|always|only|be)\ \w""",
    re.VERBOSE,
)
"""What is to be done or left, beside the forms in which people say it."""

_TELLS = lazy_pattern(
    rf"(?:^|\s){FINITE} |\b(?:do|must|never|only|always|cannot|belongs?|fails?|breaks?|kills?|blocks?"
    r"|ignores?|hangs?|resolves?|creates?|joins?|writes?|reads?|gets?|keeps?|stays?|lives?|loses?"
    r"|drops?|mangles?|points?|deploys?|serves?|listens?|prints?|resets?|loads?|starts?|stops?)\b"
)
_NO_NOTE = lazy_pattern(
    rf"""^(?:(?:is|are|was|were|has|uses|used|accessible|connects|verified|fixed|built|added|also|moved
          |supports|returns|writes|includes|contains|shows|full|complete|see|why|status|decisions
          |phase|step|exception|known\ gap|todo|open|pending|next|this|these|those|it|they|there|both
          |all|he|she|we|i|you|if|anything|everything|others?)\b|\W)
      | ^(?:the|a|an|this|each|every)\ (?:script|agent|file|tests?|output|result|user|tool|command|report|session|step|prompt|plan|task)s?\b
      | ^{ORDER}\ | \byes\ /\ no\b
      | \b(?:19|20)\d\d-\d\d-\d\d\b | \b(?:pr|issue|commit)\ \#?\d | \b(?:was|were)\ fixed\b
      | \bfixed[:.]? """,
    re.VERBOSE,
)
"""How a line begins without what it is about, or with what is to be done in a step; what tells of the
work of a day, and what is to be filled in."""


def is_rule(plain: str) -> bool:
    """Whether a line tells what is to be done or left, and can be read alone."""
    return _FORBIDS.search(plain) is not None and alone(plain)


def is_note(plain: str) -> bool:
    """Whether a line tells of a named thing how it is, and can be read alone."""
    if _TELLS.search(plain) is None or _NO_NOTE.search(plain):
        return False
    return len(words(plain)) >= FEWEST_WORDS and alone(plain)
