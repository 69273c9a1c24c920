"""Do two statements say the same, deny each other, or give another value in the same slot?

Similarity of vectors hardly sees what matters most in a fact: "python 3.11" and "python 3.12",
"enable" and "disable", "tabs over spaces" and "spaces over tabs" lie close together. So facts that
are similar are also compared word by word. The comparison is careful on one side: it agrees only
when nothing of weight differs, since a wrong merge loses a fact and a missed one only repeats it.

A statement is read as a row of content words, each in its stem, synonyms and spellings united,
with one polarity for each clause: every negation and every word from the negative end of an axis
(`dislike` is `like`, denied) turns it. Literals (numbers, dates, paths, …) are words that must be
equal. What was is not what is, a question is no statement, and what I do you do not. English only;
in another language words must be the same, and negation is not seen.
"""

from collections import Counter
from enum import StrEnum
from typing import NamedTuple

from knowledge.vocabulary import DIRECTION_STEMS, FRONTED, RELATIONS, UNITS, VERBS
from knowledge.wording_statement import Statement, read_statement

_PREFIXES = ("un", "non", "non-")
"""What turns any word into its opposite. Others do so too rarely (`import`, `display`, `install`):
what they turn stands in the vocabulary."""

_LONGEST_VALUE = 3
"""Most words of a value."""


class Verdict(StrEnum):
    """What two statements are to each other."""

    SAME = "same"
    OPPOSITE = "opposite"
    VALUE = "value"
    UNSURE = "unsure"


class Compared(NamedTuple):
    """How two statements compare."""

    verdict: Verdict
    difference: str | None = None
    """What differs first: a kind of literal (number, version, date, time, path, host, address, url,
    name, quoted, symbol), `word`, `person`, `tense`, `order`, `question` or `polarity`."""
    slot: str | None = None
    """Of VALUE: the stems around the value in their order, `*` for it: `default branch be *`.
    Articles, pronouns and a leading `user` are left out."""
    values: tuple[str, str] | None = None
    """Of VALUE: what stands in the slot, left and right; literals as `kind=value`."""


def compare(left: str, right: str) -> Compared:
    """Whether two statements say the same, deny each other, or fill one slot differently.

    SAME: they agree in words. OPPOSITE: both are assertions, of the same words but for polarity.
    VALUE: both assert the same throughout but for one literal, word or short phrase behind the
    verb; whether that is a contradiction depends on how many values the slot can hold. UNSURE: all
    else. Which side is left changes nothing but the order of `values`.
    """
    ours, theirs = read_statement(left), read_statement(right)
    differs = _differs(ours, theirs) if ours.words or left == right else "word"
    if differs is None:
        return Compared(Verdict.SAME)
    if ours.asks or theirs.asks:
        return Compared(Verdict.UNSURE, "question" if differs == "polarity" else differs)
    if differs == "polarity":
        return Compared(Verdict.OPPOSITE, differs)
    if differs in {"person", "tense", "order"}:
        return Compared(Verdict.UNSURE, differs)
    found = _values(ours, theirs)
    if found is None:
        return Compared(Verdict.UNSURE, differs)
    return Compared(Verdict.VALUE, differs, *found)


def slot_of(pattern: str) -> str:
    """The slot of a statement with `*` for its value, as `compare` gives it.

    "The user lives in *" and "I live in *" give the same.
    """
    return _slot(read_statement(pattern).frame)


def difference(left: str, right: str) -> str | None:
    """What keeps two statements from saying the same; None if they agree."""
    return compare(left, right).difference


def agree(left: str, right: str) -> bool:
    """Whether two statements say the same in words."""
    return compare(left, right).verdict is Verdict.SAME


def opposed(left: str, right: str) -> bool:
    """Whether one statement denies the other: the same words throughout, but for polarity."""
    return compare(left, right).verdict is Verdict.OPPOSITE


def _differs(ours: Statement, theirs: Statement) -> str | None:
    """What keeps two statements from saying the same; the first of the kinds that differs."""
    only_ours = Counter(ours.words) - Counter(theirs.words)
    only_theirs = Counter(theirs.words) - Counter(ours.words)
    turned = _prefix_antonyms(only_ours, only_theirs)
    only_ours -= Counter(turned.keys())
    only_theirs -= Counter(turned.values())
    if surplus := sorted([*only_ours, *only_theirs]):
        literal = next((word for word in surplus if "=" in word), "word")
        return literal.partition("=")[0]
    relations, others = Counter(ours.relations), Counter(theirs.relations)
    if relations - others and others - relations:
        return "word"
    if not _same_persons(ours.persons, theirs.persons):
        return "person"
    if (set(ours.past) <= set(theirs.past)) != (set(theirs.past) <= set(ours.past)):
        return "tense"
    signed = _signed(ours, turned)
    if not _same_order([word for word, _ in signed], ours, theirs):
        return "order"
    return None if sorted(signed) == sorted(_signed(theirs, {})) else "polarity"


def _values(ours: Statement, theirs: Statement) -> tuple[str, tuple[str, str]] | None:
    """Slot and values of two statements that differ in one place behind the verb."""
    if ours.negated or theirs.negated or ours.denied != theirs.denied:
        return None
    if ours.past != theirs.past or not _same_persons(ours.persons, theirs.persons):
        return None
    one, two = ours.frame, theirs.frame
    shorter = min(len(one), len(two))
    start = next((at for at in range(shorter) if one[at] != two[at]), shorter)
    after = next(
        (at for at in range(shorter - start) if one[-1 - at] != two[-1 - at]), shorter - start
    )
    while start and one[start - 1].startswith("number="):
        start -= 1
    if after and one[len(one) - after] in UNITS:
        after -= 1
    left, right = one[start : len(one) - after], two[start : len(two) - after]
    if not (0 < len(left) <= _LONGEST_VALUE and 0 < len(right) <= _LONGEST_VALUE):
        return None
    if start <= max(ours.verb, theirs.verb) or "*" in one:
        return None
    if {*left, *right} <= RELATIONS:
        return None
    if one[start - 1] == "to" and (left[0] in VERBS or right[0] in VERBS):
        return None
    slot = _slot((*one[:start], "*", *one[len(one) - after :]))
    return slot, (" ".join(left), " ".join(right))


def _slot(frame: tuple[str, ...]) -> str:
    return " ".join(frame[1:] if frame[:1] == ("user",) else frame)


def _same_persons(ours: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """Whether pronouns mean the same, as far as both sides have them: I and you are not one."""
    shorter, longer = sorted((ours, theirs), key=len)
    rest = iter(longer)
    return all(person in rest for person in shorter)


def _prefix_antonyms(only_left: Counter[str], only_right: Counter[str]) -> dict[str, str]:
    """Words of the left that are one of the right with a negating prefix more or less."""
    return {
        ours: theirs
        for ours in sorted(only_left)
        for theirs in sorted(only_right)
        if min(len(ours), len(theirs)) >= 4
        and any(ours == prefix + theirs or theirs == prefix + ours for prefix in _PREFIXES)
    }


def _signed(statement: Statement, turned: dict[str, str]) -> list[tuple[str, bool]]:
    """Words with their clause's polarity; `turned` ones as the other side has them."""
    denied = list(statement.denied)
    for word, clause in zip(statement.words, statement.clauses, strict=True):
        if word in turned:
            denied[clause] = not denied[clause]
    return [
        (turned.get(word, word), denied[clause])
        for word, clause in zip(statement.words, statement.clauses, strict=True)
    ]


def _same_order(ours: list[str], left: Statement, right: Statement) -> bool:
    """Whether words stand in the same order, or in one that says the same.

    What stands about a verb to be can change sides where a definite name does ("Vim is the user's
    editor"; but "all cats are animals"), and what begins with a preposition can lead.
    """
    theirs = list(right.words)
    if ours == theirs:
        return True
    if DIRECTION_STEMS & set(ours):
        return False
    return any(
        _turned(left.turns, at, right.turns, len(ours) - at)
        for at in range(1, len(ours))
        if ours[at:] + ours[:at] == theirs
    )


def _turned(
    ours: frozenset[tuple[int, str]], at: int, theirs: frozenset[tuple[int, str]], behind: int
) -> bool:
    be = (at, "be") in ours and (behind, "be") in theirs
    definite = (at, "be the") in ours or (behind, "be the") in theirs
    leads = any(
        ((0, word) in ours and (behind, word) in theirs)
        or ((at, word) in ours and (0, word) in theirs)
        for word in FRONTED
    )
    return (be and definite) or leads
