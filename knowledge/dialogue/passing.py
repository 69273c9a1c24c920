"""What tells of its moment alone: it points at what only its conversation shows, or a plan follows.

`The tests fail on line 42. Let me look.` is no knowledge of next week, however true it was.
"""

from collections.abc import Iterator

from cairn.knowledge.nlp.patterns import lazy_pattern
from cairn.knowledge.nlp.text import sentences

_POINTS = lazy_pattern(
    r"(?i)^\W*(?:that|it(?! turn(?:s|ed) out\b)|its|they|he|she|so|then|both|neither)\b"
    r"|\b(?:this|these|those|here|now|currently|again|still|just|above|below|earlier"
    r"|previous(?:ly)?|remaining|another|next)\b"
    r"|\b(?:of|in|on|for|with|from|to|at|by|is|was) that\b(?! \w+s\b)"
    r"|\bthe (?:same |other |only |real |actual |root |main |new |old |current |existing "
    r"|failing )?"
    r"(?:issues?|problems?|errors?|bugs?|failures?|fix(?:es)?|tests?|files?|lines?|code|function"
    r"|method|class|solutions?|changes?|output|command|result|cause|build|script|reason|approach"
    r"|implementation|user|agent|session|conversation|plan|task)\b(?! (?:of|for|in|on|to|with) \S)"
)
"""Words that only who is there can follow."""

_COUNTS = lazy_pattern(
    r"(?i)\blines? \d+|:\d+\b|\b\d+(?:\.\d+)? ?(?:%|[a-z]+s\b|ms|sec|min|[kmg]i?b)\b|\b\d+/\d+\b"
    r"|\b(?:two|three|four|five|six|seven|eight|nine|ten|several|many|some|all|both) (?:more )?"
    r"(?:tests?|errors?|failures?|files?|lines?|warnings?|issues?|problems?|things?|places?)\b"
)
"""Line numbers, counts and durations."""

_PLAN = lazy_pattern(
    r"(?i)^\W*(?:(?:so|now|then|next|ok(?:ay)?|first|alright|right|good|great)[,:]? )*"
    r"(?:let me\b|let['’]s\b|i(?:['’]ll| will| need to| should"
    r"| am going to|['’]m going to| can| have to|['’]d better)\b"
    r"|we (?:need to|should|can|will|have to)\b|time to\b|going to\b"
    r"|(?:fix|check|look|try|run|add|update|investigat|read|see)\w*ing\b)"
)

_SORRY = lazy_pattern(
    r"(?i)^\W*(?:you(?:['’]re| are) (?:absolutely |completely |quite )?(?:right|correct)\b"
    r"|good (?:catch|point)\b|sorry\b|apolog\w+|my (?:mistake|bad|apologies)\b|i was wrong\b"
    r"|i (?:misread|mistook|misunderstood|made a mistake|got (?:that|it) wrong)\b"
    r"|actually,? (?:no|that)\b)"
)

_NO_MATTER = lazy_pattern(
    r"(?i)^\W*(?:but |and |so )?(?:that|this|it|which)(?:['’]s| is| was| should be)? "
    r"(?:actually |perfectly |all )?"
    r"(?:fine|ok(?:ay)?|expected|intentional|intended|harmless|by design|as (?:intended|expected)"
    r"|correct|not (?:an? |the )?(?:actual |real )?(?:issue|problem|bug|cause|error))\b"
)
"""How somebody says right behind a fault that it is none."""

_NO_HELP = lazy_pattern(
    r"(?i)^[^.!?\n]*\b(?:did ?n['’]t|did not|does ?n['’]t|does not) "
    r"(?:help|fix (?:it|that|this)|solve (?:it|that|this)|make a difference|change anything)\b"
)
_OTHERWISE = lazy_pattern(
    r"(?i)^\W*(?:wait|actually|hm+|false alarm|never ?mind|scratch that)\b"
    r"|\b(?:so|and) (?:it|that|this)(?:['’]s| is) (?:actually )?(?:fine|ok(?:ay)?|correct)\b"
    r"|\b(?:was|were|is|are) (?:just|only|merely) (?:an? )?"
    r"(?:stale|old|cached|leftover|false|outdated)\b"
    r"|\b(?:was|is)(?: not|n['’]t) (?:the|an?) (?:actual |real )?"
    r"(?:issue|problem|cause|bug|error|culprit)\b"
    r"|\bno (?:issue|problem|bug) (?:here|there|after all)\b"
)
"""How a sentence of the next message of the same speaker says that it was not so."""

_GUESS = lazy_pattern(
    r"(?i)\b(?:might|may|maybe|perhaps|probably|possibly|presumably|likely|could be|not sure"
    r"|i (?:guess|think|suspect|assume|believe)|seems?|appears? (?:to|that)|looks like)\b"
)

BEGINNING = 300
"""Characters of a message in which its speaker takes something back, or says what comes next."""


def tells_of_its_moment(text: str) -> bool:
    """Whether a statement points at what is only there while it is said, or counts it."""
    return bool(_POINTS.search(text) or _COUNTS.search(text))


def plans(text: str) -> bool:
    """Whether a text begins by saying what its speaker does next."""
    return bool(_PLAN.match(text[:BEGINNING]))


def gives_in(text: str) -> bool:
    """Whether a message begins by taking back what its speaker said before."""
    return bool(_SORRY.match(text[:BEGINNING]))


def no_matter(rest: str) -> bool:
    """Whether what stands behind a statement begins by saying that nothing is at fault."""
    return bool(_NO_MATTER.match(rest[:BEGINNING]))


def no_help(text: str) -> bool:
    """Whether a message begins by saying that what was tried last changed nothing."""
    return bool(_NO_HELP.match(text[:BEGINNING]))


def otherwise(text: str) -> Iterator[str]:
    """Sentences at the beginning of a message that say that something was not so after all."""
    for start, end in sentences(text[:BEGINNING]):
        if _OTHERWISE.search(text[start:end]):
            yield text[start:end]


def guesses(text: str) -> bool:
    """Whether a statement says itself that it may be otherwise."""
    return _GUESS.search(text) is not None
