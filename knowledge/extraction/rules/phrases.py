"""Topics: key phrases of what a person writes in a conversation.

TF-IDF over n-grams of 1 to 4 words, a conversation being the document. The background is fixed and
ships with the rule (how common a word is in English and in requests to an agent), so a conversation
gives the same phrases whatever else is known.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

from cairn.knowledge.extraction.rules.boilerplate import weight
from cairn.knowledge.extraction.rules.entities import project_name
from cairn.knowledge.extraction.rules.paths import is_file_name
from cairn.knowledge.extraction.rules.rule import (
    SAID_BY_PERSON,
    Record,
    Rule,
    RuleExample,
    RuleMatch,
    rule,
)
from cairn.knowledge.nlp.patterns import lazy_pattern
from cairn.knowledge.nlp.text import STOP_WORDS, words
from cairn.knowledge.schema.policy import Policy

MOST_PHRASES = 8
LONGEST_PHRASE = 4
LONGEST_MESSAGE = 8_000
"""Longer messages are pasted, not written; only their beginning is read."""

_HIDDEN = lazy_pattern(
    r"```.*?(?:```|\Z)|<([a-z][\w-]*)>.*?</\1>|\b[A-Za-z][A-Za-z0-9+.-]{0,30}://\S+|[^\s@]+@[^\s@]+\.\S+"
    r"|(?<!\w)[~.]{0,2}/\S+|\b[\w.-]+/[\w./-]+|\[redacted[^\]]*\]|^[ \t]*[>|$#].*$|^(?:\t| {4}).*$"
    r"|\$\{?\w+\}?|`[^`\n]*[\s(){}=;<>][^`\n]*`"
    r"|(?<![\w.-])(?:[\w-]{1,63}\.){1,8}(?:com|org|net|edu|gov)\b"
    r"|(?<![\w.-])(?:[\w-]{1,63}\.){2,8}(?:io|dev|app|ai)\b",
    re.DOTALL | re.MULTILINE,
)
_TOKEN = lazy_pattern(
    r"(?<!\w)(?:(?:New|Great|Open|Visual|Big|Old|Deep|High) (?=[A-Z]))?"  # these begin names
    r"[A-Za-zÀ-ɏ][\wÀ-ɏ]*(?:[.'’+#-][\wÀ-ɏ]+)*(?:\+\+|(?<=\b[A-Z])\#)?"
)
_TECHNICAL = lazy_pattern(
    r"\w+-\w*\d\w*|[a-z]+\d+[a-z]*|\w+[_.]\w[\w.]*|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*"
    r"|[A-Z]{1,5}\d?s?|\w+(?:\+\+|#)"
)
_NUMBERED = lazy_pattern(
    r"\d\D*\d\D*\d|^[A-Z]*\d[A-Z0-9]*\d[A-Z0-9]*$|^(?![A-Z]{2,4}\d+$)(?=\w*\d)[A-Z0-9]{6,}$"
    r"|^[A-Z]{6,}$"
)
"""Numbers of orders, users and commits, which name one thing and no topic; and what is shouted."""

_TITLE = lazy_pattern(
    r"[\"“](?P<title>[A-Z][\w'’-]*"
    r"(?: (?:[A-Z][\w'’-]*|of|the|an?|and|in|to|for|on|with|at|from|by)){0,6} [A-Z][\w'’-]*)"
    r"[.,!?]?[\"”]"
)
"""The title of a book, a film, a song: taken whole, as any part of it is a fragment."""

_SELF = lazy_pattern(
    r"\b(?:(?:[Mm]y|first|last|full|user) ?name(?: is|'s|’s|:)?|[Ii](?: am|'m|’m)|[Tt]his is"
    r"|[Cc]all me)\s+(?P<name>[A-Z][\w'’-]+(?: [A-Z][\w'’-]+){0,2})"
)
"""How people give their own names."""

_INSIDE = " \t`*\"'“”"
_NEW_SENTENCE = lazy_pattern(r"[.!?:\n•–—-]")
_OF_A_PEOPLE = lazy_pattern(r"[A-Z]\w+(?:ese|ish|ian|ean|can|ern)$")
_NEXT = lazy_pattern(r" ([a-z]+)")
_DESCRIBING = lazy_pattern(r"(?:able|ible|ful|ous|ive|less|ish|ed|ly|ant|ing|ness|tion?al)$")


class Term(NamedTuple):
    """One word that may be part of a phrase."""

    text: str
    start: int
    end: int
    named: bool
    """Whether it is written as a name: with a capital inside a sentence, or as code is."""


@dataclass(slots=True)
class Phrase:
    """One phrase: where it was first written, how often, in which messages, whether as a name."""

    words: tuple[str, ...]
    found: RuleMatch
    count: int = 0
    messages: set[int] = field(default_factory=set)
    named: bool = False

    @property
    def score(self) -> float:
        """Frequency times the weight of its words against the background."""
        return self.count * sum(map(weight, self.words)) / len(self.words) ** 0.5


def _runs(text: str) -> Iterator[list[Term]]:
    """Runs of words that mean something, cut at marks, at lines and at words without weight."""
    run: list[Term] = []
    end = 0
    opened = False  # whether the run begins with the first word of a sentence, written as a name
    for match in _TOKEN.finditer(text):
        gap = text[end : match.start()]
        if run and gap != " " and (len(gap) > 3 or gap.strip(_INSIDE)):
            yield run
            run = []
        opening = end == 0 or (gap != " " and _NEW_SENTENCE.search(gap) is not None)
        end = match.end()
        word = match[0][:-2] if match[0].endswith(("'s", "’s")) else match[0]
        if weight(word) and not _NUMBERED.search(word) and not is_file_name(word):
            technical = _TECHNICAL.fullmatch(word) is not None
            named = technical or (word[0].isupper() and not opening)
            if named and _OF_A_PEOPLE.match(word) and (following := _NEXT.match(text, end)):
                named = following[1] in STOP_WORDS  # `Chinese food` is about food
            if named and opened and len(run) == 1:
                run = [run[0]._replace(named=True)]
            opened = not run and opening and word[0].isupper() and not _DESCRIBING.search(word)
            run.append(Term(word, match.start(), match.start() + len(word), named))
            if len(word) == len(match[0]):
                continue  # what belongs to a name ends it
        if run:
            yield run
            run = []
    if run:
        yield run


def _counted(records: Sequence[Record]) -> list[Phrase]:
    """Every n-gram of the runs of a conversation."""
    known: dict[tuple[str, ...], Phrase] = {}
    for index, record in enumerate(records):
        text = _HIDDEN.sub(_blank, record.words[:LONGEST_MESSAGE])
        for match in _TITLE.finditer(text):
            start, end = match.span("title")
            key = tuple(match["title"].lower().split())
            found = RuleMatch(record.text[start:end], start, end, record=index)
            phrase = known.setdefault(key, Phrase(key, found, named=True))
            phrase.count += 1
            phrase.messages.add(index)
        for run in _runs(_TITLE.sub(_blank, text)):
            lengths = range(1, LONGEST_PHRASE + 1)
            for first, length in product(range(len(run)), lengths):
                part = run[first : first + length]
                if len(part) < length:
                    continue
                start, end = part[0].start, part[-1].end
                key = tuple(term.text.lower() for term in part)
                phrase = known.get(key)
                if phrase is None:
                    found = RuleMatch(record.text[start:end], start, end, record=index)
                    phrase = known[key] = Phrase(key, found)
                phrase.count += 1
                phrase.messages.add(index)
                if not phrase.named and all(term.named for term in part):
                    beside = (*run[max(first - 1, 0) : first], *run[first + length :][:1])
                    phrase.named = not any(term.named for term in beside)
    return list(known.values())


def _blank(match: re.Match[str]) -> str:
    return "\n" + " " * (len(match[0]) - 1)


def _phrases(records: Sequence[Record], policy: Policy) -> Iterator[RuleMatch]:
    speakers = {word for record in records for word in words(record.name or "")}
    speakers |= {
        word
        for record in records
        for match in _SELF.finditer(record.words[:LONGEST_MESSAGE])
        for word in words(match["name"])
    }
    others = {name.casefold() for name in policy.target_systems}
    others |= {project_name(record.project).casefold() for record in records if record.project}
    topics = [
        phrase
        for phrase in _counted(records)
        if _is_topic(phrase)
        and not speakers.issuperset(phrase.words)
        and " ".join(phrase.words) not in others
    ]
    kept: list[Phrase] = []
    for phrase in sorted(topics, key=lambda phrase: (-phrase.score, phrase.words)):
        if len(kept) < MOST_PHRASES and not any(_overlaps(phrase, other) for other in kept):
            kept.append(phrase)
            yield phrase.found


def _is_topic(phrase: Phrase) -> bool:
    """Whether a phrase names something: written as a name, or said again, and no common word."""
    weights = [weight(word) for word in phrase.words]
    last = phrase.words[-1]
    if len(weights) == 1:
        again = phrase.count > 2 and len(phrase.messages) > 1 and not _DESCRIBING.search(last)
        return len(last) > 2 and weights[0] > 1 and (phrase.named or (again and len(last) > 3))
    if phrase.named:
        return max(weights) > 1 or len(weights) > 2
    return max(weights) > 1 and len(phrase.messages) > 1


def _overlaps(one: Phrase, other: Phrase) -> bool:
    """Whether one phrase stands in the other, or they share two words or more."""
    shared = len(set(one.words) & set(other.words))
    return shared > 1 or shared == min(len(set(one.words)), len(set(other.words)))


RULES: tuple[Rule, ...] = (
    rule(
        "topic",
        2,
        "A key phrase of what a person wrote in a conversation, 1 to 4 words, or a title that they "
        "quoted, as an entity.",
        predicate="is",
        type="topic",
        confidence=0.6,
        reads=SAID_BY_PERSON,
        find=_phrases,
        whole=True,
        policy=("target_systems",),
        content="{object} is a topic",
        examples=(RuleExample("Please move the OpenTelemetry setup.", ("OpenTelemetry",)),),
    ),
)
