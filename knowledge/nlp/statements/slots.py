"""The slot in which two statements have another value: "the branch is main", "… is master"."""

from cairn.knowledge.nlp.statements.statement import Statement, common, same_persons
from cairn.knowledge.nlp.vocabulary import (
    ADJUNCTS,
    CONDITIONS,
    PLACES,
    TENTATIVE,
    UNITS,
    VERBS,
    WEAK,
)

_LONGEST_VALUE = 3
"""Most words of a value."""


def values(ours: Statement, theirs: Statement) -> tuple[str, tuple[str, str]] | None:
    """Slot and values of two statements that differ in one place behind the verb."""
    if ours.negated or theirs.negated or ours.denies != theirs.denies:
        return None
    if ours.past != theirs.past or not same_persons(ours.persons, theirs.persons):
        return None
    if not TENTATIVE.isdisjoint(ours.words) or not TENTATIVE.isdisjoint(theirs.words):
        return None
    found = _filled((ours.frame, ours.verb), (theirs.frame, theirs.verb))
    if found or not (_names_one(ours) or _names_one(theirs)):
        return found
    one, two = _faced(ours), _faced(theirs)
    return _filled(one, two)


def _names_one(statement: Statement) -> bool:
    """Whether it says who or what the one thing is: "Vim is my editor"."""
    return any(kind == "be the" for _, kind in statement.turns) and statement.frame.count("be") == 1


def _faced(statement: Statement) -> tuple[list[str], int | None]:
    """Frame and verb, the one thing first: `editor be vim` for "Vim is my editor"."""
    if not _names_one(statement):
        return statement.frame, statement.verb
    at = statement.frame.index("be")
    name, role = statement.frame[:at], statement.frame[at + 1 :]
    return [*role, "be", *name], len(role)


def _filled(
    ours: tuple[list[str], int | None], theirs: tuple[list[str], int | None]
) -> tuple[str, tuple[str, str]] | None:
    """Slot and values of two frames with their verbs."""
    one, two = ours[0], theirs[0]
    start, after = common(one, two)
    while start and one[start - 1].startswith("number="):
        start -= 1
    if after and one[len(one) - after] in UNITS:
        after -= 1
    left, right = one[start : len(one) - after], two[start : len(two) - after]
    if not (0 < len(left) <= _LONGEST_VALUE and 0 < len(right) <= _LONGEST_VALUE):
        return None
    if "*" in one or not WEAK.isdisjoint([*left, *right]):
        return None
    if not ADJUNCTS.isdisjoint(left[1:] + right[1:]):
        return None
    placed = left[0] in PLACES
    if placed != (right[0] in PLACES) or (placed and after):
        return None  # "in the grass", "through the grass"
    if not (_told(*ours, start, left) and _told(*theirs, start, right)):
        return None
    if not CONDITIONS.isdisjoint(one[:start]):
        return None
    if start and one[start - 1] == "to" and (left[0] in VERBS or right[0] in VERBS):
        return None
    found = _slot([*one[:start], "*", *one[len(one) - after :]])
    return found, (" ".join(left), " ".join(right))


def _told(frame: list[str], verb: int | None, start: int, value: list[str]) -> bool:
    """Whether a value is told of something, and does not say of what something is told.

    It stands behind the verb; but "Python 3.11 is required" tells of Python, and "two workers" how
    many workers.
    """
    if verb is not None and start > verb:
        return True
    kinds = [word.partition("=")[0] for word in value]
    if kinds == ["version"] and start:
        return True
    behind = start + 1
    return kinds == ["number"] and behind < len(frame) and behind != verb


def _slot(frame: list[str]) -> str:
    """A frame as text; a leading `user` says nothing that its owner does not."""
    return " ".join(frame[1:] if frame[:1] == ["user"] else frame)
