"""Do statements of the same words agree, or does one deny the other? Told clause by clause.

Each clause has its own polarity, so "A and not B" is not "B and not A". What cannot be told clause
by clause has no verdict.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from cairn.knowledge.nlp.statements.statement import SignWord, Statement
from cairn.knowledge.nlp.vocabulary import (
    CONDITIONS,
    CONTRASTS,
    MERE_DENIALS,
    POLAR,
    STATES,
    VERBS,
    stem,
)


class StatementWord(NamedTuple):
    """A word of a statement with all that tells its sense."""

    sign: SignWord
    clause: int
    place: int
    """Place among the words of its statement."""


def words_of(statement: Statement, turned: dict[str, str]) -> list[StatementWord]:
    """The words of a statement; `turned` ones as the other side has them, at the other end."""
    return [
        StatementWord(
            SignWord(
                turned.get(sign.word, sign.word), sign.denied, sign.end ^ (sign.word in turned)
            ),
            statement.clauses[place],
            place,
        )
        for place, sign in enumerate(statement.signed())
    ]


def agree(ours: Sequence[StatementWord], theirs: Sequence[StatementWord]) -> bool:
    """Whether the same is said in each clause; where words stand in another order, of the same."""
    one, two = [each.sign for each in ours], [each.sign for each in theirs]
    if [sign.word for sign in one] == [sign.word for sign in two]:
        return one == two and _denied_rows(ours) == _denied_rows(theirs)
    return _by_clause(ours) == _by_clause(theirs)


def same_sites(ours: Statement, theirs: Statement) -> bool:
    """Whether negations stand before the same words, and clauses are made of the same.

    A verb that is not known to be one begins no clause, so what is denied is not told by clauses
    alone: "he was told not to sign". But "no test passes" is "the tests do not pass".
    """
    if ours.none == theirs.none or ours.joined or theirs.joined:
        one, two = (
            sorted(each.words[at : at + 1] for at in each.sites.values()) for each in (ours, theirs)
        )
        if one != two:
            return False
    if ours.words != theirs.words or ours.groups[-1] != theirs.groups[-1]:
        return True
    left, right = ([each.groups[clause] for clause in each.clauses] for each in (ours, theirs))
    return left == right


def denied(ours: Statement, theirs: Statement, turned: dict[str, str]) -> bool | None:
    """Whether one of two statements of the same words denies the other.

    Args:
        ours: One statement.
        theirs: The other.
        turned: Words of ours that are one of theirs with a negating prefix more or less.

    Returns:
        False if they agree after all ("not public", "private"); None if that cannot be told.
    """
    one, two = words_of(ours, turned), words_of(theirs, {})
    if [each.sign.word for each in one] != [each.sign.word for each in two]:
        if len(ours.denied) > 1 or len(theirs.denied) > 1:
            return None
        one, two = (sorted(each, key=lambda word: word.sign.word) for each in (one, two))
    told = _told(ours, theirs, list(zip(one, two, strict=True)), set(turned))
    return None if told is False and (ours.joined or theirs.joined) else told


def clause_denied(longer: Statement, shorter: Statement) -> bool:
    """Whether a clause of one statement denies the other: "… but it is not public", "is public"."""
    if len(shorter.words) < 2 or len(set(shorter.groups)) > 1 or len(set(longer.groups)) < 2:
        return False
    if not CONDITIONS.isdisjoint(longer.words):
        return False
    theirs = words_of(shorter, {})
    for _, clause in groupby(words_of(longer, {}), lambda word: longer.groups[word.clause]):
        ours = [word for word in clause if word.sign.word not in CONTRASTS]
        if [word.sign.word for word in ours] == [word.sign.word for word in theirs]:
            pairs = list(zip(ours, theirs, strict=True))
            if _told(longer, shorter, pairs, set()):
                return True
    return False


def _denied_rows(words: Sequence[StatementWord]) -> list[list[int]]:
    """Places of the words of each clause that is denied: "don't drink and drive" has one."""
    rows = groupby(range(len(words)), lambda at: words[at].clause)
    return [places for _, row in rows if words[(places := list(row))[0]].sign.denied]


def _by_clause(words: Sequence[StatementWord]) -> list[list[SignWord]]:
    clauses = {word.clause for word in words}
    return sorted(sorted(each.sign for each in words if each.clause == one) for one in clauses)


def _told(
    ours: Statement,
    theirs: Statement,
    pairs: list[tuple[StatementWord, StatementWord]],
    turned: set[str],
) -> bool | None:
    """Whether words in pairs deny each other: True, False if they agree, else None."""
    parts: dict[tuple[int, int], list[tuple[StatementWord, StatementWord]]] = {}
    for one, two in pairs:
        parts.setdefault((one.clause, two.clause), []).append((one, two))
    conditional = [_conditional(each) for each in (ours, theirs)]
    denials: Counter[tuple[int, int]] = Counter()
    for (left, right), words in parts.items():
        told = _clause_told(ours, theirs, words, turned)
        if told is None or (told and (left in conditional[0] or right in conditional[1])):
            return None
        denials.update({(0, ours.groups[left]): told, (1, theirs.groups[right]): told})
    lefts, rights = ({part[side] for part in parts} for side in (0, 1))
    if not len(parts) == len(lefts) == len(rights):
        # Clauses that do not correspond: only what denies nothing is surely denied by the other.
        spoken = [(each.denied, side) for each, side in ((ours, lefts), (theirs, rights))]
        counts = sorted(sum(denied[clause] for clause in side) for denied, side in spoken)
        if counts != [0, 1]:
            return None
    return None if max(denials.values(), default=0) > 1 else any(denials.values())


def _clause_told(
    ours: Statement,
    theirs: Statement,
    words: list[tuple[StatementWord, StatementWord]],
    turned: set[str],
) -> bool | None:
    negated = words[0][0].sign.denied != words[0][1].sign.denied
    ends = [(one, two) for one, two in words if one.sign.end != two.sign.end]
    if not ends:
        return negated
    if len(ends) > 1:
        return None
    one, two = ends[0]
    mere = ours.words[one.place] in turned or _merely_denies(
        *((ours, one) if one.sign.end else (theirs, two))
    )
    if not negated:
        return True if mere or not one.sign.denied else None
    denying, at = (ours, one) if one.sign.denied else (theirs, two)
    return False if mere and _aimed(denying, at) else None


def _merely_denies(statement: Statement, at: StatementWord) -> bool:
    """Whether a word says no more than that the other end of its axis is not so."""
    raw = statement.raws[at.place]
    before = statement.places[at.place] - 1
    state = raw in STATES and before >= 0 and statement.frame[before] == "be"
    return state or stem(raw) in MERE_DENIALS


def _aimed(statement: Statement, at: StatementWord) -> bool:
    """Whether a negation is about a word, and not about one between them."""
    site = statement.sites[at.clause]
    between = statement.raws[site : at.place]
    return site <= at.place and not any(
        stem(raw) in POLAR or (stem(raw) in VERBS and raw.endswith("ing")) for raw in between
    )


def _conditional(statement: Statement) -> set[int]:
    """Clauses that are not asserted, as a condition comes with them or stands before."""
    at = {
        word: clause
        for word, clause in zip(statement.words, statement.clauses, strict=True)
        if word in CONDITIONS
    }
    first = 0 if "or" in at else min(at.values(), default=len(statement.denied))
    return set(range(first, len(statement.denied)))
