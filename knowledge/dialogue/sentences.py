"""Sentences that state a cause, a fix or a choice, found by their grammar."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from cairn.knowledge.dialogue.turns import Turn
from cairn.knowledge.nlp.patterns import lazy_pattern
from cairn.knowledge.nlp.text import STOP_WORDS, sentences, words
from cairn.knowledge.nlp.vocabulary import stem

LONGEST_MESSAGE = 6000
LONGEST_TYPED = 1500
"""Longer ones are reports, or pasted in: what they say was not said about this work."""

SHORTEST, LONGEST = 24, 320

CAUSE_SAID = lazy_pattern(
    r"(?i)\b(?:because|since (?!the (?:last|previous)|then|when)|due to|caused by|root cause"
    r"|turns out"
    r"|(?:which|that|and) (?:\w+ ){0,6}(?:(?:leads?|led) to|result(?:s|ed)? in|caus(?:es|ed))"
    r"|the (?:real |actual |root |underlying |core |main )?"
    r"(?:issue|problem|cause|culprit|reason)(?: here)? (?:is|was)|which is why)\b"
)
CAUSE_SEEN = lazy_pattern(
    r"(?i)\b(?:doesn't|does not|don't|can't|cannot|could not|couldn't|isn't|is not|aren't|wasn't"
    r"|won't|no longer|missing|expects?|expected|requires?|needs? (?!to )|unsupported|conflicts?"
    r"|deprecated|always returns?|in a separate|instead of|only (?:works?|accepts?|supports?|runs?)"
    r"|not (?:configured|available|installed|defined|supported|found|set)|gitignored|hard-?coded"
    r"|was (?:forgotten|written|removed)|forgot|should (?:not )?(?:be|have)"
    r"|(?:is|was|are|were) (?:null|nil|none|undefined|empty|stale|unset|out of date|swapped"
    r"|reversed|overwritten|shadowed|cached|truncated|ignored|skipped|dropped|refused|too \w+)"
    r"|never (?:calls?|called|sets?|runs?|ran|gets?|closes|closed|fires|fired|reach\w*|updat\w+"
    r"|await\w*|arrives?|returns?)"
    r"|so (?:[\w.()]+ ){1,6}(?:fails?|throws?|crash\w*|raises?|breaks?|hangs?|returns? nothing))\b"
    r"|, so (?!(?:i|we|you|let|let's|now|that|please|far|they|this|it|all|both|everything)\b)"
)
ABOUT_SPEAKER = lazy_pattern(
    r"(?i)^(?:let me|let's|now\b|i'll|i will|i'm|i am|i need|i should|i can|i have|i've|i want"
    r"|next\b"
    r"|good\b|great\b|perfect\b|excellent\b|all \d|all green|still\b|wait\b|first\b|done\b|clean\b"
    r"|yes\b|no\b|ok\b|okay\b|continuing|should\b|would\b|could\b|can\b|looking\b|need\b|progress"
    r"|hmm|here(?:'s| is| are)\b|we (?:will|should|need|can|now|have|are)\b|you\b|please\b"
    r"|expected\b"
    r"|attempted|the script (?:has )?(?:ran|successfully)|the next step"
    r"|two issues|there (?:are|is)\b|some of|one more|not sure|maybe|perhaps"
    r"|to (?:fix|do|address)\b"
    r"|the (?:issue|problem|error|cause) is (?:clear|obvious)[.!]?$)"
)
HEDGED = lazy_pattern(
    r"(?i)\b(?:successfully|might|may (?:be|vary|also|need|have|not)|maybe|perhaps|probably"
    r"|not sure|could be|i guess|i wonder)\b"
)
DANGLING = lazy_pattern(
    r"(?i)^(?:it|this|that|they|these|those|he|she|there|which|so|but|and|or|then|both|also|such"
    r"|as (?:expected|a result)|however|therefore|the (?:same|other|latter|former))\b"
)
_OPENER = lazy_pattern(
    r"(?i)^(?:it (?:seems|looks like|appears)(?: that)?"
    r"|i (?:see|think|found|notice)(?:d)?(?: that)?"
    r"|according to (?:the )?[\w-]+|(?:i |we )?(?:found|discovered|noticed) that"
    r"|so|but|and|ah|oh|right|actually|hmm|good catch|however"
    r"|turns out(?: that)?|it turns out that?"
    r"|the (?:real |actual |root |underlying |core |main )?(?:issue|problem|cause|culprit|error)"
    r"(?: here)? (?:is|was)(?: clear| obvious)?(?: that| because)?"
    r"|the reason is(?: that)?)\b[\s,:;—–-]*"
)
_LEAD = lazy_pattern(
    r"(?i)^(?:to (?:fix|solve|resolve|address|avoid|prevent|handle) [^,]{2,60}, )?"
    r"(?:(?:now|so|then|first|okay|ok|good|right|expected|therefore|thus)\b[\s,:—–-]*)?"
    r"(?:i(?:'ll| will| need to| have to| should| must)|we(?:'ll| will| need to| should| have to"
    r"| must)|let me|let's|need to|should|the (?:fix|solution) is to)\s+"
    r"(?:also |just |now |then |instead |simply |first |try to |try |do that by )*"
)
_IDLE = lazy_pattern(
    r"(?i)^(?:check|look|see|read|re-?run|run|verify|find|investigate|explore|understand|continue"
    r"|start|search|view|open|examine|inspect|fetch|wait|commit|close|push|stage|review|think|know"
    r"|use [\w`./-]+ to (?:see|find|check|look|read|search|locate|verify|list)"
    r"|navigate|locate|confirm|ensure|work|proceed|begin|go|be|do|have|get|use the|debug|analy[sz]e"
    r"|list|print|show|test|begin|submit|now|write (?:a|the) (?:test|plan|script)|create a comp)\b"
)
_VAGUE = lazy_pattern(
    r"(?i)^(?:fix|address|correct|resolve|handle|solve|update|change|adjust|retry|try|modify)\s+"
    r"(?:(?:it|this|that|them|these|those|both|all)(?=[.:!]|$|\s(?:now|first|again|too|and|by|in)\b"
    r"|\sproperly)|(?:the|these|those|all|my|this|that)\b"
    r"(?:\s+[\w-]+){0,2}\s*(?:errors?|issues?|tests?|problems?|failures?|code|files?|assertion"
    r"|setup|patterns?|warnings?|edit|command|parts?|sections?|lines?))\b[^,:;—–]*$"
    r"|\b(?:(?:we|i|you) (?:had|saw|said|did) before|mentioned|(?:see|shown) above|earlier)\b"
    r"|^(?:make|apply|do) (?:the|these|this|those|some|any|my) (?:[\w-]+ ){0,2}"
    r"(?:edits?|changes?|modifications?|fix(?:es)?|adjustments?)\b"
)
_CHANGES = lazy_pattern(
    r"(?i)^(?:add|use|replace|rewrite|rename|extract|move|remove|set|require|import|switch|wrap"
    r"|exclude|include|pass|force|install|convert|split|inline|disable|enable|change|return|make|modify|update|correct|adjust"
    r"|create|declare|define|drop|pin|upgrade|downgrade|configure|register|restructure|simplify"
    r"|source|quote|escape|delete|increase|reduce|cache|call|need|put|turn|mock|stub|allow|skip"
    r"|calculate|take|fix the [\w.`]+ |guard|round|await|lock|bind|cast|parse|normali[sz]e|validate"
    r"|clamp|limit|close|flush|sort|filter|strip|trim|encode|decode|initiali[sz]e|reset|invalidate"
    r"|debounce|throttle|batch|defer|store|compute|compare|restart|expose|handle|raise|lower)\b"
)
_NAMES_CODE = lazy_pattern(r"`[^`]+`|\w+[._/:]\w+|--\w|\b[a-z]+[A-Z]\w+")
_FENCE = lazy_pattern(r"```.*?(?:```|\Z)", re.DOTALL)
_MARKS = lazy_pattern(r"\*\*|`|^#+\s+|^>\s+|^[-*•]\s+|^\d+[.)]\s+", re.MULTILINE)
_LINK = lazy_pattern(r"\[([^\]]+)\]\([^)\s]+\)")
_CLAUSE = lazy_pattern(
    r"\s+[—–]\s+|\s+-\s+|;\s+|:\s+|,\s+(?:so|which|and)\b|\s+\(|\s+(?:since|because)\b|(?<!\.)\.\s+"
)
_TRAILING = lazy_pattern(
    r"(?:\s+(?:a|an|and|as|at|be|because|but|by|can|could|for|from|has|have|if|in|is|its|may|must|not"
    r"|of|on|or|should|since|so|than|that|the|their|this|to|was|when|which|while|will|with|would))+$"
)
_LINE_NUMBER = lazy_pattern(r"\s+(?:on|at|in|near) line \d+(?!\w)")
_GLUED = lazy_pattern(r"(?<=[a-z\d)`])\.(?=([A-Z][a-z]*)(?:'\w+)? )")
_TURNED = lazy_pattern(
    r"(?i)^(?:since|as|because) (.{12,}?), (?:we|i|you) (?:need to|should|must|have to) "
    r"(.{12,}?)[.!]?$"
)


_MOST_TAKEN_UP = 2


class Sentence(NamedTuple):
    """A sentence and its place in the text of its record (code points)."""

    turn: Turn
    start: int
    end: int

    @property
    def text(self) -> str:
        """The sentence as it stands."""
        return self.turn.text[self.start : self.end]

    @property
    def plain(self) -> str:
        """The sentence without markdown, on one line."""
        return plain(self.text)


@lru_cache(maxsize=16_384)
def plain(text: str) -> str:
    """Text without markdown, on one line; an apostrophe is the plain one, as forms have it."""
    return " ".join(_MARKS.sub("", _LINK.sub(r"\1", text)).replace("’", "'").split())


def said(turn: Turn) -> Iterator[Sentence]:
    """Sentences of a message outside code fences; none of a report, of pasted or injected text.

    What an agent tells a sub-agent to do (it stands in the role of a user) is an order, and says
    nothing of what was learned.
    """
    limit = LONGEST_TYPED if turn.origin == "human" else LONGEST_MESSAGE
    if len(turn.text) > limit or (turn.origin == "agent" and turn.role == "user"):
        return
    for sentence in parts(turn):
        if sentence.end - sentence.start >= SHORTEST:
            yield sentence


def parts(turn: Turn) -> Iterator[Sentence]:
    """Sentences of any length outside code fences and tables, in what people begin a message with.

    None of injected text. Of a long message only the beginning is read: the rest is pasted in.
    """
    limit = LONGEST_TYPED if turn.origin == "human" else LONGEST_MESSAGE
    for start, end in _prose(turn.text[:limit]):
        yield Sentence(turn, start, end)


@lru_cache(maxsize=4_096)
def _prose(text: str) -> tuple[tuple[int, int], ...]:
    """Spans of the sentences of a text; kept, since each kind of finding looks at all of them."""
    if text.lstrip().startswith("<"):
        return ()
    fences = [match.span() for match in _FENCE.finditer(text)]
    return tuple(
        (start, end)
        for start, end in _unbroken(text)
        if end - start <= LONGEST
        and "|" not in text[start:end]
        and not any(a < end and start < b for a, b in fences)
    )


def _unbroken(text: str) -> list[tuple[int, int]]:
    """Spans of sentences; one that was cut at an ellipsis goes on, two without a gap are two."""
    spans: list[tuple[int, int]] = []
    for begin, end in sentences(text):
        start = begin
        cuts = [m.end() for m in _GLUED.finditer(text, start, end) if m[1].casefold() in STOP_WORDS]
        if (
            spans
            and text[: spans[-1][1]].endswith(("...", "…"))
            and "\n" not in text[spans[-1][1] : start]
        ):
            start = spans.pop()[0]
        spans += pairwise([start, *cuts, end])
    return spans


def is_question(sentence: Sentence) -> bool:
    """Whether it asks, or offers a choice, rather than states."""
    text = sentence.plain.rstrip(")\"' ")
    return text.endswith(("?", ":")) or bool(
        re.match(
            r"(?i)(?:should|shall|would|could|can|do|does|is|are|what|which|why|how|if)\b", text
        )
    )


def cause(candidates: Iterable[Sentence], about: str = "") -> Sentence | None:
    """The sentence that says most plainly why something failed; the first of the plainest.

    Args:
        candidates: Sentences in their order.
        about: What failed, in a person's words: a sentence that takes up two of them says more.
    """
    known = {stem(word) for word in words(about) if word not in STOP_WORDS}
    best: tuple[int, Sentence] | None = None
    for sentence in candidates:
        text = sentence.plain
        if is_question(sentence) or HEDGED.search(text):
            continue
        own = bool(ABOUT_SPEAKER.match(text))
        strength = 2 * bool(CAUSE_SAID.search(text)) + bool(CAUSE_SEEN.search(text)) - 2 * own
        strength += not DANGLING.match(statement(text))
        if strength < 2 or own:
            continue
        taken_up = len(known & {stem(word) for word in words(text)})
        strength += min(max(taken_up - 1, 0), _MOST_TAKEN_UP)
        if best is None or strength > best[0]:
            best = strength, sentence
    return best[1] if best else None


def fix(candidates: Iterable[Sentence]) -> Sentence | None:
    """The first sentence in which the agent says most plainly what it is about to change."""
    best: tuple[int, Sentence] | None = None
    for sentence in candidates:
        order = imperative(sentence.plain)
        strength = 2 * bool(_CHANGES.match(order)) + bool(_NAMES_CODE.search(sentence.text))
        if order and strength >= 2 and (best is None or strength > best[0]):
            best = strength, sentence
    return best[1] if best else None


def imperative(text: str) -> str:
    """What a sentence says to do, as an order ("Use :auto mode."); empty if it says nothing."""
    lead = _LEAD.match(text)
    if lead:
        rest = text[lead.end() :]
    elif re.match(r"(?i)need (?!to\b)", text):
        rest = text
    else:
        return ""
    rest = re.sub(r"\s*:$|\s+[-–—]\s+let me\b.*$", ".", rest.strip())
    if len(rest.split()) < 3 or _IDLE.match(rest) or _VAGUE.search(rest):
        return ""
    return capitalised(rest)


def statement(text: str) -> str:
    """A statement without the words that lead up to it ("The issue is that …")."""
    while (lead := _OPENER.match(text)) and len(text) - lead.end() >= SHORTEST:
        text = text[lead.end() :]
    return capitalised(_LINE_NUMBER.sub("", text))


def lesson(text: str) -> str:
    """A statement as a title would put it: "Since A, we need to B" as "B since A"."""
    if turned := _TURNED.match(text):
        text = f"{turned[2]} since {turned[1]}"
    return capitalised(text)


def capitalised(text: str) -> str:
    """Text with a capital at its beginning, unless it begins with code."""
    first = text.split(" ", 1)[0].rstrip(",.:;")
    word = first[:1] + first[1:].replace("'", "").replace("’", "").replace("-", "")
    return text[:1].upper() + text[1:] if word.isalpha() and word.islower() else text


def stands_alone(text: str) -> bool:
    """Whether a sentence can be read without the one before it."""
    return not DANGLING.match(text) and not ABOUT_SPEAKER.match(text)


def headline(text: str, limit: int = 100) -> str:
    """A title of at most `limit` characters: the text, its first clauses, or cut at a word."""
    text = text.strip().rstrip(" .:;,!")
    if len(text) <= limit:
        return text
    cuts = [
        match.start() for match in _CLAUSE.finditer(text) if limit // 2 <= match.start() <= limit
    ]
    if cuts:
        return text[: cuts[-1]].rstrip(" .:;,")
    cut = text[: limit - 1].rsplit(" ", 1)[0].rstrip(" .:;,(")
    return _TRAILING.sub("", cut).rstrip(" ,;:") + "…"
