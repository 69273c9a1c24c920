"""Sentences that say something worth keeping: solutions, issues, discoveries, what a person holds.

A sentence is taken whole, when a keyword stands in it in the sense that is meant. Plans ("let me
fix"), questions, conditions and denials are no statements; code, logs, tables, headings and quoted
text are no sentences.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

import polars as pl

from knowledge.policy import Policy
from knowledge.rules.rule import SAID, SAID_BY_PERSON, Example, Found, Record, Rule, each, rule
from knowledge.text import STOP_WORDS, sentences, words

LONGEST_SENTENCE = 300
FEWEST_WORDS = 4
FEWEST_CONTENT_WORDS = 2

_FENCE = re.compile(
    r"^[ \t]*(```+|~~~+)[^\n]*\n.*?(?:^[ \t]*\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL
)
_TAGGED = re.compile(r"<([a-z][\w-]*)>.*?</\1>", re.DOTALL)
_NO_SENTENCE = re.compile(
    r"""^(?:
        \s*[>|#]                                       # quotation, table, heading
      | (?:\t|\ {4,})(?![ \t]*(?:[-*+•]|\d+[.)])\s)     # indented code
      | \s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d             # a line of a log
      | \s*\[?\d\d:\d\d:\d\d
      | \s*\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE)\b[\]:\s]
      | \s*\[(?:error|warn(?:ing)?|info|debug)\]
      | \s*\*\*\s*\(\w+(?:\.\w+)*\)                     # ** (RuntimeError) …
      | \s*(?:at\s+[\w.$<>]+\s*\(|File\s"|Traceback\b|\w+(?:\.\w+)*(?:Error|Exception):\s)
      | \s*(?:\$|%|>>>|\.\.\.|iex>)\s                  # a prompt
      | \s*[+-]{1,3}(?![\s-])                          # a diff
      | \s*[-=_*]{3,}\s*$
    )""",
    re.VERBOSE,
)
_MARKER = re.compile(r"^(?:(?:[-*+•–]|\d{1,3}[.)]|\[[ xX]\]|[✓✔✗✘☑☐])\s+)+")
_CODE_SPAN = re.compile(r"`[^`\n]*`")
_QUOTED = re.compile(r"[\"“][^\"“”\n]*[\"”]|(?<!\w)'[^'\n]*'(?!\w)")
_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")


class Sentence(NamedTuple):
    """One sentence: as it is kept, as keywords are looked for (no code, no quotations), where."""

    text: str
    plain: str
    start: int
    end: int


@lru_cache(maxsize=8_192)
def statements(text: str) -> tuple[Sentence, ...]:
    """Whole sentences of prose in a message, markers of lists left out, at most 300 characters."""
    prose = _TAGGED.sub(_blank, _FENCE.sub(_blank, text))
    found: list[Sentence] = []
    line_end, skipped = -1, False
    for start, end in sentences(prose):
        if start >= line_end:
            line_start = prose.rfind("\n", 0, start) + 1
            line_end = prose.find("\n", start)
            line_end = len(prose) if line_end < 0 else line_end
            skipped = _NO_SENTENCE.match(prose[line_start:line_end]) is not None
        if skipped:
            continue
        if marker := _MARKER.match(prose[start:end]):
            start += marker.end()
        if not 12 <= end - start <= LONGEST_SENTENCE or prose[end - 1] in "?:？：":
            continue
        whole = text[start:end]
        kept = _EMPHASIS.sub(r"\2", " ".join(whole.split()))
        plain = _QUOTED.sub(_blank, _CODE_SPAN.sub("§", kept))
        plain = plain.replace("’", "'").lower()
        content = [word for word in words(plain) if word not in STOP_WORDS]
        if len(words(kept)) >= FEWEST_WORDS and len(content) >= FEWEST_CONTENT_WORDS:
            found.append(Sentence(kept, plain, start, end))
    return tuple(found)


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


_PLAN = re.compile(
    r"^(?:(?:now|ok|okay|so|and|then|next|first|good|great|perfect|right|alright|excellent|also|but|"
    r"finally|progress|for now|clean compile)\b[\s,.:;!—–-]*)*"
    r"(?:let me\b|let's\b|let us\b|i'll\b|i will\b|we'll\b|we will\b|i'm going to\b|i am going to\b|"
    r"i need to\b|i also need\b|i should\b|i must\b|i want to\b|we need to\b|we should\b|i can\b|"
    r"i would\b|i'd\b|could you\b|can you\b|please\b|need to\b|going to\b|"
    r"(?:fix|check|try|find|resolve|handle|look|investigate|debug|add|update|implement|create|run|"
    r"make|write|use|ensure|verify|see|remove|change|test|read|show|tell|explain|help|move|rename|"
    r"replace|refactor|commit|push|close|start|continue|working|fixing|checking|running)\b)"
)
"""What is about to be done or asked for, which says nothing of how things are."""

_DOUBT = (
    r"\b(?:if|whether|unless|would|could|should|might|may|maybe|perhaps|possibly|wish|hope|hopefully|"
    r"suppose|imagine|in case|to see|make sure|ensure)\b"
)
_NOT = r"\b(?:not|n't|never|no|without|cannot|hardly|isn't|wasn't|aren't|doesn't|didn't|haven't|hasn't|can't|won't)\b"

_SOLUTION = re.compile(
    r"\bthe (?:\w+ ){0,3}(?:fix|solution|workaround|remedy) (?:is|was|here is|turned out|:)"
    r"|^(?:the )?(?:fix|solution|workaround|resolution)\s*(?::|—|–|-|is|was)\s"
    r"|\b(?:this|that|which|it|doing so|\w+ing [\w§ -]{3,60})\s(?:also )?(?:fix(?:es|ed)|solve[sd]|resolve[sd])\b"
    r"|\b(?:fixed|solved|resolved)\s(?:it |this |that |the [\w§ -]{3,60} )?(?:by|with|using|via|through)\b"
    r"|^(?:i |we )?(?:have |'ve |also |now )?(?:fixed|resolved|solved|worked around)\b"
    r"|\b(?:i|we)(?:'ve| have)? (?:also |now )?(?:fixed|resolved|solved|worked around)\b"
    r"|\b(?:is|are|was|were|been|got) (?:now |been )?(?:fixed|resolved|solved)\b"
    r"|\bas a (?:workaround|fix|solution)\b"
)
_NO_SOLUTION = re.compile(
    rf"{_NOT}[^,;.]{{0,30}}\b(?:fix|solv|resolv|solution)|{_DOUBT}[^,;]{{0,40}}\b(?:fix|solv|resolv)"
    r"|\bfixed[- ](?:width|point|size|length|position|price|rate|height|term|income)\b"
    r"|\b(?:to|will|must|be) (?:be )?(?:fix|solve|resolve)\b|\b(?:blockers?|dependenc\w+|paths?|version) resolved\b"
    r"|\b(?:dns|path|name|dependency|module|import)[- ]resol|\bdeps? resolved\b|\bresolved (?:to|as|at|from)\b"
)

_ISSUE = re.compile(
    r"\b(?:the |a |this |that |an |our |my )?(?:\w+ ){0,2}(?:error|exception|failure|crash|bug|issue|problem)s?"
    r" (?:is|was|are|were|occurs?|occurred|happens?|happened|comes?|came|arises?|arose|means?|says?|said|stems?|lies|indicates?|persists?|shows?|caused|about)\b"
    r"|\b(?:throws?|threw|raises?|raised|gets?|got|getting|gave|gives?|hits?|hitting|reports?|reported|returns?|returned|caus(?:es|ed|ing)|with|produces?|see|seeing|saw) (?:me )?"
    r"(?:an? |the |this |that |these |some |many )?(?:[\w§-]+ ){0,3}(?:errors?|exceptions?|failures?|crash|segfault|panic|stack ?trace|5\d\d|4\d\d)\b"
    r"|\b(?:fails|failed|failing|crashes|crashed|crashing|errors out|errored|timed out|times out|panicked|hangs|hung)\b"
    r"|\b(?:does ?n[o']?t|do ?n[o']?t|did ?n[o']?t|is ?n[o']?t|not) (?:seem to |appear to |even |actually |always )?"
    r"(?:work|works|working|start|starts|starting|run|running|load|loading|compile|build|respond|responding|connect|render|update|updating|show up|exist|support|supported)\b"
    r"|\b(?:will|can|could|does|may|might) (?:also )?(?:fail|crash|break)\b(?= (?:on|with|if|when|because|since|in|for|at|after|due))"
    r"|\b(?:is|are|was|were|got) (?:now |completely |still )?(?:broken|corrupted|corrupt|missing)\b"
    r"|\b(?:there is|there's|there was|there are|has|have|found|is) (?:an? |this |the |some |\w+ )?(?:[\w§-]+ )?(?:bug|memory leak|race condition|deadlock|regression|memory corruption)\b"
    r"|\broot cause\b|\bthe (?:issue|problem|bug|culprit) (?:is|was|here)\b"
)
_NO_ISSUE = re.compile(
    r"\b(?:0|no|zero|without(?: any)?|any|free of|not a|never|none) (?:\w+ )?(?:errors?|failures?|failed|failing|exceptions?|issues?|problems?|bugs?|crash\w*|warnings?)\b"
    r"|\b(?:errors?|exceptions?|failure|failed)[- ](?:handl\w+|messages?|path|paths|states?|spans?|boundar\w+|"
    r"cod(?:e|es)|logg?\w*|track\w*|report\w*|types?|class\w*|case|cases|recovery|budget|rate|rates|tuple|tuples|page|pages|view|attributes?|propagation|toast|responses?|metadata|status|events?)\b"
    r"|\b(?:handl\w+|catch\w*|log|logs|logging|rescue\w*|report|record\w*|track\w*|return|returns|on|assert\w*|set|mark\w*|show|shows|display\w*) (?:an? |the |any |all )?(?:\w+ )?(?:errors?|exceptions?|failures?)\b"
    r"|\b(?:fixed|resolved|solved|fixes|resolves)\b|\bif (?:it|this|that|they|the \w+|any\w*) (?:ever )?(?:fail|crash|break|error)"
    r"|\bin case of\b|\bfail(?:s|ed|ing)?[- ](?:open|closed|safe|fast|soft|over)\b|\b(?:all|both) (?:\d+ )?(?:tests? )?pass\b|\bfalse positive"
    r"|\bto (?:fail|crash|error)\b|\bfailed (?:with )?0\b"
)

_DISCOVERY = re.compile(
    r"\b(?:it )?turn(?:s|ed) out\b"
    r"|\b(?:i|we|i've|we've|i have|we have) (?:just |also |now |then )?(?:discovered|realized|realised|noticed|learned|learnt|figured out|found out)\b"
    r"|\b(?:i|we|i've|we've|i have|we have|testing|profiling|debugging|the \w+) (?:just |also |now )?found (?:that|out)\b"
    r"|^(?:found|discovered|noticed|confirmed)(?: out)? that\b"
    r"|\b(?:found|identified|discovered|pinpointed) (?:the|a|an|another|one) (?:\w+ ){0,2}(?:bug|issue|problem|cause|culprit|root cause|error|reason|regression|leak)\b"
    r"|\b(?:the )?(?:root|real|actual|underlying) (?:cause|reason|problem|issue) (?:is|was|turned)\b"
    r"|\bthe culprit (?:is|was)\b|^(?:interesting|interestingly|surprisingly|aha)\b|\bthe trick (?:is|was)\b"
)
_NO_DISCOVERY = re.compile(
    rf"{_NOT} (?:been )?(?:find|found|discover\w*|notic\w*)|{_DOUBT} [^,;]{{0,30}}\b(?:turns? out|found|discover|notic)|\bnot found\b"
    r"|\b(?:found|discovered) (?:the )?(?:\d+|following|relevant|all|some|several|many)\b|\bservice discover|\bdiscovered (?:by|during) test"
)


def _matching(
    says: re.Pattern[str], unless: re.Pattern[str]
) -> Callable[[Record, Policy], Iterator[Found]]:
    def find(record: Record, _: Policy) -> Iterator[Found]:
        for sentence in statements(record.text):
            plain = sentence.plain
            if says.search(plain) and not _PLAN.match(plain) and not unless.search(plain):
                yield Found(sentence.text, sentence.start, sentence.end)

    return find


_LEAD = (
    r"(?:^|[,;:—–(]\s*|\b(?:and|but|so|because|since|although|though|note that|remember that|know that|"
    r"fyi|btw|actually|honestly|personally|generally|normally|usually|currently|here|also|well|oh|"
    r"yes|no|yeah|hi|hello|hey|thanks|ok|okay|as|in general|for now|these days|lately|in fact|in this "
    r"(?:project|repo|repository|codebase|team|company|house))\b[,:]?\s*)"
)
_SUBJECT_ADVERB = (
    r"(?:(?:really|always|never|usually|generally|normally|mostly|only|also|still|now|strongly|much|"
    r"currently|absolutely|personally|just|typically|often|mainly|both|all|actually) )*"
)
_STATES = re.compile(
    _LEAD + r"(?:"
    rf"(?:i|we) {_SUBJECT_ADVERB}(?:do not |don't |can't |cannot )?{_SUBJECT_ADVERB}"
    r"(?:prefer|like|love|enjoy|hate|dislike|adore|detest|use|run|deploy|host|work|live|own|speak|study|"
    r"play|drive|believe|value|avoid|follow|rely|target|keep|store|care|teach|collect|eat|drink|grew|"
    r"moved|graduated|studied|worked|switched|migrated|standardi[sz]ed|adopted)\b(?! to (?:know|see|ask))"
    rf"|(?:i|we)(?:'ve| have)? {_SUBJECT_ADVERB}(?:decided|agreed|chose|settled|standardi[sz]ed)\b"
    rf"|(?:i'm|i am|we're|we are) {_SUBJECT_ADVERB}(?:an? |the |from |based |using |allergic|vegan|vegetarian|"
    r"married|single|interested in|fond of|responsible for|on (?:the|python|node|ubuntu|debian|macos|windows|linux)|"
    r"working (?:at|as|for|with|on)|living in|running|learning|studying|called|named)"
    r"|(?:my|our) (?:[\w§'-]+ ){1,4}(?:is|are|was|has|have|lives?|works?|runs?|uses?|needs?)\b(?! (?:not |n't )?(?:working|broken|failing))"
    r"|(?:always|never) (?:[a-z]+)\b"
    r"|(?:please )?(?:always|never)\b"
    r"|(?:please )?(?:do not|don't) ever\b"
    r"|(?:please )?remember (?:that |to |this\b|my |our |i |we |the )"
    r"|from now on\b|going forward\b|for the record\b"
    r"|(?:please )?make sure (?:to |you |that you )always\b"
    r")"
    r"|\b(?:from now on|going forward)[,.\s]"
)
_HYPOTHETICAL = re.compile(
    r"(?:\b(?:if|whether|unless|suppose|supposing|imagine|pretend|wish|hope|would|could|might|maybe|perhaps|"
    r"had|were|should|do|does|did|can|when|while|until|what|why|how|where|which|who|says?|said|told|thinks?|think|"
    r"claims?|claimed|wrote|writes|asked|asks|suggests?|suggested|guess|not that|not sure|doubt)\b[^,;:—]*)$"
)
_WISH = re.compile(
    r"^(?:i|we)(?:'d| would| want| wish| hope| need| can| could| should| might)\b|^(?:what|why|how|when|"
    r"where|who|which|do|does|did|is|are|can|could|would|should|will|shall|have|has|may)\b"
    r"|\bi (?:never said|don't think|wouldn't say|am not saying|didn't say)\b"
    r"|\bas an ai\b|\bif i (?:were|was|had)\b|\bi'm not sure\b|\bnever ?mind\b|\blike to\b(?= (?:know|see|ask))"
)


def _states(record: Record, _: Policy) -> Iterator[Found]:
    for sentence in statements(record.text):
        plain = sentence.plain
        if _WISH.search(plain):
            continue
        for match in _STATES.finditer(plain):
            if not _HYPOTHETICAL.search(plain[: match.start()]):
                yield Found(sentence.text, sentence.start, sentence.end)
                break


def _mentions(pattern: str) -> pl.Expr:
    return pl.col("text").str.contains(rf"(?i){pattern}")


RULES: tuple[Rule, ...] = (
    rule(
        "provides_solution",
        1,
        "A sentence that says what solved something.",
        confidence=0.7,
        reads=SAID & _mentions(r"fix|solution|solve|resol|workaround|worked around|remedy"),
        find=each(_matching(_SOLUTION, _NO_SOLUTION)),
        examples=(
            Example(
                "The fix was to raise the pool size to 20.",
                ("The fix was to raise the pool size to 20.",),
            ),
            Example("Let me fix the test. The font is fixed-width. This is not fixed yet."),
        ),
    ),
    rule(
        "identifies_issue",
        1,
        "A sentence that says what goes wrong.",
        confidence=0.7,
        reads=SAID
        & _mentions(
            r"error|fail|exception|crash|bug|issue|problem|n'?t |n’t |not |panic|broken|missing|corrupt"
            r"|hang|hung|timed out|times out|cause|culprit|leak|race|deadlock|regression|trace"
        ),
        find=each(_matching(_ISSUE, _NO_ISSUE)),
        examples=(
            Example(
                "The migration failed because the column holds nulls.",
                ("The migration failed because the column holds nulls.",),
            ),
            Example("Added error handling to the client. All tests pass with 0 failures."),
        ),
    ),
    rule(
        "discovery",
        1,
        "A sentence that says what was found out.",
        confidence=0.6,
        reads=SAID
        & _mentions(
            r"turn(s|ed) out|discover|realiz|realis|notic|learn|figured|found|identified|cause|reason"
            r"|culprit|problem|issue|interesting|surpris|aha|trick|confirmed"
        ),
        find=each(_matching(_DISCOVERY, _NO_DISCOVERY)),
        examples=(
            Example(
                "It turns out that the cache ignores the locale.",
                ("It turns out that the cache ignores the locale.",),
            ),
            Example("Found 3 files. The module was not found."),
        ),
    ),
    rule(
        "states",
        1,
        "What a person says of themselves, of what they use and decided, or asks for once and for all.",
        confidence=0.8,
        reads=SAID_BY_PERSON
        & _mentions(
            r"\b(i|we|my|our|i'm|i’m|always|never|remember|ever|from now on|going forward)\b"
        ),
        find=each(_states),
        examples=(
            Example("I prefer tabs over spaces.", ("I prefer tabs over spaces.",)),
            Example("From now on, run the tests first.", ("From now on, run the tests first.",)),
            Example("Do we use Redis? If we use Redis, say so. I wish we used Redis."),
        ),
    ),
)
