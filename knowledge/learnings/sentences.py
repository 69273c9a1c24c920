"""Sentences that state a cause, a fix or a choice, found by their grammar."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from knowledge.learnings.turns import Turn
from knowledge.text import sentences

LONGEST_MESSAGE = 6000
LONGEST_TYPED = 1500
"""Longer ones are reports, or pasted in: what they say was not said about this work."""

SHORTEST, LONGEST = 24, 320

CAUSE_SAID = re.compile(
    r"(?i)\b(?:because|since (?!the (?:last|previous)|then|when)|due to|caused by|root cause"
    r"|turns out|the (?:real |actual |root |underlying |core |main )?"
    r"(?:issue|problem|cause|culprit|reason)(?: here)? (?:is|was)|which is why)\b"
)
CAUSE_SEEN = re.compile(
    r"(?i)\b(?:doesn't|does not|don't|can't|cannot|could not|couldn't|isn't|is not|aren't|wasn't"
    r"|won't|no longer|missing|expects?|expected|requires?|needs? (?!to )|unsupported|conflicts?"
    r"|deprecated|always returns?|in a separate|instead of|only (?:works?|accepts?|supports?|runs?)"
    r"|not (?:configured|available|installed|defined|supported|found|set)|gitignored|hard-?coded"
    r"|was (?:forgotten|written|removed)|forgot|should (?:not )?(?:be|have))\b"
)
ABOUT_SPEAKER = re.compile(
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
HEDGED = re.compile(
    r"(?i)\b(?:successfully|might|may (?:be|vary|also|need|have|not)|maybe|perhaps|probably"
    r"|not sure|could be|i guess|i wonder)\b"
)
DANGLING = re.compile(
    r"(?i)^(?:it|this|that|they|these|those|he|she|there|which|so|but|and|or|then|both|also|such"
    r"|as (?:expected|a result)|however|therefore|the (?:same|other|latter|former))\b"
)
_OPENER = re.compile(
    r"(?i)^(?:it (?:seems|looks like|appears)(?: that)?"
    r"|i (?:see|think|found|notice)(?:d)?(?: that)?"
    r"|according to (?:the )?[\w-]+"
    r"|so|but|and|ah|oh|right|actually|hmm|good catch|however"
    r"|turns out(?: that)?|it turns out that?"
    r"|the (?:real |actual |root |underlying |core |main )?(?:issue|problem|cause|culprit|error)"
    r"(?: here)? (?:is|was)(?: clear| obvious)?(?: that| because)?"
    r"|the reason is(?: that)?)\b[\s,:;—–-]*"
)
_LEAD = re.compile(
    r"(?i)^(?:(?:now|so|then|first|okay|ok|good|right|expected|therefore|thus)\b[\s,:—–-]*)?"
    r"(?:i(?:'ll| will| need to| have to| should| must)|we(?:'ll| will| need to| should| have to"
    r"| must)|let me|let's|need to|should|the (?:fix|solution) is to)\s+"
    r"(?:also |just |now |then |instead |simply |first |try to |try |do that by )*"
)
_IDLE = re.compile(
    r"(?i)^(?:check|look|see|read|re-?run|run|verify|find|investigate|explore|understand|continue"
    r"|start|search|view|open|examine|inspect|fetch|wait|commit|close|push|stage|review|think|know"
    r"|navigate|locate|confirm|ensure|work|proceed|begin|go|be|do|have|get|use the|debug|analy[sz]e"
    r"|list|print|show|test|begin|submit|now|write (?:a|the) (?:test|plan|script)|create a comp)\b"
)
_VAGUE = re.compile(
    r"(?i)^(?:fix|address|correct|resolve|handle|solve|update|change|adjust|retry|try|modify)\s+"
    r"(?:(?:it|this|that|them|these|those|both|all)(?=[.:!]|$|\s(?:now|first|again|too|and|by|in)\b"
    r"|\sproperly)|(?:the|these|those|all|my|this|that)\b"
    r"(?:\s+[\w-]+){0,2}\s*(?:errors?|issues?|tests?|problems?|failures?|code|files?|assertion"
    r"|setup|patterns?|warnings?|edit|command))\b[^,:;—–]*$"
)
_CHANGES = re.compile(
    r"(?i)^(?:add|use|replace|rewrite|rename|extract|move|remove|set|require|import|switch|wrap"
    r"|exclude|include|pass|force|install|convert|split|inline|disable|enable|change|return|make|modify|update|correct|adjust"
    r"|create|declare|define|drop|pin|upgrade|downgrade|configure|register|restructure|simplify"
    r"|source|quote|escape|delete|increase|reduce|cache|call|need|put|turn|mock|stub|allow|skip"
    r"|calculate|take|fix the [\w.`]+ )\b"
)
_NAMES_CODE = re.compile(r"`[^`]+`|\w+[._/:]\w+|--\w|\b[a-z]+[A-Z]\w+")
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_MARKS = re.compile(r"\*\*|__|`|^#+\s+|^>\s+|^[-*•]\s+|^\d+[.)]\s+", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\([^)\s]+\)")
_CLAUSE = re.compile(
    r"\s+[—–]\s+|\s+-\s+|;\s+|:\s+|,\s+(?:so|but|which|and)\b|\s+\(|\s+(?:since|because)\b|(?<!\.)\.\s+"
)
_TRAILING = re.compile(
    r"(?:\s+(?:a|an|and|as|at|by|for|from|in|is|of|on|or|so|that|the|to|with))+$"
)
_TURNED = re.compile(
    r"(?i)^(?:since|as|because) (.{12,}?), (?:we|i|you) (?:need to|should|must|have to) "
    r"(.{12,}?)[.!]?$"
)


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


def plain(text: str) -> str:
    """Text without markdown, on one line."""
    return " ".join(_MARKS.sub("", _LINK.sub(r"\1", text)).split())


def said(turn: Turn) -> Iterator[Sentence]:
    """Sentences of a message outside code fences; none of a report, of pasted or injected text."""
    limit = LONGEST_TYPED if turn.origin == "human" else LONGEST_MESSAGE
    if len(turn.text) > limit or turn.text.lstrip().startswith("<"):
        return
    fences = [match.span() for match in _FENCE.finditer(turn.text)]
    for start, end in _unbroken(turn.text):
        fenced = any(a < end and start < b for a, b in fences)
        if not fenced and SHORTEST <= end - start <= LONGEST and "|" not in turn.text[start:end]:
            yield Sentence(turn, start, end)


def _unbroken(text: str) -> list[tuple[int, int]]:
    """Spans of sentences; one that was cut at an ellipsis goes on."""
    spans: list[tuple[int, int]] = []
    for start, end in sentences(text):
        if (
            spans
            and text[: spans[-1][1]].endswith(("...", "…"))
            and "\n" not in text[spans[-1][1] : start]
        ):
            spans[-1] = spans[-1][0], end
        else:
            spans.append((start, end))
    return spans


def is_question(sentence: Sentence) -> bool:
    """Whether it asks, or offers a choice, rather than states."""
    text = sentence.plain.rstrip(")\"' ")
    return text.endswith(("?", ":")) or bool(
        re.match(
            r"(?i)(?:should|shall|would|could|can|do|does|is|are|what|which|why|how|if)\b", text
        )
    )


def cause(candidates: list[Sentence]) -> Sentence | None:
    """The sentence that says most plainly why something failed; the first of the plainest."""
    best: tuple[int, Sentence] | None = None
    for sentence in candidates:
        text = sentence.plain
        if is_question(sentence) or HEDGED.search(text):
            continue
        own = bool(ABOUT_SPEAKER.match(text))
        strength = 2 * bool(CAUSE_SAID.search(text)) + bool(CAUSE_SEEN.search(text)) - 2 * own
        strength += not DANGLING.match(statement(text))
        if (strength >= 2 and not own) and (best is None or strength > best[0]):
            best = strength, sentence
    return best[1] if best else None


def fix(candidates: list[Sentence]) -> Sentence | None:
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
    rest = re.sub(r"\s*:$", ".", rest.strip())
    if len(rest.split()) < 3 or _IDLE.match(rest) or _VAGUE.match(rest):
        return ""
    return rest[:1].upper() + rest[1:]


def statement(text: str) -> str:
    """A statement without the words that lead up to it ("The issue is that …")."""
    while (lead := _OPENER.match(text)) and len(text) - lead.end() >= SHORTEST:
        text = text[lead.end() :]
    return text[:1].upper() + text[1:]


def lesson(text: str) -> str:
    """A statement as a title would put it: "Since A, we need to B" as "B since A"."""
    if turned := _TURNED.match(text):
        text = f"{turned[2]} since {turned[1]}"
    return text[:1].upper() + text[1:]


def stands_alone(text: str) -> bool:
    """Whether a sentence can be read without the one before it."""
    return not DANGLING.match(text) and not ABOUT_SPEAKER.match(text)


def headline(text: str, limit: int = 100) -> str:
    """A title of at most `limit` characters: the text, its first clauses, or cut at a word."""
    text = text.strip().rstrip(" .:;,!")
    if len(text) <= limit:
        return text
    cuts = [match.start() for match in _CLAUSE.finditer(text) if 30 <= match.start() <= limit]
    if cuts:
        return text[: cuts[-1]].rstrip(" .:;,")
    cut = text[: limit - 1].rsplit(" ", 1)[0].rstrip(" .:;,(")
    return _TRAILING.sub("", cut) + "…"
