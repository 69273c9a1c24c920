"""Does a denial of the general deny the special? Who has no pets has no dog.

Both say it of one subject with one verb, and what is denied is an indefinite object: "no pets",
"meat". The other asserts an object of that kind, or that object with more words about it: "a dog",
"red meat in summer".
"""

from cairn.knowledge.nlp.statements.statement import Statement, common, same_persons
from cairn.knowledge.nlp.statements.word_order import ANY_OF
from cairn.knowledge.nlp.vocabulary import (
    ADJUNCTS,
    CONDITIONS,
    KINDS,
    PLACES,
    TENTATIVE,
    VERBS,
    stems,
)

LONGEST = 6
"""Words of a denial of something general, at most."""

_OF_MANY = stems(frozenset(["like", "prefer", "want", "need", "know", "think", "mean", "plan"]))
"""Verbs of which it matters what exactly they are about: who does not like pets may like a dog."""

_OTHER_THINGS = stems(
    frozenset([
        "toy", "fake", "former", "ex", "virtual", "imaginary", "stuffed", "paper", "plastic",
        "almost", "potential", "possible", "future", "old", "last", "dead", "lost", "no", "other",
    ])
)  # fmt: skip
_CALLED = frozenset(("called", "named"))
_NAMED = stems(_CALLED)


_UNSURE = TENTATIVE | CONDITIONS


def general_denied(general: Statement, special: Statement) -> bool:
    """Whether one statement denies something of a whole kind that the other says of one of it."""
    if general.denied != [True] or special.denied != [False] or len(general.words) > LONGEST:
        return False
    if general.asks or special.asks or any(general.ends) or general.universal:
        return False
    if _past(general) != _past(special) or not same_persons(general.persons, special.persons):
        return False
    if not (_UNSURE.isdisjoint(general.words) and _UNSURE.isdisjoint(special.words)):
        return False
    start, _ = common(general.frame, special.frame)
    verb = general.verb
    if start == len(general.frame):
        start -= 1
    if verb is None or special.verb != verb or start <= verb or general.frame[verb] in _OF_MANY:
        return False
    kind, rest = general.frame[start:], special.frame[start:]
    if len(kind) != 1 or not general.definite.isdisjoint(range(verb + 1, start + 1)):
        return False
    return rest != kind and any(
        _is_a(word, kind[0]) and _about(rest[:at]) and _aside(rest[at + 1 :])
        for at, word in enumerate(rest)
    )


def _past(statement: Statement) -> list[str]:
    return [word for word in statement.past if word not in _CALLED]


def one_of_several_denied(several: Statement, one: Statement) -> bool:
    """Whether a statement denies each of several things, and the other says one of them.

    "I eat neither meat nor fish", "I eat fish". Members of a list are single words.
    """
    if several.denied != [True] or one.denied != [False] or several.asks or one.asks:
        return False
    if _past(several) != _past(one) or not same_persons(several.persons, one.persons):
        return False
    if several.universal or not _UNSURE.isdisjoint(one.words) or several.words.count(ANY_OF) != 1:
        return False
    end = several.words.index(ANY_OF)
    before = end - (len(several.words) - len(one.words))  # where the list begins
    return (
        0 < before < end
        and one.words[:before] == several.words[:before]
        and one.words[before + 1 :] == several.words[end + 1 :]
        and one.words[before] in several.words[before:end]
        and one.verb == several.verb
    )


def _is_a(word: str, kind: str) -> bool:
    return word == kind or kind in KINDS.get(word, ())


def _about(words: list[str]) -> bool:
    """Whether words only tell more of what they stand before: "two black"."""
    return all(
        word not in PLACES and word not in VERBS and word not in _OTHER_THINGS and word != "be"
        for word in words
    )


def _aside(words: list[str]) -> bool:
    """Whether words tell more of what they stand behind: "in summer", "called Rex"."""
    return not words or words[0] in ADJUNCTS or words[0] in _NAMED
