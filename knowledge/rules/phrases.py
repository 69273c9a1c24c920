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

from knowledge.policy import Policy
from knowledge.rules.background import weight
from knowledge.rules.paths import is_file_name
from knowledge.rules.rule import SAID_BY_PERSON, Example, Found, Record, Rule, rule
from knowledge.text import words

MOST_PHRASES = 8
LONGEST_PHRASE = 4
LONGEST_MESSAGE = 8_000
"""Longer messages are pasted, not written; only their beginning is read."""

_HIDDEN = re.compile(
    r"```.*?(?:```|\Z)|<([a-z][\w-]*)>.*?</\1>|\b[A-Za-z][A-Za-z0-9+.-]*://\S+|[^\s@]+@[^\s@]+\.\S+"
    r"|(?<!\w)[~.]{0,2}/\S+|\b[\w.-]+/[\w./-]+|\[redacted[^\]]*\]|^[ \t]*[>|$#].*$|^(?:\t| {4}).*$"
    r"|\$\{?\w+\}?|`[^`\n]*[\s(){}=;<>][^`\n]*`",
    re.DOTALL | re.MULTILINE,
)
_TOKEN = re.compile(
    r"(?<!\w)(?:(?:New|Great|Open|Visual|Big|Old|Deep|High) (?=[A-Z]))?"  # these begin names
    r"[A-Za-zÀ-ɏ][\wÀ-ɏ]*(?:[.'’+#-][\wÀ-ɏ]+)*(?:\+\+|#)?"
)
_TECHNICAL = re.compile(
    r"\w+-\w*\d\w*|[a-z]+\d+[a-z]*|\w+[_.]\w[\w.]*|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*"
    r"|[A-Z]{1,7}\d?s?|\w+(?:\+\+|#)"
)
_NUMBERED = re.compile(r"\d\D*\d\D*\d|^[A-Z]*\d[A-Z0-9]*\d[A-Z0-9]*$")
"""Numbers of orders, users and commits: they name one thing, and no topic."""

_INSIDE = " \t`*\"'“”"
_NEW_SENTENCE = re.compile(r"[.!?:\n•–—-]")
_POSSESSIVE = re.compile(r"['’]s$")
_DESCRIBING = re.compile(r"(?:able|ible|ful|ous|ive|less|ish|ed|ly|ant|ing|ness|tion?al)$")


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
    found: Found
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
    for match in _TOKEN.finditer(text):
        gap = text[end : match.start()]
        if run and (len(gap) > 3 or gap.strip(_INSIDE)):
            yield run
            run = []
        opening = end == 0 or _NEW_SENTENCE.search(gap) is not None
        end = match.end()
        word = _POSSESSIVE.sub("", match[0])
        if weight(word) and not _NUMBERED.search(word) and not is_file_name(word):
            technical = _TECHNICAL.fullmatch(word) is not None
            named = technical or (word[0].isupper() and not opening)
            run.append(Term(word, match.start(), match.start() + len(word), named))
        elif run:
            yield run
            run = []
    if run:
        yield run


def _counted(records: Sequence[Record]) -> list[Phrase]:
    """Every n-gram of the runs of a conversation."""
    known: dict[tuple[str, ...], Phrase] = {}
    for index, record in enumerate(records):
        text = _HIDDEN.sub(_blank, record.text[:LONGEST_MESSAGE])
        for run in _runs(text):
            lengths = range(1, LONGEST_PHRASE + 1)
            for first, length in product(range(len(run)), lengths):
                part = run[first : first + length]
                if len(part) < length:
                    continue
                start, end = part[0].start, part[-1].end
                key = tuple(term.text.lower() for term in part)
                phrase = known.get(key)
                if phrase is None:
                    found = Found(record.text[start:end], start, end, record=index)
                    phrase = known[key] = Phrase(key, found)
                phrase.count += 1
                phrase.messages.add(index)
                phrase.named = phrase.named or all(term.named for term in part)
    return list(known.values())


def _blank(match: re.Match[str]) -> str:
    return "\n" + " " * (len(match[0]) - 1)


def _phrases(records: Sequence[Record], policy: Policy) -> Iterator[Found]:
    speakers = {word for record in records for word in words(record.name or "")}
    systems = {name.casefold() for name in policy.target_systems}
    topics = [
        phrase
        for phrase in _counted(records)
        if _is_topic(phrase)
        and not speakers.issuperset(phrase.words)
        and " ".join(phrase.words) not in systems
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
        return min(weights) > 1
    return max(weights) > 1 and len(phrase.messages) > 1


def _overlaps(one: Phrase, other: Phrase) -> bool:
    """Whether one phrase stands in the other, or they share two words or more."""
    shared = len(set(one.words) & set(other.words))
    return shared > 1 or shared == min(len(set(one.words)), len(set(other.words)))


RULES: tuple[Rule, ...] = (
    rule(
        "topic",
        1,
        "A key phrase of what a person wrote in a conversation, 1 to 4 words, as an entity.",
        predicate="is",
        type="topic",
        confidence=0.6,
        reads=SAID_BY_PERSON,
        find=_phrases,
        whole=True,
        policy=("target_systems",),
        content="{object} is a topic",
        examples=(Example("Please move the OpenTelemetry setup.", ("OpenTelemetry",)),),
    ),
)
