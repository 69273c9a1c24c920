"""Wishes of how a thing looks, or which words stand on it: done, they stand in the code.

They are told in the form of a decision, and hold for that one place.
"""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re

from cairn.knowledge.nlp.patterns import lazy_pattern

_LOOKS = lazy_pattern(
    r"""\b(?:icons?|logos?|colou?r(?:s|ed)?|fonts?|bold|italics?|(?:upper|lower)[ -]?case|capitali[sz]ed|capital\ [a-z]\b
      |bigger|smaller|larger|wider|narrower|taller|shorter|tiny|brighter|darker|lighter|padding|margins?|spacing|glow\w*|tooltips?
      |hover\w*|click?a?ble|pixels?|\d+px|gradients?|shadows?|cent(?:er|re)d|animations?|backgrounds?|borders?|rounded|opacity
      |headings?|headlines?|captions?|placeholders?|checkbox(?:es)?|dropdowns?|navbar|sidebar|top\ (?:left|right)|bottom\ (?:left|right))\b""",
    re.VERBOSE,
)
_QUOTED = r"[\"“][^\"”]{2,80}[\"”]"
_WORDED = lazy_pattern(rf"{_QUOTED}.*{_QUOTED}|\b(?:do not|don't|dont) say\b.*\bsay\b", re.DOTALL)
_IN_GENERAL = lazy_pattern(
    r"\b(?:always|never|every|each|all|everywhere|from now on|going forward|convention|guideline|design system|style guide|theme)\b"
)


def is_detail(told: str) -> bool:
    """Whether a sentence wants one place to look, or to be worded, in some way."""
    plain = told.lower()
    if _IN_GENERAL.search(plain):
        return False
    return _LOOKS.search(plain) is not None or _WORDED.search(plain) is not None
