"""Sentences that say something worth keeping: solutions, issues, discoveries, what a person holds.

A sentence is taken whole, when a keyword stands in it in the sense that is meant. Plans ("let me
fix"), questions, conditions and denials are no statements; code, logs, tables, headings and quoted
text are no sentences.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import polars as pl

from cairn.knowledge.extraction.rules.forms.everyday import (
    CHANGED,
    CONDITIONAL,
    DAYS,
    EVERYDAY,
    INTRODUCES,
    LIVED,
    PASSING,
    WENT_THROUGH,
    WISHES,
    with_subject,
)
from cairn.knowledge.extraction.rules.forms.word_classes import (
    COMMIT_ID,
    DOUBTED,
    IN_GENERAL,
    INVERTED,
    at_home,
)
from cairn.knowledge.extraction.rules.forms.word_senses import (
    CONDITION,
    DISCOVERY,
    ISSUE,
    MENDED,
    NO_DISCOVERY,
    NO_ISSUE,
    NO_SOLUTION,
    NO_STATEMENT,
    PLAN,
    SOLUTION,
    VERDICTS,
)
from cairn.knowledge.extraction.rules.rule import (
    BY_OWN_HAND,
    SAID,
    SAID_BY_PERSON,
    Record,
    Rule,
    RuleExample,
    RuleMatch,
    each,
    rule,
)
from cairn.knowledge.extraction.salience.model import CHATS, salience
from cairn.knowledge.nlp.markup import blanked, in_plain_letters, without_markup
from cairn.knowledge.nlp.patterns import lazy_pattern
from cairn.knowledge.nlp.plain_words import lead_in, written_out
from cairn.knowledge.nlp.text import STOP_WORDS, sentences, words
from cairn.knowledge.schema.policy import Policy

LONGEST_SENTENCE = 300
FEWEST_WORDS = 4
FEWEST_CONTENT_WORDS = 2
FEWEST_SHORT = 2

_NO_SENTENCE = lazy_pattern(
    r"""^(?:
        \s*[>|#]                                       # quotation, table, heading
      | (?:\t|\ {4,})(?![ \t]*(?:[-*+•]|\d+[.)])\s)     # indented code
      | \s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d             # a line of a log
      | \s*\[?\d\d:\d\d:\d\d
      | \s*\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE)\b[\]:\s]
      | \s*\[(?:error|warn(?:ing)?|info|debug)\]
      | \s*(?i:p?npm|yarn)\ (?i:warn|err!|error|notice)\b
      | \s*\*\*\s*\(\w+(?:\.\w+)*\)                     # ** (RuntimeError) …
      | \s*(?:at\s+[\w.$<>]+\s*\(|File\s"|Traceback\b|\w+(?:\.\w+)*(?:Error|Exception):\s)
      | \s*(?:\$|%|>>>|\.\.\.|iex>)\s                  # a prompt
      | \s*[+-]{1,3}(?![\s-])                          # a diff
      | \s*[-=_*]{3,}\s*$
    )""",
    re.VERBOSE,
)
_MARKER = lazy_pattern(r"^(?:(?:[-*+•–]|\d{1,3}[.)]|\[[ xX]\]|[✓✔✗✘☑☐])\s+)+")
_STOP = lazy_pattern(
    r"(?:(?:(?<=[A-Za-z\d)`]{2})(?<!\be\.g)(?<!\bi\.e)(?<!\betc)(?<!\bvs)|(?<=[\s\"”'’])|(?<=\s\d))\.\s+(?=[a-z])"
    r"|(?<=\w)(?:\.{2,}|…)\s+(?=[\w`~/@]))"
)
_HEADING = lazy_pattern(r"^(?:#{1,6}\s+(.+)|(?:\d+\.\s+)?\*\*([^*]+)\*\*:?)$")
_OF_THOUGHT = lazy_pattern(
    r"(?i)\b(?:which|what|better|prefer|or)\b.*\?$"
    r"|\b(?:ideas?|proposals?|brainstorm\w*|scenarios?|alternatives?|do the following)\b[^.!]*:?$"
)
"""A line below which options are listed, or how something may be: they are no statements."""
_LONGEST_HEADING = 200
_CODE_SPAN = lazy_pattern(r"`[^`\n]*`")
_WRAPPED = lazy_pattern(r"(?<=[^\n]{50}[\w,)`'\"])[ \t]*\n(?= {0,3}[a-z(`])")
"""Where a line was wrapped: a long one that no mark ends, before one that no capital begins."""
_QUOTED = lazy_pattern(r"[\"“][^\"“”\n]*[\"”]|(?<!\w)'[^'\n]*'(?!\w)|‘[^‘’\n]*’(?!\w)")
_OPEN = lazy_pattern(r"[?:？：][\s)*_\"'”’]*$")


_NEXT_CLAUSE = lazy_pattern(
    r",? (?:so(?! far)|because|but|which|although|and (?:it|that|they|now|then"
    r"|(?:i )?(?:would|want|was|felt|really|am|have|think|love|loved|need|found|had|got)))\b"
    r"| since (?!\d|i was|last|january|june|my)|[;—–] | - "
    r"|, (?=(?:it|that|the|everybody|everyone|now|he|she|they|my|we|i)\b"
    r"(?! (?:guess|think|suppose|mean)\b))"
)
_TOLD_OF_IT = lazy_pattern(r",? (?:and|that|where|which|who|whose|with which) |, ")
_ASKED_BEHIND = lazy_pattern(
    r",\s*(?:(?:so|and|then|but|also)\s+)*(?:can|could|would|will|should|do|did|have|any|what|how|where"
    r"|which|is there|got any)\b[^.?]*\?\s*$"
)
"""A question behind a statement."""

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
"""What a sentence of each kind holds: a first, quick look. It lets in whatever its rule finds."""

_REMEMBERED = lazy_pattern(
    r"^(?:please |and |but |also,? |note:? |important:? )*"
    r"(?:remember (?:that |my |our |i |we |the )|for the record\b)"
)
"""What a person wants kept."""


class StatementSentence(NamedTuple):
    """One sentence: as it is kept, as keywords are looked for (no code, no quotations), where."""

    text: str
    plain: str
    start: int
    end: int
    heading: str = ""
    """Of the list that it stands in, in lower case."""


class ProseSentence(NamedTuple):
    """The place of a sentence of prose, without the marker of its list; and the list's heading."""

    start: int
    end: int
    heading: str


@lru_cache(maxsize=8_192)
def statements(text: str) -> tuple[StatementSentence, ...]:
    """Whole sentences of prose in a message, markers of lists left out, at most 300 characters."""
    return tuple(
        StatementSentence(*kept, *place)
        for place in prose(text)
        if (kept := _kept(text[place.start : place.end]))
    )


@lru_cache(maxsize=8_192)
def prose(text: str) -> tuple[ProseSentence, ...]:
    """Places of the sentences of a message that are prose: no code, log, table or heading."""
    shown = without_markup(text)
    # A mark within code ends no sentence.
    whole = _CODE_SPAN.sub(lambda code: "`" + "x" * (len(code[0]) - 2) + "`", shown)
    whole = _WRAPPED.sub(lambda end: " " * len(end[0]), whole)
    found: list[ProseSentence] = []
    line_end, skipped, headings = -1, False, _Headings()
    for first, end in sentences(whole):
        start = first
        if start >= line_end:
            line_start = shown.rfind("\n", 0, start) + 1
            line_end = shown.find("\n", start)
            line_end = len(shown) if line_end < 0 else line_end
            line = shown[line_start:line_end]
            skipped = _NO_SENTENCE.match(line) is not None
            headings.pass_line(line)
        if marker := _MARKER.match(shown[start:end]):
            start += marker.end()
        if not (skipped or _OF_THOUGHT.search(headings.governing)):
            found.append(ProseSentence(start, end, headings.governing))
    return tuple(found)


class _Headings:
    """The heading that governs the line that was passed last; empty if it stands in no list."""

    def __init__(self) -> None:
        self._section = self._lead = self.governing = ""

    def pass_line(self, line: str) -> None:
        told = line.strip()[:_LONGEST_HEADING]
        listed = _MARKER.match(line.lstrip()) is not None
        if title := _HEADING.match(told):
            self._section, self._lead = (title[1] or title[2]).lower(), ""
        elif not listed and (told.endswith(":") or _OF_THOUGHT.search(told)):
            self._lead = told.lower()
        elif not listed:
            self._lead = ""
        self.governing = (self._lead or self._section) if listed else ""


@lru_cache(maxsize=8_192)
def short_statements(text: str) -> tuple[StatementSentence, ...]:
    """The same, and short ones, with one word that means something: `I wear glasses`."""
    return tuple(
        StatementSentence(*kept, first, last, place.heading)
        for place in prose(text)
        for first, end in parted(text, place.start, place.end)
        for last in (_before_question(text, first, end),)
        if (kept := _kept(text[first:last], FEWEST_SHORT, 1))
    )


def _before_question(text: str, start: int, end: int) -> int:
    """Where a statement ends that has a question behind it."""
    asked = _ASKED_BEHIND.search(text[start:end].lower())
    return start + asked.start() if asked else end


def parted(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """A sentence, or those that somebody wrote without capitals, outer white space left out."""
    cuts = [start, *(start + stop.end() for stop in _STOP.finditer(text[start:end])), end]
    parts = ((first, text[first:last]) for first, last in pairwise(cuts))
    return [(first, first + len(told.rstrip())) for first, told in parts if told.strip()]


def parts(text: str) -> list[tuple[int, int]]:
    """Places of the sentences of a message, each in the parts that are read by themselves."""
    return [part for place in prose(text) for part in parted(text, place.start, place.end)]


def _kept(
    written: str, fewest: int = FEWEST_WORDS, content_words: int = FEWEST_CONTENT_WORDS
) -> tuple[str, str] | None:
    """A sentence as it is kept, and as keywords are looked for; none if it is not worth it."""
    text = in_plain_letters(written)
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1].strip()
    if not 3 * fewest <= len(text) <= LONGEST_SENTENCE or _OPEN.search(text):
        return None
    plain = _QUOTED.sub(_blank, _CODE_SPAN.sub("§", text)).replace("’", "'").lower()
    content = [word for word in words(plain) if word not in STOP_WORDS]
    if len(words(text)) < fewest or len(content) + plain.count("§") < content_words:
        return None
    return text, plain


def _blank(match: re.Match[str]) -> str:
    return blanked(match[0])


def _matching(
    hint: str,
    says: re.Pattern[str],
    unless: re.Pattern[str],
    without: re.Pattern[str] | None = None,
    below: re.Pattern[str] | None = None,
) -> Callable[[Record, Policy], Iterator[RuleMatch]]:
    """Finds sentences; `hint` is what each of them holds, since to look for that takes no time.

    None of a list whose heading is one of `below`.
    """
    hinted = re.compile(hint)

    def find(record: Record, _: Policy) -> Iterator[RuleMatch]:
        for sentence in statements(record.words):
            plain = sentence.plain
            if PLAN.match(plain) or not hinted.search(plain):
                continue
            if below and sentence.heading and below.search(sentence.heading):
                continue
            told = without.sub(" ", plain) if without else plain
            if says.search(told) and not unless.search(plain) and _says_what(plain):
                yield RuleMatch(sentence.text, sentence.start, sentence.end)

    return find


def _says_what(plain: str) -> bool:
    """Whether a finding says more than that something was found, mended or is clear."""
    said = sum(word not in STOP_WORDS and word not in VERDICTS for word in words(plain))
    return said + plain.count("§") >= FEWEST_CONTENT_WORDS


def states(record: Record, _: Policy) -> Iterator[RuleMatch]:
    """What a person says of themselves, their things and their people, a sentence each."""
    for sentence in short_statements(record.words):
        plain = written_out(sentence.plain).text
        told = plain[lead_in(plain).opening :]
        unsaid = (NO_STATEMENT, DOUBTED, INVERTED)
        if record.project and (
            _NO_LONGER.match(told)
            or any(form.match(told) for form in (_LIKES, _AT_WORK))
            or any(form.match(plain) for form in (_NOW, _GOES_ON))
            or len(words(told)) <= FEWEST_SHORT
        ):
            continue
        if _EXAMPLE.search(record.words[max(0, sentence.start - 20) : sentence.start]):
            continue
        said = not any(one.search(told) for one in unsaid) and (
            _REMEMBERED.match(plain) or _is_everyday(told)
        )
        lived = (WENT_THROUGH,) if record.project else (WENT_THROUGH, LIVED)
        if not (said or record.project or NO_STATEMENT.search(told)):
            told = with_subject(told)
            said = _is_everyday(told) or _changed(told)
        said = said or _went_through(told, lived) or _wishes(told)
        if not record.project and said and _says_little(sentence.text):
            continue
        if leans_on_another(plain) or passes(sentence.text):
            continue
        if said or INTRODUCES.match(sentence.text):
            yield RuleMatch(_SO_IT_IS.sub("", sentence.text), sentence.start, sentence.end)


def leans_on_another(plain: str) -> bool:
    """Whether the half of a sentence, or what it specifies, stands in the one before it."""
    told = plain[lead_in(plain).opening :]
    return _HALF_SAID.search(told) is not None or _SPECIFIES.match(plain) is not None


def passes(told: str) -> bool:
    """Whether a sentence names a commit, asks without its mark, or ends what somebody quotes."""
    return (
        _PASSES.search(told) is not None
        or told.count("”") > told.count("“")
        or (told.endswith('"') and told.count('"') % 2 == 1)
    )


_PASSES = lazy_pattern(
    rf"""(?i)(?<![\#\w]){COMMIT_ID}
      | ,\ (?:is|are|was|were|does|do|did)\ (?:it|this|that|there|they|we|you|i)\b
      | ,\ trying\ another\b | ,\ please\ (?:(?:take|have)\ a\ look|check|look|fix|investigate)\b
      | \byou\ know\ what\ i\ mean\b | \bidk\b | \bor\ something\b
      | (?<!is\ )(?<!are\ )(?<!was\ )(?<!were\ )(?<!be\ )(?<!the\ )(?<!or\ )(?<!all\ )(?<!to\ )
        \bright[.!]?$""",
    re.VERBOSE,
)

_HALF_SAID = lazy_pattern(
    r"^we both\b|\b(?:want(?:ed)?|like|love|hoped?|need(?:ed)?|plan|planned) to"
    r" (?:visit|try|see|buy|do|make|get|use|meet|join|start)(?:[,;.!–—]|$)"
)
"""Of whom, or what it is that is to be seen or done, stands in the sentence before."""

_SPECIFIES = lazy_pattern(
    r"(?:specifically|namely|in particular|for (?:example|instance)|in other words|that is)\b"
)
"""How a sentence begins that goes on with what another one began."""

_SO_IT_IS = lazy_pattern(
    r"(?i)(?<=\w.{20}),?\s+(?:and\s+)?so\s+(?:this|that)(?:'s|\s+(?:is|was|can|should|needs?))\b.*$",
    re.DOTALL,
)
"""What follows of it for something that was at hand."""


_LIKES = lazy_pattern(
    r"(?:i|we) (?:\w+ly |also |do |not |too )*(?:like|love|hate|dislike|enjoy)\b"
    rf"(?! (?!having\b|seeing\b)(?:to \w|\w+ing\b|{IN_GENERAL}))"
)
"""What somebody likes of a thing at hand, where there is work; in general they like a kind."""

_AT_WORK = lazy_pattern(
    r"i (?:\w+ly |just |also |then |now )*(?:edit|note|concede|commit|push|merge|run|execute|save"
    r"|check|switch|change|grep|lean|follow)\b"
    r"(?!.*\b(?:always|usually|never|every|each|whenever)\b)"
    r"|i am (?:\w+ )?(?:not|un) ?familiar with (?:the|this|that|how)\b"
    r"|we have (?:[\w'/.-]+ ){1,5}now\b[.!]?$"
    r"|(?:i am|we are) (?:\w+ )*?(?:writing|taking|planning|making|looking for|considering|seeing"
    r"|thinking (?:about|of)(?! (?!following\b)\w+ing\b))\b"
    r"|(?:i am|we are) (?:\w+ly |now |still )*(?:in|on|at) (?:[\w-]+ ){0,4}?"
    r"(?:mode|phase|stage|sprint|branch|main|master)\b"
)
"""What somebody is at, where there is work: the task at hand."""


_NO_LONGER = lazy_pattern(r"(?:i|we) no longer\b")
"""What ended in work is a decision."""

_NOW = lazy_pattern(r"(?:right )?now,? (?:i|we) (?:show|see|have|get|display)\b")
"""How a thing is that somebody is about to change."""

_GOES_ON = lazy_pattern(
    r"(?:and|but|basically,? that|so (?:that )?(?:i|we) (?:do not|can)|for when"
    r"|the (?:idea|point|goal|vision|hope) (?:here )?(?:is|was) (?:that )?(?:i|we|you))\b"
)
"""What goes on from what somebody else said, and is half a thought without it; and what it is that
shall be possible once it is made."""

_EXAMPLE = lazy_pattern(r"(?i)\b(?:for (?:example|instance)|e\.g)\W{1,4}$")


_LITTLE, _SHORT = -2.0, 6
"""Log odds below which more words than these tell nothing; few words are not enough to judge."""


def _says_little(sentence: str) -> bool:
    """Whether it is a feeling or a reflection in the form of a fact: "we all trade our dreams"."""
    return len(words(sentence)) > _SHORT and salience(sentence, CHATS) < _LITTLE


def _changed(told: str) -> bool:
    clause = _first_clause(told)
    return CHANGED.match(clause) is not None and not PASSING.search(clause)


def _wishes(told: str) -> bool:
    return WISHES.match(told) is not None and not PASSING.search(told)


def _is_everyday(told: str) -> bool:
    """Whether a sentence tells what somebody is, has, does regularly or plans."""
    if _NAMED.fullmatch(told):
        return False
    clause = at_home(_first_clause(told))
    # What somebody prefers when something happens, they prefer whether it happens or not.
    main = _WHENEVER.sub("", clause) if _PREFERS.match(clause) else clause
    return EVERYDAY.match(clause) is not None and not PASSING.search(main)


_NAMED = lazy_pattern(r"(?:my|our) (?:[\w'-]+ ){0,3}[\w'-]+s")
"""What reads like a heading where no mark ends it, and like a sentence where one does."""

_PREFERS = lazy_pattern(r"(?:i|we) (?:\w+ )?prefer\b")
_WHENEVER = lazy_pattern(r" (?:when|whenever|if)\b.*$")


def _went_through(told: str, forms: Sequence[re.Pattern[str]]) -> bool:
    """Whether a sentence tells what somebody is at these weeks, or lately went through."""
    timeless = DAYS.sub(" ", told)
    if NO_STATEMENT.search(timeless):
        return False
    clause = _first_clause(told)
    found = next((found for form in forms if (found := form.match(clause))), None)
    if found is None:
        return False
    # What is told of it behind may point at it: "a film that I liked".
    said = found[0] + _TOLD_OF_IT.split(clause[found.end() :], maxsplit=1)[0]
    return not PASSING.search(DAYS.sub(" ", said))


def _first_clause(told: str) -> str:
    """The first clause, with when it is put behind it; empty if it is a condition."""
    when = told[: lead_in(told).clause]
    clause = _NEXT_CLAUSE.split(told[len(when) :], maxsplit=1)[0]
    if when and CONDITIONAL.match(when):
        return ""
    return f"{clause.rstrip('.! ')} {when.rstrip(', ')}" if when else clause


def mentions(pattern: str) -> pl.Expr:
    """Texts that hold a pattern, its words parted as they are written: by lines, or emphasised."""
    apart = pattern.replace(" ", r"[\s*_]+")
    return pl.col("text").str.contains(rf"(?i){apart}")


RULES: tuple[Rule, ...] = (
    rule(
        "provides_solution",
        7,
        "A sentence that says what solved something.",
        confidence=0.7,
        reads=SAID & mentions(_SOLVED),
        find=each(_matching(_SOLVED, SOLUTION, NO_SOLUTION)),
        examples=(
            RuleExample(
                "The fix was to raise the pool size to 20.",
                ("The fix was to raise the pool size to 20.",),
            ),
            RuleExample("Let me fix the test. The font is fixed-width. This is not fixed yet."),
            RuleExample("The fix is straightforward. All lint errors are fixed now."),
        ),
    ),
    rule(
        "identifies_issue",
        7,
        "A sentence that says what goes wrong.",
        confidence=0.7,
        reads=SAID & mentions(_WRONG),
        find=each(_matching(_WRONG, ISSUE, NO_ISSUE, without=CONDITION, below=MENDED)),
        examples=(
            RuleExample(
                "The migration failed because the column holds nulls.",
                ("The migration failed because the column holds nulls.",),
            ),
            RuleExample("Added error handling to the client. All tests pass with 0 failures."),
            RuleExample("The issue is clear now. We ate well and hung out at the lake."),
        ),
    ),
    rule(
        "discovery",
        7,
        "A sentence that says what was found out.",
        confidence=0.6,
        reads=SAID & mentions(_FOUND_OUT),
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
        24,
        "What a person says they are, have, use, do regularly or plan.",
        confidence=0.8,
        reads=SAID_BY_PERSON & BY_OWN_HAND,
        find=each(states),
        examples=(
            RuleExample("I prefer tabs over spaces.", ("I prefer tabs over spaces.",)),
            RuleExample(
                "We meet every Monday at ten. I have two cats.",
                ("We meet every Monday at ten.", "I have two cats."),
            ),
            RuleExample(
                "Haha, lately I have been learning to row.",
                ("Haha, lately I have been learning to row.",),
            ),
            RuleExample(
                "we don't have `berth_v1` anymore",
                ("we don't have `berth_v1` anymore",),
            ),
            RuleExample("I have been testing all day. I finished reading the docs of it."),
            RuleExample("Yeah, I love to. We rock! I'm super thankful. It's Ann!"),
            RuleExample(
                "I've always wanted to visit, it has the best docks. Specifically, I own a boat."
            ),
            RuleExample("We both love the sea. I'm open. [shows the bay]"),
            RuleExample(
                "we don't have `berth_v1` anymore so this is obsolete",
                ("we don't have `berth_v1` anymore",),
            ),
            RuleExample(
                "The idea is that I walk on from an older mooring, and then I would want its log."
            ),
            RuleExample("I have a question. I need you to fix it. I believe we need a berth."),
            RuleExample("My household preferences"),
            RuleExample("I no longer recall why. I am unclear on what has been done."),
            RuleExample("I'm more concerned about the crane, we should fix that somehow"),
            RuleExample("I moved to Full access. I approve calls of cranes out of the sandbox."),
            RuleExample("Do we use Redis? If we use Redis, say so. I wish we used Redis."),
        ),
    ),
)
