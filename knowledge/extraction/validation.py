"""What a model proposed, and what checks say of it: rows of candidates, rejected facts."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from cairn.knowledge.extraction.attitudes import stated
from cairn.knowledge.llm.chunks import Line, Lines
from cairn.knowledge.llm.prompt_injection import QUARANTINED_ORDERS, gives_orders
from cairn.knowledge.llm.prompts import CANARIES
from cairn.knowledge.llm.prompts.entity_facts import Fact
from cairn.knowledge.llm.prompts.known_facts import KnownFact
from cairn.knowledge.llm.prompts.names import Name
from cairn.knowledge.nlp.names import REDACTED_WHOLE, canonical, name_rejections
from cairn.knowledge.nlp.spans import asks, place, place_of_name, within_pair, within_quotation
from cairn.knowledge.nlp.text import sentences, undisguised
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.predicates import ATTITUDES, OBSERVED_TYPES
from cairn.knowledge.schema.tables import CANDIDATES, REJECTED_FACTS

LONGEST_STATEMENT = 300
SHORTEST_QUOTE = 3
"""Letters and digits, by their bytes: one letter of a script without spaces may be a word."""


MODES = {"known_only": "known_only", "structuring": "given"}
"""Stage → mode of its rows; any other is full mode."""

_REDACTED = re.compile(REDACTED_WHOLE)
_TYPE_BEHIND = re.compile(rf"\s*\((?:{'|'.join(sorted(OBSERVED_TYPES))}|topic)\)\s*$")


class KnownName(NamedTuple):
    """A name that facts are asked about, with the type of its entity."""

    name: str
    type: str

    @property
    def key(self) -> str:
        """By which an answer's name is this one."""
        return canonical(self.name, "topic")


class Proposal(NamedTuple):
    """One thing proposed, where it stands, and why it was refused.

    `start` and `end` count code points in `line.text`; they are None if the quote is not there.
    """

    line: Line
    kind: str
    predicate: str
    about: KnownName
    object: str
    content: str
    quote: str
    start: int | None
    end: int | None
    confidence: float
    extractor: str
    """Stage, prompt and fingerprint."""
    reason: str | None = None
    field: str = "text"


def judged_names(
    names: Sequence[Name], lines: Lines, types: Mapping[str, str], extractor: str, policy: Policy
) -> list[Proposal]:
    """Names that a model found in some lines, each at its place, with what refuses it.

    Args:
        names: The answer.
        lines: What the model was shown.
        types: Type by key (see Known) of names that rules found; all others are topics.
        extractor: For the rows.
        policy: name_words, model_confidence.
    """
    known = [KnownName(name.name.strip(), types.get(_key(name.name), "topic")) for name in names]
    forms = name_rejections(
        pl.Series([one.name for one in known], dtype=pl.String),
        pl.Series([one.type for one in known], dtype=pl.String),
        policy.name_words,
    ).to_list()
    return [
        _judged_name(name, one, form, lines, extractor, policy)
        for name, one, form in zip(names, known, forms, strict=True)
    ]


def _judged_name(
    name: Name, about: KnownName, form: str | None, lines: Lines, extractor: str, policy: Policy
) -> Proposal:
    line, quoted = located(name.quote, name.message, lines)
    named = place_of_name(about.name, line.text[slice(*quoted)]) if quoted else None
    if has_canary(about.name, name.quote):
        reason = "canary"
    elif form is not None:
        reason = form
    elif quoted is None:
        reason = "quote_not_found"
    elif named is None:
        reason = "not_in_quote"
    else:
        held = _sentence(line.text, *quoted) if line.origin == "human" else line.text
        reason = QUARANTINED_ORDERS if gives_orders(held, line.origin) else None
    start, end = (None, None)
    quote = name.quote
    if quoted and named:
        start, end = quoted[0] + named[0], quoted[0] + named[1]
        quote = line.text[start:end]
        about = KnownName(" ".join(quote.split()), about.type)
    elif quoted:
        start, end = quoted
        quote = line.text[start:end]
    return Proposal(
        line, "entity", "is", about, about.name, f"{about.name} is a {about.type}", quote, start,
        end, policy.model_confidence, extractor, reason,
    )  # fmt: skip


def judged_facts(
    facts: Sequence[Fact | KnownFact],
    lines: Lines,
    given: Mapping[str, KnownName],
    extractor: str,
    policy: Policy,
) -> list[Proposal]:
    """Facts that a model found in some lines, each at its place, with what refuses it.

    Args:
        facts: The answer.
        lines: What the model was shown.
        given: The names that it was given, by key.
        extractor: For the rows.
        policy: model_confidence, own_statement_confidence.
    """
    return [_judged_fact(fact, lines, given, extractor, policy) for fact in facts]


def _judged_fact(
    fact: Fact | KnownFact,
    lines: Lines,
    given: Mapping[str, KnownName],
    extractor: str,
    policy: Policy,
) -> Proposal:
    entity = _TYPE_BEHIND.sub("", fact.entity)
    about = given.get(_key(fact.entity)) or given.get(_key(entity))
    line, found = located(fact.quote, fact.message, lines)
    statement = " ".join(fact.statement.split())
    own = isinstance(fact, Fact) and fact.own and line.origin == "human"
    start, end = found or (None, None)
    attitude = _attitude(fact, about, line, found) if own and isinstance(fact, Fact) else None
    return Proposal(
        line,
        "fact",
        ATTITUDES[attitude] if attitude else "states",
        about or KnownName(entity.strip(), "topic"),
        statement,
        statement,
        line.text[start:end] if found else fact.quote,
        start,
        end,
        policy.own_statement_confidence if own else policy.model_confidence,
        extractor,
        _refusal(fact, statement, about, line=line, found=found),
    )


def _attitude(
    fact: Fact, about: KnownName | None, line: Line, found: tuple[int, int] | None
) -> str | None:
    """What the speaker thinks of the name, where the words bear it: it stands among them.

    And no rule reads the contrary in them.
    """
    if fact.attitude == "none" or about is None or found is None:
        return None
    sentence = _sentence(line.text, *found)
    if place_of_name(about.name, sentence) is None:
        return None
    valence = 1 if fact.attitude == "like" else -1
    for one in stated(sentence):
        if one.valence != valence and place_of_name(about.name, one.topic):
            return None
    return fact.attitude


def _refusal(
    fact: Fact | KnownFact,
    statement: str,
    about: KnownName | None,
    *,
    line: Line,
    found: tuple[int, int] | None,
) -> str | None:
    """Why a fact is refused; the first reason that holds."""
    wording = unfit(statement, fact.quote, fact.entity)
    if about is None:
        return wording if wording == "canary" else "not_given"
    if wording is not None:
        return wording
    if found is None:
        return "quote_not_found"
    if len("".join(filter(str.isalnum, fact.quote)).encode()) < SHORTEST_QUOTE:
        return "too_short"
    if isinstance(fact, Fact) and fact.own and about.type == "person" and line.origin != "human":
        return "other_speaker"
    if fact.stance != "asserted":
        return fact.stance
    if line.kind == "search" or _only_asked(line.text, *found):
        return "question"
    if _is_quoted(line.text, *found):
        return "quotation"
    # What a page or a tool says beside an order to a model is not to be trusted either.
    source = _sentence(line.text, *found) if line.origin in ("human", "agent") else line.text
    if any(gives_orders(text, line.origin) for text in (statement, source)):
        return QUARANTINED_ORDERS
    return None


def unfit(statement: str, quote: str, *names: str, longest: int = LONGEST_STATEMENT) -> str | None:
    """Why no fact may be worded like this: canary, blank, redacted or too_long; None if it may."""
    if has_canary(*names, statement, quote):
        return "canary"
    if not any(character.isalnum() for character in statement):
        return "blank"
    if _REDACTED.search(statement) or _REDACTED.search(quote):
        return "redacted"
    return "too_long" if len(statement) > longest else None


def located(quote: str, number: int, lines: Lines) -> tuple[Line, tuple[int, int] | None]:
    """The line that a quote stands in, and its span there (code points); None if in none.

    It is looked for in the message of that number; where it is not, and in exactly one other, it
    is that one's: who said it is told by where the words stand.
    """
    named = next((line for line in lines if line.number == number), None)
    if named and (span := place(quote, named.text)):
        return named, span
    others = [(line, span) for line in lines if (span := place(quote, line.text))]
    return others[0] if len(others) == 1 else (named or lines[0], None)


def has_canary(*texts: str) -> bool:
    """Whether a text has a name that only the examples of prompts have, in whatever disguise."""
    seen = [undisguised(text).replace("_", " ") for text in texts]
    return any(place_of_name(name, text) for text in seen for name in CANARIES)


def accepted(proposals: Iterable[Proposal]) -> pl.DataFrame:
    """What no check refused, as rows of CANDIDATES."""
    return CANDIDATES.frame(_once(_row(one) for one in proposals if one.reason is None))


def refused(proposals: Iterable[Proposal]) -> pl.DataFrame:
    """What a check refused or holds, as rows of REJECTED_FACTS."""
    rows = ({**_row(one), "reason": one.reason} for one in proposals if one.reason is not None)
    return REJECTED_FACTS.frame(_once(rows))


def _once(rows: Iterable[dict[str, object]]) -> list[dict[str, object]]:
    """Each row once, the surest of those that are one; any order gives the same."""
    ordered = sorted(rows, key=lambda row: (row["confidence"], row["quote"], row["extractor"]))
    return list({(row["candidate_id"], row.get("reason")): row for row in ordered}.values())


def candidate_id(one: Proposal) -> str:
    """The id of a proposal's row: of record, stage, what it says and where."""
    line, stage = one.line, one.extractor.partition("@")[0]
    start = None if one.start is None else line.offset + one.start
    said = (line.namespace, line.record_id, stage, one.predicate, *one.about, one.object)
    return "k_" + digest(*said, one.field, start)


def _row(one: Proposal) -> dict[str, object]:
    line = one.line
    actor = "task_" if line.origin == "human" else "action_"
    stage = one.extractor.partition("@")[0]
    return {
        "candidate_id": candidate_id(one),
        "namespace": line.namespace,
        "day": line.day,
        "conversation_id": line.conversation_id,
        "episode_id": line.episode_id,
        "record_id": line.record_id,
        "kind": one.kind,
        "subject": actor + line.record_id,
        "predicate": one.predicate,
        "object": one.object,
        "content": one.content,
        "entity_name": one.about.name,
        "entity_type": one.about.type,
        "quote": one.quote,
        "quote_field": one.field,
        "quote_start": None if one.start is None else line.offset + one.start,
        "quote_end": None if one.end is None else line.offset + one.end,
        "confidence": one.confidence,
        "mode": MODES.get(stage.partition("/")[0], "full"),
        "extractor": one.extractor,
        "origin": line.origin,
        "trigger": line.trigger,
        "occurred_at": line.occurred_at,
    }


def _key(name: str) -> str:
    return canonical(name, "topic")


def _around(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Spans of the sentences that a quote touches; its own where it touches none."""
    spans = [span for span in sentences(text) if span[0] < end and start < span[1]]
    return spans or [(start, end)]


def _sentence(text: str, start: int, end: int) -> str:
    spans = _around(text, start, end)
    return text[spans[0][0] : spans[-1][1]]


def _only_asked(text: str, start: int, end: int) -> bool:
    return all(asks(text[first:last]) for first, last in _around(text, start, end))


def _is_quoted(text: str, start: int, end: int) -> bool:
    if within_pair(text, start, end):
        return True
    first, last = _around(text, start, end)[0][0], _around(text, start, end)[-1][1]
    return within_quotation(text[first:last], start - first, end - first)
