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

from cairn.knowledge.extraction.rules.rule import (
    SAID,
    SAID_BY_PERSON,
    Record,
    Rule,
    RuleExample,
    RuleMatch,
    each,
    rule,
)
from cairn.knowledge.extraction.rules.word_senses import (
    CONDITION,
    DISCOVERY,
    HYPOTHETICAL,
    ISSUE,
    NO_DISCOVERY,
    NO_ISSUE,
    NO_SOLUTION,
    NO_STATEMENT,
    PLAN,
    SOLUTION,
    STATES,
)
from cairn.knowledge.nlp.text import STOP_WORDS, sentences, words
from cairn.knowledge.schema.policy import Policy

LONGEST_SENTENCE = 300
FEWEST_WORDS = 4
FEWEST_CONTENT_WORDS = 2

_FENCE = re.compile(
    r"^[ \t]*(```+|~~~+)[^\n]*\n.*?(?:^[ \t]*\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL
)
_TAG = re.compile(r"<([a-z][\w-]*)>")
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
_OPEN = re.compile(r"[?:？：][\s)*_\"'”’]*$")
_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")


_SOLVED = r"fix|solution|solve|resol|corrected|workaround|worked around|remedy"
_WRONG = (
    r"error|fail|exception|crash|bug|issue|problem|n'?t |n’t |not |panic|break|broken|missing|wrong"
    r"|corrupt|hang|hung|timed out|times out|cause|leak|race|deadlock|regression|segfault"
    r"|\b[45]\d\d\b"
)
_FOUND_OUT = (
    r"turn(s|ed) out|discover|realiz|realis|notic|learn|figured|found|identified|pinpointed|cause"
    r"|bug|limitation|show|reveal|reason|culprit|problem|issue|interesting|surpris|aha|trick"
    r"|confirmed"
)
_OF_ONESELF = (
    r"\b(i|we|my|our|i'm|i’m|always|never|remember|ever|from now on|going forward|for the record)\b"
)
"""What a sentence of each kind holds: a first, quick look. It lets in whatever its rule finds."""


class StatementSentence(NamedTuple):
    """One sentence: as it is kept, as keywords are looked for (no code, no quotations), where."""

    text: str
    plain: str
    start: int
    end: int


@lru_cache(maxsize=8_192)
def statements(text: str) -> tuple[StatementSentence, ...]:
    """Whole sentences of prose in a message, markers of lists left out, at most 300 characters."""
    prose = _without_tagged(_FENCE.sub(_blank, text))
    # A mark within code ends no sentence.
    whole = _CODE_SPAN.sub(lambda code: "`" + "x" * (len(code[0]) - 2) + "`", prose)
    found: list[StatementSentence] = []
    line_end, skipped = -1, False
    for first, end in sentences(whole):
        start = first
        if start >= line_end:
            line_start = prose.rfind("\n", 0, start) + 1
            line_end = prose.find("\n", start)
            line_end = len(prose) if line_end < 0 else line_end
            skipped = _NO_SENTENCE.match(prose[line_start:line_end]) is not None
        if marker := _MARKER.match(prose[start:end]):
            start += marker.end()
        kept = _kept(text[start:end])
        if skipped or kept is None:
            continue
        found.append(StatementSentence(*kept, start, end))
    return tuple(found)


def _kept(written: str) -> tuple[str, str] | None:
    """A sentence as it is kept, and as keywords are looked for; none if it is not worth it."""
    text = _EMPHASIS.sub(r"\2", " ".join(written.split()))
    if not 12 <= len(text) <= LONGEST_SENTENCE or _OPEN.search(text):
        return None
    plain = _QUOTED.sub(_blank, _CODE_SPAN.sub("§", text)).replace("’", "'").lower()
    content = [word for word in words(plain) if word not in STOP_WORDS]
    if len(words(text)) < FEWEST_WORDS or len(content) + plain.count("§") < FEWEST_CONTENT_WORDS:
        return None
    return text, plain


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def _without_tagged(text: str) -> str:
    """A text with spaces for what stands between `<tag>` and `</tag>`."""
    if "</" not in text:
        return text
    parts: list[str] = []
    unclosed: set[str] = set()
    at = 0
    for tag in _TAG.finditer(text):
        if tag.start() < at or tag[1] in unclosed:
            continue
        end = text.find(f"</{tag[1]}>", tag.end())
        if end < 0:
            unclosed.add(tag[1])
            continue
        end += len(tag[0]) + 1
        parts += [text[at : tag.start()], re.sub(r"[^\n]", " ", text[tag.start() : end])]
        at = end
    return "".join([*parts, text[at:]])


def _matching(
    hint: str,
    says: re.Pattern[str],
    unless: re.Pattern[str],
    without: re.Pattern[str] | None = None,
) -> Callable[[Record, Policy], Iterator[RuleMatch]]:
    """Finds sentences; `hint` is what each of them holds, since to look for that takes no time."""
    hinted = re.compile(hint)

    def find(record: Record, _: Policy) -> Iterator[RuleMatch]:
        for sentence in statements(record.text):
            plain = sentence.plain
            if PLAN.match(plain) or not hinted.search(plain):
                continue
            told = without.sub(" ", plain) if without else plain
            if says.search(told) and not unless.search(plain):
                yield RuleMatch(sentence.text, sentence.start, sentence.end)

    return find


def _states(record: Record, _: Policy) -> Iterator[RuleMatch]:
    for sentence in statements(record.text):
        plain = sentence.plain
        if NO_STATEMENT.search(plain):
            continue
        for match in STATES.finditer(plain):
            if not HYPOTHETICAL.search(plain[: match.start()]):
                yield RuleMatch(sentence.text, sentence.start, sentence.end)
                break


def _mentions(pattern: str) -> pl.Expr:
    """Texts that hold a pattern, its words parted as they are written: by lines, or emphasised."""
    apart = pattern.replace(" ", r"[\s*_]+")
    return pl.col("text").str.contains(rf"(?i){apart}")


RULES: tuple[Rule, ...] = (
    rule(
        "provides_solution",
        3,
        "A sentence that says what solved something.",
        confidence=0.7,
        reads=SAID & _mentions(_SOLVED),
        find=each(_matching(_SOLVED, SOLUTION, NO_SOLUTION)),
        examples=(
            RuleExample(
                "The fix was to raise the pool size to 20.",
                ("The fix was to raise the pool size to 20.",),
            ),
            RuleExample("Let me fix the test. The font is fixed-width. This is not fixed yet."),
        ),
    ),
    rule(
        "identifies_issue",
        3,
        "A sentence that says what goes wrong.",
        confidence=0.7,
        reads=SAID & _mentions(_WRONG),
        find=each(_matching(_WRONG, ISSUE, NO_ISSUE, without=CONDITION)),
        examples=(
            RuleExample(
                "The migration failed because the column holds nulls.",
                ("The migration failed because the column holds nulls.",),
            ),
            RuleExample("Added error handling to the client. All tests pass with 0 failures."),
        ),
    ),
    rule(
        "discovery",
        3,
        "A sentence that says what was found out.",
        confidence=0.6,
        reads=SAID & _mentions(_FOUND_OUT),
        find=each(_matching(_FOUND_OUT, DISCOVERY, NO_DISCOVERY)),
        examples=(
            RuleExample(
                "It turns out that the cache ignores the locale.",
                ("It turns out that the cache ignores the locale.",),
            ),
            RuleExample("Found 3 files. The module was not found."),
        ),
    ),
    rule(
        "states",
        2,
        "What a person says of themselves, uses or decided, or asks for once and for all.",
        confidence=0.8,
        reads=SAID_BY_PERSON & _mentions(_OF_ONESELF),
        find=each(_states),
        examples=(
            RuleExample("I prefer tabs over spaces.", ("I prefer tabs over spaces.",)),
            RuleExample(
                "From now on, run the tests first.", ("From now on, run the tests first.",)
            ),
            RuleExample("Do we use Redis? If we use Redis, say so. I wish we used Redis."),
        ),
    ),
)
