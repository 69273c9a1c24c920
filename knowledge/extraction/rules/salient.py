"""What a person says that no form of a rule fits, and that is likely worth remembering.

How likely is judged as fitted to other messages (cairn.knowledge.extraction.salience). What is kept
is the one sentence that says most, if it can be read alone.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from cairn.knowledge.extraction.rules.decided import decisions
from cairn.knowledge.extraction.rules.directives import as_kept, directives
from cairn.knowledge.extraction.rules.explained import explained
from cairn.knowledge.extraction.rules.forms.details import is_detail
from cairn.knowledge.extraction.rules.forms.directives import alone, is_order
from cairn.knowledge.extraction.rules.forms.word_classes import ASKS, DOUBTED
from cairn.knowledge.extraction.rules.rule import (
    BY_OWN_HAND,
    SAID_BY_PERSON,
    Record,
    Rule,
    RuleExample,
    RuleMatch,
    each,
    rule,
)
from cairn.knowledge.extraction.rules.statements import (
    LONGEST_SENTENCE,
    leans_on_another,
    parts,
    states,
)
from cairn.knowledge.extraction.salience.model import CHATS, SESSIONS, kind_of, salience
from cairn.knowledge.nlp.plain_words import lead_in, plain_words
from cairn.knowledge.nlp.text import words
from cairn.knowledge.schema.policy import Policy

LEAST = {SESSIONS: 0.25, CHATS: 2.0}
"""Log odds from which a sentence is taken; in a session the mean of its own and its message's, as
what stands around it tells how it is meant. In made-up sets that were held out 8 of 9 that are
taken hold something, of chats 49 of 50 (benchmarks/said)."""

LEAST_OWN = -0.25
"""Log odds of the sentence itself: what stands around one speaks for another as well."""

_LONGEST, _FEWEST = 120, 5
"""Words of a message, and of a sentence, that are judged: what they were fitted to is no longer."""
_MOST_CHARACTERS = 2_000
"""Of a message: its n-grams are many more."""

_PREDICATES: dict[str | None, str] = {"directive": "directs", "decision": "decides"}
"""By what a sentence holds; anything else is a statement."""
_POINTS = re.compile(
    r"(?:it|its|this|that|these|those|they|them|there|he|she|both|because|same|which|one|if"
    r"|i (?:fully |totally |also )?(?:dis)?agree)\b"
)
"""What can only be read beside what was said before, or asks without its mark."""
_ASKS_FOR = re.compile(
    r"(?:get|create|build|add|make|write|update|implement|fix|check|find|look|investigate|let us) "
)
"""How a request begins."""
_LOOKS_INTO = re.compile(
    r"(?:audit|verify|review|mention|explain|investigate|check|find|look|analy[sz]e|describe"
    r"|summari[sz]e|confirm|compare|list|show|tell"
    r"|(?:i|we) (?:also |just )?(?:want|need|have|would like) to"
    r" (?:investigate|understand|see|check|know|find out|look|figure out)"
    r"|(?:start|begin|continue|keep|go on|carry on) \w+ing|continue|proceed|go ahead"
    r"|(?:nah |no |ok )?let us (?:roll back|go back|revert|undo|stash|pull|fetch|rebase|merge))\b"
)
"""How a task begins that ends with an answer, or where it began."""
_ARROW, _FEWEST_ARROWS = re.compile(r"\s(?:[-=]+>|→)\s"), 2
"""What leads to what, and the next to another, is a list whose lines ran together."""
_OF_ONESELF = re.compile(r"\b(?:i|my|me|mine|we|our|us)\b")
_OPENS_WITH_ONESELF = re.compile(rf".{{,25}}?{_OF_ONESELF.pattern}")
"""What somebody did can be read without knowing what "it" was, or who "he"."""


class SalientSentence(NamedTuple):
    """A sentence as it is kept, where it stands, and the predicate of what it says."""

    text: str
    start: int
    end: int
    predicate: str


@lru_cache(maxsize=4_096)
def salient(text: str, of: str) -> SalientSentence | None:
    """The sentence of what a person typed that is likely worth remembering; None if none is.

    Args:
        text: What they typed.
        of: SESSIONS where it is told an agent about a project, else CHATS.
    """
    if len(text) > _MOST_CHARACTERS or len(words(text)) > _LONGEST:
        return None
    can_be = [(start, end) for start, end in parts(text) if _can_be_kept(text[start:end], of)]
    if not can_be:
        return None
    start, end = max(can_be, key=lambda part: salience(text[slice(*part)], of))
    own = salience(text[start:end], of)
    if (own if of == CHATS else (own + salience(text, of)) / 2) <= LEAST[of] or own <= LEAST_OWN:
        return None
    kind = kind_of(text[start:end]) if of == SESSIONS else None
    predicate = _PREDICATES.get(kind, "states")
    if of == SESSIONS and is_detail(text[start:end]):
        predicate = "asks"
    plain, places = plain_words(text[start:end])
    start += places[lead_in(plain).opening]
    kept = as_kept(text[start:end])
    return SalientSentence(kept, start, end, predicate) if kept else None


def _can_be_kept(sentence: str, of: str) -> bool:
    """Whether it asserts something that can be read alone, and that holds for longer."""
    plain = plain_words(sentence).text
    told = plain[lead_in(plain).opening :]
    return (
        len(sentence) <= LONGEST_SENTENCE
        and len(words(told)) >= _FEWEST
        and not any(form.match(told) for form in (ASKS, _POINTS))
        and DOUBTED.search(told) is None
        and len(_ARROW.findall(sentence)) < _FEWEST_ARROWS
        and not leans_on_another(plain)
        and (not _LOOKS_INTO.match(told) if of == SESSIONS else _tells_of_oneself(told))
        and (alone(told) or (of == CHATS and bool(_OPENS_WITH_ONESELF.match(told))))
    )


def _tells_of_oneself(told: str) -> bool:
    return bool(_OF_ONESELF.search(told)) and not (_ASKS_FOR.match(told) or is_order(told))


def _says(record: Record, policy: Policy) -> Iterator[RuleMatch]:
    found = salient(record.words, SESSIONS if record.project else CHATS)
    if found and not _is_told(record, policy):
        yield RuleMatch(found.text, found.start, found.end, predicate=found.predicate)


def _is_told(record: Record, policy: Policy) -> bool:
    """Whether a form of a rule finds something that lasts in a message."""
    return bool(
        decisions(record.words, True)
        or any(one.standing for one in directives(record.words))
        or any(one.lasting for one in explained(record.words, record.project is not None))
        or any(states(record, policy))
    )


RULES: tuple[Rule, ...] = (
    rule(
        "salient",
        12,
        "What a person says in passing, in words that no form fits, and that likely lasts.",
        predicate="states",
        confidence=0.7,
        reads=SAID_BY_PERSON & BY_OWN_HAND,
        find=each(_says),
        examples=(
            RuleExample(
                "We talked to the harbour board, no night tours, the ferry stays a day service",
                ("We talked to the harbour board, no night tours, the ferry stays a day service",),
            ),
            RuleExample(
                "The pilots have no phones on board, so the page has to work without a login.",
                ("The pilots have no phones on board, so the page has to work without a login.",),
            ),
            RuleExample(
                "I like option 1, for the harbour:\n\nmooring enable -> just works as before,"
                " mooring from path\nmooring enable --local-dev -> creates the wrapper script,"
                " using MOORING_LOCAL_DEV\n\nin this repo we want to commit"
                " `mooring enable --local-dev` state"
            ),
            RuleExample("can you check why the crane is slow, it was fine before the rebase"),
            RuleExample(
                "yes, start implementing and keep reviewing after each phase, only stop if you need"
                " feedback from me"
            ),
            RuleExample(
                "can you check this tweet:\n\nMost harbours count ships by hand. Instead, quaylog"
                " mirrors the crane lists of a port to an archive without a local copy."
            ),
        ),
    ),
)
