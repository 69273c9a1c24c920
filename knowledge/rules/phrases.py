"""Topics: key phrases of what a person writes in a conversation.

TF-IDF over n-grams of 1 to 4 words, a conversation being the document. The background is fixed and
ships with the rule (how common a word is in English and in requests to an agent), so a conversation
gives the same phrases whatever else is known.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from knowledge.policy import Policy
from knowledge.rules.background import weight
from knowledge.rules.rule import SAID_BY_PERSON, Example, Found, Record, Rule, rule
from knowledge.text import words

MOST_PHRASES = 8
LONGEST_PHRASE = 4
LONGEST_MESSAGE = 8_000
"""Longer messages are pasted, not written; only their beginning is read."""

_HIDDEN = re.compile(
    r"```.*?(?:```|\Z)|<([a-z][\w-]*)>.*?</\1>|\b[A-Za-z][A-Za-z0-9+.-]*://\S+|\S+@\S+\.\S+"
    r"|(?<!\w)[~.]{0,2}/\S+|\b[\w.-]+/[\w./-]+|\[redacted[^\]]*\]|^[ \t]*[>|$#].*$|^(?:\t| {4}).*$"
    r"|\$\{?\w+\}?|`[^`\n]*[\s(){}=;<>][^`\n]*`",
    re.DOTALL | re.MULTILINE,
)
_TOKEN = re.compile(r"[A-Za-zÀ-ɏ][\wÀ-ɏ]*(?:[.'’+#-][\wÀ-ɏ]+)*(?:\+\+|#)?")
_TECHNICAL = re.compile(
    r"[a-z]+\d+[a-z]*|\w+[_.]\w[\w.]*|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|[A-Z][A-Z0-9]{1,7}s?|\w+(?:\+\+|#)"
)
_DESCRIBING = re.compile(r"(?:able|ible|ful|ous|ive|less|ish|ed|ly|ant|ing|ness|tion?al)$")


@dataclass(slots=True)
class Phrase:
    """One phrase: where it was first written, how often, in how many messages, how."""

    found: Found
    count: int = 0
    messages: set[int] = field(default_factory=set)
    score: float = 0.0
    named: bool = False
    words: tuple[str, ...] = ()


def _tokens(text: str) -> Iterator[tuple[str, int, int, bool]]:
    """Words with their places, and whether each continues the words before it."""
    end = -1
    for match in _TOKEN.finditer(text):
        joined = (
            end >= 0
            and text[end : match.start()].strip(" \t`*\"'“”") == ""
            and (match.start() - end <= 3)
            and "\n" not in text[end : match.start()]
        )
        yield match[0], match.start(), match.end(), joined
        end = match.end()


def _runs(text: str) -> Iterator[list[tuple[str, int, int, bool]]]:
    """Runs of words that mean something by themselves, cut at marks and at common words."""
    run: list[tuple[str, int, int, bool]] = []
    sentence_start = True
    end = 0
    for word, start, stop, joined in _tokens(text):
        between = text[end:start]
        sentence_start = (
            end == 0
            or any(mark in between for mark in ".!?:\n•-")
            or ((sentence_start and not run) and not between.strip())
        )
        if not joined and run:
            yield run
            run = []
        bare = re.sub(r"['’]s$", "", word)
        if weight(bare) <= 0:
            if run:
                yield run
                run = []
        else:
            capital = word[0].isupper() and not sentence_start
            run.append((bare, start, start + len(bare), capital))
        end = stop
        sentence_start = False
    if run:
        yield run


def _phrases(records: Sequence[Record], policy: Policy) -> Iterator[Found]:
    known: dict[str, Phrase] = {}
    for index, record in enumerate(records):
        text = _HIDDEN.sub(
            lambda match: "\n" + " " * (len(match[0]) - 1), record.text[:LONGEST_MESSAGE]
        )
        for run in _runs(text):
            for size in range(1, LONGEST_PHRASE + 1):
                for at in range(len(run) - size + 1):
                    part = run[at : at + size]
                    start, end = part[0][1], part[-1][2]
                    written = record.text[start:end]
                    key = " ".join(word.lower() for word, *_ in part)
                    phrase = known.get(key)
                    if phrase is None:
                        found = Found(written, start, end, "text", index)
                        phrase = known[key] = Phrase(found, words=tuple(key.split()))
                    phrase.count += 1
                    phrase.messages.add(index)
                    phrase.named = phrase.named or all(
                        capital or _TECHNICAL.fullmatch(word) for word, _, _, capital in part
                    )
    for phrase in known.values():
        weights = [weight(word) for word in phrase.words]
        phrase.score = phrase.count * sum(weights) / len(weights) ** 0.5
    kept: list[Phrase] = []
    speakers = {word for record in records for word in words(record.name or "")}
    systems = {name.casefold() for name in policy.target_systems}
    ranked = sorted(
        (
            phrase
            for phrase in known.values()
            if _is_topic(phrase)
            and not speakers.issuperset(phrase.words)
            and " ".join(phrase.words) not in systems
        ),
        key=lambda phrase: (-phrase.score, phrase.found.object.lower()),
    )
    for phrase in ranked:
        if any(_overlaps(phrase, other) for other in kept):
            continue
        kept.append(phrase)
        if len(kept) == MOST_PHRASES:
            break
    for phrase in kept:
        yield phrase.found


def _is_topic(phrase: Phrase) -> bool:
    """Whether a phrase names something: written as a name, or said again, and no common word."""
    weights = [weight(word) for word in phrase.words]
    if weights[-1] < 1:
        return False
    if len(phrase.words) == 1:
        word = phrase.words[0]
        again = phrase.count > 2 and len(phrase.messages) > 1 and not _DESCRIBING.search(word)
        return len(word) > 2 and weights[0] > 1 and (phrase.named or (again and len(word) > 3))
    if phrase.named:
        return min(weights) > 1
    return (
        max(weights) > 1 and len(phrase.messages) > 1 and not _DESCRIBING.search(phrase.words[-1])
    )


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
