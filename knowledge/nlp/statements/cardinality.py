"""Relations that hold one value at a time, and the value that a statement gives one.

Whoever lives in Rome no longer lives in Berlin; whoever likes tea may like coffee. So a statement
of a relation in the table is read into its slot and its value ("live in *", "berlin"), by itself:
two values of a slot meet however little their sentences are alike, and reading is linear in the
number of facts. What is not in the table holds as many values as are stated.

A slot is filled by what is said to be so now. What was, is denied, conditional, wished, planned,
asked or told of by somebody fills none; nor does a sentence of several values, or one with an
indefinite name ("I live in a flat"). English only.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from cairn.knowledge.nlp.statements.changes import ENDED, STILL, thing_in_use, told_change
from cairn.knowledge.nlp.statements.quantities import by_value, plain_value
from cairn.knowledge.nlp.statements.statement import read_statement
from cairn.knowledge.nlp.text import STOP_WORDS, words
from cairn.knowledge.nlp.vocabulary import BE, DIRECTIONS, RELATIONS, STOPS, UNITED, stem
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.predicates import SINGLE_PREDICATES


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, text.split()))


RELATIONS_OF_ONE = """
lives in *
be based/located in *
_ be based/located in *
works at/for *
be called/named *
name be *
_ be called/named *
_ name be *
_ favourite _ be *
_ preferred _ be *
_ default _ be *
_ primary|main _ be *
_ defaults to *
_ be set to *
_ runs/listens/serves on port #
_ version of _ be #
_ _ version be #
_ be on/at version #
uses/runs ? #
_ uses/runs ? #
needs/requires ? #
_ needs/requires ? #
runs on ? #
_ runs on ? #
_ expires on/in #
_ deadline|birthday be @
_ day|date be @
_ be on/at @
be # year
_ be # year
_ be hosted on/at *
_ timezone be *
_ time zone be *
_ status be *
_ host|hostname|url|address|ip|port|domain be #
_ limit|timeout|budget|threshold|quota|interval|retention|size|price be #
_ rent|salary|weight|height be #
be married/engaged to *
native language be *
employer|job|boss|manager be *
"""
"""One slot a line, in words of any form. `_` stands for up to five words or none, `?` for one, `*`
for the value, `#` for one that is a literal (number, version, date, host, …), `@` for a date or
time; `|` for choices, `/` for words that mean the same here, of which the first names the slot. A
line that does not begin with `_` is about the entity itself."""

RELATIONS_OF_MANY = _stems("""
like love enjoy hate dislike prefer know use have own speak study play drive read watch eat drink
collect visit meet want need see hear try run support include contain
""")
"""Verbs of relations that hold many values at once: never proposed as holding one."""

_LITERAL = r"(?:number|version|date|time|host|path|url|address|ordinal|name)=\S+"
_VALUE = {
    "*": r"(?P<value>\S+(?: \S+){0,3})",
    "#": rf"(?P<value>{_LITERAL}(?: \w+)?)",
    "@": r"(?P<value>(?:date|time)=\S+)",
}
_ANY = r"(?:\S+ ){0,5}"

_UNSAID = re.compile(
    r"\b(?:if|unless|whether|when|while|once|would|could|should|might|(?<!\d )may(?! \d)|maybe"
    r"|perhaps|probably|possibly|wish|hope|want|wants|plan|plans|planning|going to|will|shall"
    r"|suppose|imagine|pretend|think|thinks|guess|believe|believes|say|says|said|tell|tells|told"
    r"|reads|shows|indicates|suggests|states|claim|claims|claimed|asks|asked|ask|used to|formerly"
    r"|previously|almost|nearly|instead|sometimes|either|example|e\.g)\b|[?\"“”]|['’](?:ll|d)\b",
    re.IGNORECASE,
)
"""What makes a sentence say something else than that this is so."""

_SEVERAL = re.compile(
    r"[;,:/&()–—]|\b(?:and|or|but|because|since|than|except|both|also|another|other|second"
    r"|one of)\b",
    re.IGNORECASE,
)
"""What may give several values, or a clause of its own."""

_INDEFINITE = re.compile(
    r"\b(?:in|at|for|on|to|is|are|am|called)\s+(?:only |just |really )?(?:an?|some|any|no)\b",
    re.IGNORECASE,
)

_DEFINING = ("favourite", "preferred", "default", "main", "primary")
"""Adjectives of which there is one of a kind."""

_QUALITY = re.compile(
    r"\b(?:[Ee]mployer|[Jj]ob|[Bb]oss|[Mm]anager)(?: is|['’]s)"
    r" (?:(?:now|still|called) )?(?![A-Z0-9])"
)
"""What somebody is like, and not who it is: "my manager is great"."""

_OF_SEVERAL = _stems("""
sister brother sibling son daughter child kid twin cousin aunt uncle niece nephew grandmother
grandfather friend colleague neighbour neighbor flatmate roommate
""")
"""Those of whom one may have several: "my sister is called Nora" leaves room for Lena."""

_WITHIN = ((RELATIONS | DIRECTIONS) - {"of"}) | _stems(
    "during by around behind beside via per almost"
)
"""Words that put something else beside a value: who lives in Berlin with Eva still lives in Berlin.
In the frame `near` is `almost`."""

_TAIL = re.compile(
    r"\s+(?:again|once more|these days|nowadays|at the moment|at present|for now|right now)$",
    re.IGNORECASE,
)
"""What may close a statement without changing it."""

_NEXT_CLAUSE = re.compile(
    r",?\s+(?:and|but|so|because|though)\s+(?=(?:i|my|we|our|you|your|he|she|it|they)\b)",
    re.IGNORECASE,
)
"""Where another clause begins, with a subject of its own: what stands before it is read."""

_AGE = re.compile(r"\b(years?)[ -]old\b", re.IGNORECASE)

_LEAD = re.compile(
    r"^\W*(?:(?:from now on|going forward|for the record|by the way|btw|fyi|actually|also|note"
    r"|remember|important|yes|no|ok|okay|so|and|but|well|hi|hello|please|now)\b(?:\s+that\b)?"
    r"[\s,:;.–—-]*)+",
    re.IGNORECASE,
)
"""What may open a statement without changing it."""

_MOST_WORDS = 14
"""What is longer says more than a value."""

_AMOUNTS = _stems(
    "limit timeout budget threshold quota interval retention size price rent salary weight height"
)
"""What a bare number is an amount of, and no version."""

_NOT_A_VALUE = _stems("home night nights day days work free fun life fear it them")


_ANSWERED = re.compile(r"^(?P<thing>[^?]{8,220})\? (?P<value>\S[^\n]{0,200})$")
_SETTLED = re.compile(
    r"^let['’]?s (?:just |rather |now )?(?:use|go with|stick with|take) (?P<value>[^,;:]{2,60}?)"
    r" (?:for|as) (?P<thing>[^,;:]{3,60}?)(?: instead| now| from now on)?$",
    re.IGNORECASE,
)
"""Decisions that name what they are about: of one thing the latest holds."""

_PREFERRED = re.compile(
    r"^(?:i|we) (?:(?:now|still|really|much|usually|generally|always) )*prefer"
    r" (?P<value>(?!to )[^,;:()]{2,40}?) (?:over|to|rather than|instead of)"
    r" (?P<other>[^,;:()]{2,40}?)(?P<where> (?:for|in|on|when|with|at) [^,;:()]{2,60})?"
    r"(?: now| again| from now on)?$",
    re.IGNORECASE,
)
"""One of two that is preferred: the other is no more."""


class Filled(NamedTuple):
    """A slot of an entity, and the value that a statement gives it."""

    slot: str
    """Stems of the statement in their order, `*` for the value; or a typed predicate."""
    value: str
    """Stems; literals as `kind=value`."""


def filled(
    predicate: str, value: str, statement: str, policy: Policy, entity: str | None = None
) -> Filled | None:
    """The slot that a fact fills with one value at a time; None if it fills none.

    Args:
        predicate: Predicate of the fact.
        value: Canonical object.
        statement: What it says as a sentence, without the time of which it says it.
        policy: single_valued, many_valued.
        entity: Name of the entity that it is about: "Anna lives in Rome" says of her what "I live
            in Rome" says of the user.
    """
    if predicate in SINGLE_PREDICATES:
        if predicate == "has_version":
            value = plain_value(f"version={value.removeprefix('v')}", amount=False).partition("=")[
                2
            ]
        return None if predicate in policy.many_valued else Filled(predicate, value)
    if predicate == "decides" and (decided := _decided(statement)):
        return decided
    if "?" in statement:
        return None
    plain = _NEXT_CLAUSE.split(_LEAD.sub("", statement.strip()), maxsplit=1)[0].rstrip(" .!")
    plain = _TAIL.sub("", plain)
    if entity and plain.casefold().startswith(f"{entity.casefold()} "):
        plain = plain[len(entity) + 1 :]
    if preferred := _preferred(plain):
        return preferred
    changed = told_change(plain)
    if changed is not None and changed.over is not None:
        return _ended(changed.over, policy)
    read = _read(
        by_value(changed.now if changed and changed.now else plain),
        policy.single_valued,
        policy.many_valued,
    )
    return read or _in_use(plain)


def _decided(statement: str) -> Filled | None:
    """What a decision is about, as a slot, and what was chosen for it."""
    plain = _LEAD.sub("", statement.strip()).rstrip(" .!")
    found = _ANSWERED.match(plain) or _SETTLED.match(plain)
    if found is None:
        return None
    thing, chosen = map(_named, (found["thing"], found["value"].partition(", not ")[0]))
    return Filled(f"decided {thing} *", chosen) if thing and chosen else None


def _preferred(plain: str) -> Filled | None:
    """Which two are compared, and for what, as a slot, and the one that is preferred."""
    found = _PREFERRED.match(plain)
    if found is None or _UNSAID.search(plain) or re.search(r"(?i)\b(?:and|or|but)\b", plain):
        return None
    value, other, where = (_named(found[part] or "") for part in ("value", "other", "where"))
    if not (value and other) or value == other:
        return None
    return Filled(" ".join(["prefer *", *sorted((value, other)), where]).rstrip(), value)


def _named(told: str) -> str:
    """The words that name something, by their stems."""
    return " ".join(stem(word) for word in words(told) if word not in STOP_WORDS)


def _ended(over: str, policy: Policy) -> Filled | None:
    """The slot of a statement that no longer holds, with the value that has ended there."""
    if over.endswith(" "):  # whatever value stood
        any_value = _read(f"{over}Xyz", policy.single_valued, policy.many_valued)
        return Filled(any_value.slot, ENDED) if any_value else None
    read = _read(by_value(over), policy.single_valued, policy.many_valued) or _in_use(over)
    return Filled(read.slot, f"{ENDED}{read.value}") if read else None


def _in_use(plain: str) -> Filled | None:
    """Whether a thing is used: a slot of its own for each, since one may use many."""
    thing = thing_in_use(plain)
    if thing is None:
        return None
    frame = " ".join(read_statement(thing).frame)
    return Filled(f"use {frame}", STILL) if frame else None


@lru_cache(maxsize=65_536)
def _read(plain: str, more: tuple[str, ...], but: tuple[str, ...]) -> Filled | None:
    """The slot and value of a sentence, by the table, `more` slots, and none of `but`."""
    if plain.count(" ") >= _MOST_WORDS or _UNSAID.search(plain):
        return None
    if _SEVERAL.search(plain) or _INDEFINITE.search(plain) or _QUALITY.search(plain):
        return None
    # "Old" is the denied end of an axis, but not in an age.
    read = read_statement(_AGE.sub(r"\1", plain))
    if read.past or read.negated or read.asks or any(read.ends):
        return None
    frame = _turned().sub(r"\2 be \1", " ".join(read.frame).removeprefix("user "))
    for pattern, named in _patterns(more):
        if match := pattern.fullmatch(frame):
            value = match["value"]
            words = value.split()
            if words[0] in RELATIONS or words[0] in _NOT_A_VALUE or "be" in words:
                continue
            if not _WITHIN.isdisjoint(words):
                continue
            start, end = match.span("value")
            slot = f"{frame[:start]}*{frame[end:]}"
            for choice, name in named.items():
                slot = " ".join(name if word == match[choice] else word for word in slot.split())
            several = not _OF_SEVERAL.isdisjoint(slot.split()) and not listed(slot, more)
            if several or listed(slot, but):
                return None
            return Filled(slot, plain_value(value, amount=not _AMOUNTS.isdisjoint(slot.split())))
    return None


@lru_cache(maxsize=1)
def _turned() -> re.Pattern[str]:
    """Frames with the value in front: "Vim is my favourite editor"."""
    kinds = "|".join(map(_form, _DEFINING))
    value = rf"(?:(?!{kinds})\S+ ){{0,2}}(?!{kinds})\S+"
    return re.compile(rf"^({value}) be ((?:{kinds}) \S+(?: \S+)?)$")


def listed(slot: str, slots: tuple[str, ...]) -> bool:
    """Whether a slot is one of some, written as in the table."""
    example = slot.replace("*", "number=1")
    return any(pattern.fullmatch(example) for pattern, _ in _compiled(slots))


def known_slot(slot: str, policy: Policy) -> bool:
    """Whether it is decided how many values a slot holds, by the table or by settings."""
    lines = (*policy.single_valued, *policy.many_valued, *RELATIONS_OF_ONE.strip().splitlines())
    return listed(slot, lines)


def _patterns(more: tuple[str, ...]) -> list[tuple[re.Pattern[str], dict[str, str]]]:
    return _compiled((*more, *RELATIONS_OF_ONE.strip().splitlines()))


@lru_cache(maxsize=64)
def _compiled(lines: tuple[str, ...]) -> list[tuple[re.Pattern[str], dict[str, str]]]:
    """Patterns over the words of a frame; and, for each choice in them, what names the slot."""
    compiled: list[tuple[re.Pattern[str], dict[str, str]]] = []
    for line in lines:
        parts: list[str] = []
        named: dict[str, str] = {}
        for word in line.split():
            if word == "_":
                parts.append(_ANY)
            elif word == "?":
                parts.append(r"\S+ ")
            elif word in _VALUE:
                parts.append(_VALUE[word] + " ")
            elif "|" in word:
                parts.append(f"(?:{'|'.join(map(re.escape, map(_form, word.split('|'))))}) ")
            elif "/" in word:
                forms = [_form(each) for each in word.split("/")]
                key = f"c{len(named)}"
                named[key] = forms[0]
                parts.append(f"(?P<{key}>{'|'.join(map(re.escape, forms))}) ")
            elif word in STOPS - RELATIONS - BE:
                continue
            else:
                # As written in the table, or a stem already: as a proposal names a slot.
                parts.append(f"(?:{re.escape(_form(word))}|{re.escape(word)}) ")
        compiled.append((re.compile("".join(parts).rstrip()), named))
    return compiled


def _form(word: str) -> str:
    """A word as it stands in the frame of a statement."""
    return "be" if word in BE else UNITED.get(stem(word), (stem(word), False))[0]
