"""Open classes of words, by their form: what can be an order, a plural, what points, what passes.

They are parts of patterns, for a sentence in lower case whose contractions are written out. Closed
lists hold only function words, feelings and past forms: what somebody can do is never listed.
"""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re

from cairn.knowledge.nlp.vocabulary import PARTICIPLES, PASTS

_FUNCTION = (
    "the|an?|this|that|these|those|it|its|them|they|their|he|she|his|her|him|i|me|my|we|us|you|your|there|here|as|at"
    "|in|on|of|for|from|with|by|up|out|and|or|but|not|no|so|too|yet|even|ever|only|all|any|again|more|less|enough"
    "|much|many|really|quite|what|how|why|who|if|when"
)
_FEELING = (
    "worry|think|know|care|mind|bother|see|understand|have|need|want|believe|recall|remember|agree|like|love|feel"
    "|hesitate|panic|forget|exist|work|seem|look|matter|get|hear|happen|be|been|is|are|was|had|wonder|guess|hope|wish"
    "|mean|lecture|die|expect|reali[sz]e|notice|laugh|sleep|smile"
)
_ALIKE = frozenset(
    ("put", "cut", "set", "read", "hit", "hurt", "run", "shut", "split", "cast", "become", "come")
)
PAST = "(?:" + "|".join(sorted((PASTS | PARTICIPLES) - _ALIKE)) + ")"
"""Past forms that do not end in `ed`, and are no present ones."""

ORDER = (
    rf"(?:(?!(?:{_FUNCTION}|{_FEELING}|{PAST}|been|seen|known|done|gone|able|allowed|supposed)\b)"
    r"[a-z]{2,}(?:-[a-z]+)?(?<!ing)(?<!ly)(?<!able)(?<!ous)(?<!ful)(?<![^e]ed)(?<![^su]s)\b)"
)
"""Any word that can be what somebody is told to do: no past form, adjective, adverb or feeling."""

POINTED = (
    r"(?:the|this|that|these|those|it|its|them|they|my|your|his|her|an?|some|both|another|one|me|us|him|you|there"
    r"|here|any(?:thing)?|something|everything|so|too|now|again)\b"
)
"""What an object begins with that is this one, or one alone: what is meant in general is bare."""

PLURAL = r"(?:\w+(?:[-.]\w+)*(?<=[^\Wsu])s(?<!\bthis)(?<!\bis)(?<!\bhas)(?<!\bwas)(?<!\bas)(?<!\balways)|code|data|documentation|logging|people|text|output|prose|telemetry)\b"
"""A word that is a plural, or of what is not counted."""

_BETWEEN = r"(?:[\w'/.+#-]+\ ){0,2}"
IN_GENERAL = rf"(?!{POINTED}){_BETWEEN}{PLURAL}"
"""A bare plural: things of a kind."""

NO_SUCH = (
    r"(?!code[.!]?$|(?:(?:code|other|big|major|real)\ )?(?:problem|worr(?:y|ie)|issue|error|warning|change|need|idea|matter|one|way|luck|result|update|question|longer"
    r"|difference|failure|rush|thank|wonder|plan|test|doubt|reason|clue|sense|meaning)s?\b)"
)
"""What `no` forbids nothing of."""

_INVERTED = r"\b(?:what|which|how|where|why|when|who)(?: [\w'-]+){0,2} (?:do|does|did|can|could|will|would|should) (?:i|you|we|they)\b"
FINITE = (
    r"(?:is|are|was|were|has|have|had|does|did|will|can|cannot|could|would|needs|requires|uses|takes|returns|expects|runs"
    r"|goes|comes|gets|works|lives|depends|means)\b"
)
"""Verbs that make a sentence of what stands before them: it tells, and orders nothing."""

INVERTED = re.compile(_INVERTED)
"""The order of words of a question, which people often write without its mark."""

ASKS = re.compile(
    rf".*{_INVERTED}|"
    r"(?:can|could|would|will|do(?!\ not)|does|did|is|are|am|was|were|has|have|had|what|why|how|who|whose|where|which"
    r"|shall|should|may|let\ me|tell\ me|show\ me|give\ me)\b|.*\?\W*$"
)
"""A question, with or without its mark, or what somebody wants told."""

STEERS = (
    r"(?:go\ (?:on|ahead|through|back|over)|move\ (?:on|forward|ahead)|keep\ (?:going|moving|working|pushing|trying)|continue|proceed|start|begin"
    r"|resume|come\ back|get\ back|get\ started|switch\ gears|work\ (?:on|through)|focus|try|see|test|tackle|finish|wrap\ up|take\ a\ look)\b"
)
"""What is said of how a conversation goes on, not of what it is about."""

THOUGHT_GONE = (
    r"i\ thought\ we\ (?:(?:had\ |have\ )?(?:already\ )?(?:removed|dropped|renamed|deprecated|replaced|switched\ to|moved\ to)"
    r"|no\ longer\ (?:use|need|support|have))\b"
)
"""What somebody says they know to be gone: they doubt whoever brings it back."""

COMMIT_ID = r"(?=[a-f\d]*\d)(?=[a-f\d]*[a-f])[a-f\d]{7,40}\b"
"""The id of a commit, or a part of one, in lower case."""

DOUBTED = re.compile(
    r"\b(?:lets? (?:us )?say|maybe|perhaps|probably|might|could|wonder\w*|guess|hopefully|not sure|whether|(?!"
    + THOUGHT_GONE
    + r")i (?:think|thought|believe|suppose|suspect|assume|wish)|(?:as|so) far as i (?:know|can tell|remember|understand)|seems?|looks like|apparently|if only|suppose|imagine|lol|haha\w*|jk)\b"
)
REPORTED = re.compile(
    r"\b(?:said|says|told|wrote|writes|claims|asked|asks|suggests?|suggested|recommends?|insists?)\b"
)
OF_THE_MOMENT = re.compile(
    r"\b(?:(?<!from )now|currently|at the moment|today|tonight|tomorrow|yesterday|still|again|(?<!use )just|so far"
    r"|already|yet(?! another)|temporarily|in a minute|until i|this (?:time|week|morning|afternoon|evening|weekend|one|file|pr|branch|commit|task|session|page"
    r"|screen|issue|change)|once more|for once|lunch|hurry|back in|brb|one sec)\b"
)
TROUBLED = re.compile(
    r"\b(?:fail\w*|errors?|broken|conflicts?|wrong|bugs?|flaky|crash\w*|hangs?|stuck|weird|twice|slow|suddenly)\b"
)


def at_home(told: str) -> str:
    """What "we" do or anybody is to use "here" is of this project, and points at nothing."""
    return _HERE.sub("", told) if told.startswith(("we ", "use ", "prefer ")) else told


_HERE = re.compile(r"(?<=\w) here(?=[,.;!]|$)")
