"""What a person decides: in their own words, or an agent's that they said yes to.

A decision that the person takes back later in the conversation was none.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from cairn.knowledge.dialogue.assent import approves
from cairn.knowledge.dialogue.borne_out import weighty
from cairn.knowledge.dialogue.overruled import overruled
from cairn.knowledge.dialogue.trust import PERSON
from cairn.knowledge.extraction.rules.directives import as_kept, directives
from cairn.knowledge.extraction.rules.forms.decisions import (
    ASKS_BEHIND,
    ASKS_FOR,
    ASKS_WHETHER,
    DOUBTS,
    LETS,
    POINTS_BACK,
    PROGRESS,
    RETHINKS,
    SETTLED,
    TO_BE_SO,
    UNDOES,
    WE_SHOULD,
)
from cairn.knowledge.extraction.rules.forms.details import is_detail
from cairn.knowledge.extraction.rules.forms.directives import alone
from cairn.knowledge.extraction.rules.forms.word_classes import TROUBLED
from cairn.knowledge.extraction.rules.rule import (
    BY_OWN_HAND,
    EDITS,
    SAID,
    Record,
    Rule,
    RuleExample,
    RuleMatch,
    rule,
)
from cairn.knowledge.extraction.rules.statements import LONGEST_SENTENCE, parts
from cairn.knowledge.nlp.patterns import lazy_pattern
from cairn.knowledge.nlp.plain_words import lead_in, plain_words
from cairn.knowledge.nlp.text import STOP_WORDS, words
from cairn.knowledge.schema.policy import Policy

_NEXT = re.compile(r",?\s+and\s+then\s+|,\s+then\s+(?!(?:the|an?)\b|\w+ [\w-]+(?:,|\W*$))|;\s+")
_LEADS_UP, _LEADS_CONTENT = 6, 3
"""Words, and words that mean something, that a clause has to which the decision may point."""


class DecisionClause(NamedTuple):
    """A decision within a text, as it is kept."""

    text: str
    start: int
    end: int


class _DecisionMade(NamedTuple):
    """A decision that was made, and in which record."""

    record: int
    found: RuleMatch


@lru_cache(maxsize=4_096)
def decisions(text: str, to_agent: bool) -> tuple[DecisionClause, ...]:
    """Decisions in what somebody wrote, in order.

    Args:
        text: What they wrote.
        to_agent: Whether an agent takes part: only there is "let's" and "should" more than talk.
    """
    ordered = {one.end for one in directives(text) if one.standing} if to_agent else set[int]()
    answers = len(_NUMBERED.findall(text)) > 1
    return tuple(
        found
        for part in parts(text)
        for start, end in _clauses(text, *part)
        if end not in ordered
        and not (answers and _BARE.match(text, start, end))
        and (found := _decision(text, start, end, to_agent))
    )


_PROPOSE = lazy_pattern(
    r"\b(?:can|could|would|will) you\b[^.?!\n]{0,80}\b(?:propose|suggest|recommend)\b"
    r"|\bwhat (?:do|would) you (?:suggest|propose|recommend)\b"
    r"|\bpropose (?:a |some )?(?:changes?|options|alternatives)\b"
)
"""A person who asks for a proposal decides nothing yet; an agent that makes one may be told yes."""

_NUMBERED = re.compile(r"(?m)^[ \t]*\d{1,3}[.)]\s")
_BARE = re.compile(r"(?i)\s*no\s+(?!need\s+to\b)")
"""An answer among numbered ones: of what there is to be none stands in the question."""


def _clauses(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A sentence without the question behind it, in parts that follow each other."""
    plain, places = plain_words(text[start:end])
    if asked := ASKS_BEHIND.search(plain):
        plain = plain[: asked.start()]
    if asks := ASKS_FOR.match(plain, lead_in(plain).opening):
        yield start + places[asks.end()], start + places[len(plain.rstrip().rstrip("?"))]
        return
    if plain.rstrip().endswith(("?", ":")):
        return
    at = 0
    for cut in [*_NEXT.finditer(plain), None]:
        stop = cut.start() if cut else len(plain)
        if plain[at:stop].strip():
            yield start + places[at], start + places[at + len(plain[at:stop].rstrip())]
        at = cut.end() if cut else stop


def _decision(text: str, start: int, end: int, to_agent: bool) -> DecisionClause | None:
    if end - start > LONGEST_SENTENCE:
        return None
    plain, places = plain_words(text[start:end])
    lead = lead_in(plain)
    decides = _settles if to_agent else _settled
    told = plain[lead.opening :]
    passes = told.startswith(_PASSES)
    if not (decides(told) or (decides(plain[lead.clause :]) and not passes)):
        return None
    if _OBJECTLESS.fullmatch(told):
        return None
    start += places[lead.opening]
    kept = as_kept(text[start:end])
    return DecisionClause(kept, start, end) if kept else None


_OBJECTLESS = re.compile(r"(?:there is )?no need to \w+(?: (?:or|and) \w+)?[.!]?")
"""What need not be done to something that stands before it."""

_PASSES = (
    "if ", "for now", "for the moment", "today", "this time", "for the first ",
    "for the second ", "for the third ", "for the last ",
)  # fmt: skip
"""How a clause begins that makes of what follows no decision, or none for long."""

_FOLLOWING = re.compile(
    r",? (?:because|since|so(?: that)?|if|when|unless|but|as (?:it|we|they)) |, (?=and |it |that )"
)
"""Why, in which case, or what else: what it points at stands before it."""


_JUDGES = re.compile(
    r"(?:that|this|it) is (?:ok(?:ay)?|fine|good|bad|enough|acceptable|alright)\b(?! to\b)"
)
"""How a clause begins that says what somebody thinks of what stands before it."""


def _settled(told: str) -> bool:
    return _is_settled(told) and not DOUBTS.search(told)


def _is_settled(told: str) -> bool:
    """Whether a clause tells of what was settled, and neither asks for it nor tells of progress."""
    found = SETTLED.search(told)
    return found is not None and not (ASKS_WHETHER.search(found[0]) or PROGRESS.search(told))


def _settles(told: str) -> bool:
    """Whether a clause decides something, and can be read without what was said before it."""
    if DOUBTS.search(told) or _JUDGES.match(told):
        return False
    if _is_settled(told):
        return True
    if stated := TO_BE_SO.match(told):
        return alone(told[stated.end() :]) or alone(told)
    found = LETS.search(told) or WE_SHOULD.search(told)
    if found is None:
        return False
    before, rest = told[: found.start()], _FOLLOWING.split(told[found.start() :], maxsplit=1)[0]
    if rest.startswith("we can") and re.search(r"\b(?:if|when)\b", before):
        return False
    if not POINTS_BACK.search(rest):
        return True
    content = [word for word in words(before) if word not in STOP_WORDS]
    return (
        len(words(before)) >= _LEADS_UP
        and len(content) >= _LEADS_CONTENT
        and not TROUBLED.search(before)
    )


_DEED = re.compile(
    r"""(?:^|\b(?:let's|let\ us|we\ (?:should|must|shall|can|want\ to))\s)
      (?:(?:please|just|completely|rather|also|now|simply|then|only|really|instead|all|safely)\ )*
      (?:add|bump|change|convert|cut|delete|drop|exclude|expose|group|hide|include|inline|insert|mask|merge|migrate|move|pin
        |print|put|redact|remove|rename|replace|revert\ to|round|separate|show|sort|split|store
        |switch|truncate)\b""",
    re.VERBOSE,
)
"""An order to do something once."""

_NOT_ONCE = re.compile(
    r"""\b(?:instead\ of|rather\ than|not|never|always|every|each|any|all|whenever|from\ now\ on
      |completely|entirely|altogether|for\ good|support\ for)\b""",
    re.VERBOSE,
)
"""What names another option in an order, or says that it is meant for good."""


def _decides(records: Sequence[Record], _: Policy) -> Iterator[RuleMatch]:
    """Decisions that stand; of how a thing looks, carried out at once or ended, they are events."""
    places = [at for at, record in enumerate(records) if record.kind != "tool_call"]
    worked = max((at for at, record in enumerate(records) if record.kind == "tool_call"), default=0)
    typed = [(at, records[at].words) for at in places if records[at].origin == "human"]
    for found in _made([records[at] for at in places]):
        at = places[found.record]
        done = at < worked and _done_once(found.object)
        ended = overruled(found.object, (words for place, words in typed if place > at))
        once = done or ended or (worked and is_detail(found.object))
        yield found._replace(record=at, predicate="asks" if once else None)


def _done_once(told: str) -> bool:
    plain = plain_words(told).text
    return _DEED.search(plain) is not None and not _NOT_ONCE.search(plain)


def _made(records: Sequence[Record]) -> Iterator[RuleMatch]:
    made: list[_DecisionMade] = []
    to_agent = any(record.origin == "agent" or record.kind == "note" for record in records)
    for at, record in enumerate(records):
        if record.origin == "agent":
            made += _approved(records, at)
            continue
        proposes = to_agent and _PROPOSE.search(record.words.lower())
        new = [
            _DecisionMade(at, RuleMatch(*one, record=at))
            for one in (() if proposes else decisions(record.words, to_agent))
        ]
        made = _standing(made, new, plain_words(record.words.lstrip()[:200]).text) + new
    yield from (one.found for one in made)


def _approved(records: Sequence[Record], at: int) -> Iterator[_DecisionMade]:
    """What an agent proposed, where the person's next words say that it is to be done so."""
    answer = records[at + 1] if at + 1 < len(records) else None
    if answer is None or answer.origin != "human" or len(records[at].text) > LONGEST_APPROVED:
        return
    for one in decisions(records[at].text, True):
        if approves(answer.words, records[at].text, one.text):
            yield _DecisionMade(at, RuleMatch(*one, record=at, trust=PERSON))


LONGEST_APPROVED = 800
"""Characters of a message that a word of assent is meant for."""


def _standing(
    made: list[_DecisionMade], new: list[_DecisionMade], opening: str
) -> list[_DecisionMade]:
    """Decisions that a person's next message leaves as they are."""
    if not made:
        return made
    undone = UNDOES.search(opening.split(".", 1)[0])
    if undone:
        return [one for one in made if one.record != made[-1].record]
    if new and RETHINKS.match(opening):
        about = frozenset[str]().union(*(weighty(one.found.object) for one in new))
        return [one for one in made if not about & (weighty(one.found.object) - _IDLE)]
    return made


_IDLE = weighty("let us should make use keep remove drop go with add completely instead")


RULES: tuple[Rule, ...] = (
    rule(
        "decides",
        21,
        "What a person decides, or says yes to, and does not take back in the conversation.",
        confidence=0.8,
        reads=(SAID & BY_OWN_HAND) | EDITS,
        find=_decides,
        whole=True,
        examples=(
            RuleExample(
                "We decided to keep the monolith for another year.",
                ("We decided to keep the monolith for another year.",),
            ),
            RuleExample(
                "ok, let's completely remove the `start` command",
                ("Let's completely remove the `start` command",),
            ),
            RuleExample(
                "The quay list should be empty until a ship is chosen.",
                ("The quay list should be empty until a ship is chosen.",),
            ),
            RuleExample("No need to support Windows.", ("No need to support Windows.",)),
            RuleExample(
                "Can we rename the package from `quay` to `harbour`?",
                ("Rename the package from `quay` to `harbour`",),
            ),
            RuleExample("lets stay with sqlite", ("Lets stay with sqlite",)),
            RuleExample(
                "Archived ships should not appear in the berth picker.",
                ("Archived ships should not appear in the berth picker.",),
            ),
            RuleExample(
                "Let's not run CI when only a picture differs.",
                ("Let's not run CI when only a picture differs.",),
            ),
            RuleExample(
                "Talked to the board, we go with tugs instead of sails.",
                ("Talked to the board, we go with tugs instead of sails.",),
            ),
            RuleExample("We won't support Windows", ("We won't support Windows",)),
            RuleExample(
                "Instead of `fetch_all` we should use the paged client.",
                ("Instead of `fetch_all` we should use the paged client.",),
            ),
            RuleExample("Change it from red to blue. Stay with me. If you want, we can drop it."),
            RuleExample("Let's fix that first. Let's remove it. Let's see. Have we decided?"),
            RuleExample("That's okay for the quay but not for the pier."),
            RuleExample(
                "The tests should be green. The plan must be short. Let's not worry about it."
            ),
            RuleExample("We should fix the tests. We should probably use Redis. Let's move on."),
            RuleExample(
                "The file was renamed successfully. I no longer recall why. Let's keep moving."
            ),
            RuleExample("For now, let's use the cheapest berth. No need to write any docs."),
            RuleExample("can you remove the ferry since it's no longer supported"),
            RuleExample("Each berth should be marked. Can you take a look and propose a change?"),
        ),
    ),
)
