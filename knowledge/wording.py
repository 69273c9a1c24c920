"""Do two statements say the same in words: numbers, versions, paths, hosts, polarity, order?

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
from dataclasses import dataclass
from functools import lru_cache

from knowledge.vocabulary import (
    ASKING,
    AUXILIARIES,
    BE,
    CLAUSE,
    DEFINITE,
    DIRECTION_STEMS,
    FRONTED,
    NEGATIONS,
    PASTS,
    PERSONS,
    POLAR,
    RELATIONS,
    STOPS,
    UNITED,
    stem,
)
from knowledge.wording_tokens import tokens

_ENDS = frozenset(".;!?:")
_PREFIXES = ("un", "non", "non-")
"""What turns any word into its opposite. Others do so too rarely (`import`, `display`, `install`):
what they turn stands in the vocabulary."""


@dataclass(frozen=True)
class Statement:
    """A statement as it is compared: parallel tuples, one entry per content word."""

    words: tuple[str, ...]
    """Stems; literals as `kind=value`."""
    clauses: tuple[int, ...]
    """Clause that the word stands in."""
    denied: tuple[bool, ...]
    """Whether each clause (not word) is denied."""
    persons: tuple[str, ...]
    """Who is meant by each pronoun."""
    relations: tuple[str, ...]
    """Prepositions that are no content words."""
    past: tuple[str, ...]
    """Words that put it into the past."""
    turns: frozenset[tuple[int, str]]
    """How many content words stand before each preposition, before each `be`, and before each
    `be` that a definite name follows (`be the`)."""


@lru_cache(maxsize=65_536)
def read_statement(text: str) -> Statement:
    """A sentence or two as content words with the polarity of their clauses."""
    read = tokens(text)
    if read and read[0] in ASKING and "?" not in read and not _denies(read[1:2]):
        read.append("?")
    return _placed(_sorted_lists(_unfronted(read)))


def difference(left: str, right: str) -> str | None:
    """What keeps two statements from saying the same; None if they agree.

    Returns:
        A kind of literal (number, version, date, time, path, host, address, url, name, quoted,
        symbol), `word`, `person`, `tense`, `order` or `polarity`; the first of these that differs.
    """
    ours, theirs = read_statement(left), read_statement(right)
    if not ours.words and left != right:
        return "word"
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


def agree(left: str, right: str) -> bool:
    """Whether two statements say the same in words."""
    return difference(left, right) is None


def opposed(left: str, right: str) -> bool:
    """Whether one statement denies the other: the same words throughout, but for polarity."""
    return difference(left, right) == "polarity"


def _unfronted(tokens: list[str]) -> list[str]:
    """Puts a leading clause behind: "tests fail after deploy" for "after deploy, tests fail"."""
    if tokens and tokens[0] in FRONTED and "," in tokens[:-1]:
        comma = tokens.index(",")
        rest = tokens[comma + 1 :]
        while rest and rest[-1] in ".!?;":
            rest = rest[:-1]
        return [*rest, *tokens[:comma]]
    return tokens


def _sorted_lists(tokens: list[str]) -> list[str]:
    """The members of "a, b and c" in one order, where each is a single word."""
    joins = {"and", "or", "&", ","}
    result: list[str] = []
    at = 0
    while at < len(tokens):
        end = at
        while end + 2 < len(tokens) and tokens[end + 1] in joins and _content(tokens[end + 2]):
            end += 2
        separators = tokens[at + 1 : end : 2]
        if end > at and _content(tokens[at]) and {"and", "or", "&"} & set(separators):
            result += sorted(tokens[at : end + 1 : 2])
            if "or" in separators:
                result.append("or")
            at = end + 1
        else:
            result.append(tokens[at])
            at += 1
    return result


def _content(token: str) -> bool:
    return (
        token[0].isalnum()
        and token not in STOPS
        and token not in CLAUSE
        and token not in NEGATIONS
        and not _polar(token)
    )


def _polar(token: str) -> bool:
    """Whether a word is an end of an axis."""
    return stem(token) in POLAR


def _placed(tokens: list[str]) -> Statement:
    """Content words in their clauses, and each clause's polarity."""
    words: list[str] = []
    clauses: list[int] = []
    denied = [False]
    turns: set[tuple[int, str]] = set()
    for at, piece in enumerate(tokens):
        joined = piece in {"and", "or", ","} and (
            _denies(tokens[at + 1 : at + 3]) or any(map(_polar, tokens[at + 1 : at + 2]))
        )
        if (piece in CLAUSE or piece in _ENDS or joined) and clauses[-1:] == [len(denied) - 1]:
            denied.append(False)
        if "=" in piece:
            words.append(piece)
            clauses.append(len(denied) - 1)
            continue
        if piece in NEGATIONS:
            if piece != "nor" or not denied[-1]:
                denied[-1] = not denied[-1]
            if piece == "unless":
                words.append("if")
                clauses.append(len(denied) - 1)
            continue
        if piece in FRONTED:
            turns.add((len(words), piece))
        elif piece in BE:
            turns |= {(len(words), "be")} | (
                {(len(words), "be the")} if _definite(tokens[at + 1 : at + 4]) else set()
            )
        if piece in STOPS or (not piece[0].isalpha() and piece not in "%?"):
            continue
        word, negative = UNITED.get(stem(piece), (stem(piece), False))
        if negative:
            denied[-1] = not denied[-1]
        words.append(word)
        clauses.append(len(denied) - 1)
    return Statement(
        tuple(words),
        tuple(clauses),
        tuple(denied),
        tuple(PERSONS[piece] for piece in tokens if piece in PERSONS),
        tuple(piece for piece in tokens if piece in RELATIONS),
        tuple(piece for at, piece in enumerate(tokens) if _past(piece, tokens[:at])),
        frozenset(turns),
    )


def _denies(tokens: list[str]) -> bool:
    return any(token in NEGATIONS for token in tokens)


def _definite(following: list[str]) -> bool:
    """Whether a name begins here that there is one of."""
    name = following[1:] if _denies(following[:1]) else following
    return name[:1] != [] and (name[0] in DEFINITE or name[1:2] == ["s"])


def _past(piece: str, before: list[str]) -> bool:
    """Whether a word tells what was: a past form that is no participle of another verb."""
    if piece in AUXILIARIES:
        return piece in PASTS
    formed = len(piece) > 3 and piece.endswith("ed") and not piece.endswith("eed")
    return (formed or piece in PASTS) and not _participle(before)


def _participle(before: list[str]) -> bool:
    """Whether the verb before, adverbs and the like aside, is an auxiliary."""
    verb = next(
        (
            word
            for word in reversed(before)
            if word in AUXILIARIES
            or not (word in NEGATIONS or word in STOPS or word.endswith("ly"))
        ),
        "",
    )
    return verb in AUXILIARIES


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
