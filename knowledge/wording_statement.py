"""A statement read as a row of content words, each in its stem, with one polarity per clause."""

from dataclasses import dataclass
from functools import lru_cache

from knowledge.vocabulary import (
    ASKING,
    AUXILIARIES,
    BE,
    CLAUSE,
    DEFINITE,
    DETERMINERS,
    FRONTED,
    NEGATIONS,
    PASTS,
    PERSONS,
    POLAR,
    RELATIONS,
    STOPS,
    UNITED,
    VERBS,
    stem,
)
from knowledge.wording_tokens import tokens

_ENDS = frozenset(".;!?:")


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
    frame: tuple[str, ...] = ()
    """Content words, `be`, auxiliaries and prepositions: all that a slot is described by."""
    places: tuple[int, ...] = ()
    """Place of each content word in the frame."""
    verb: int = 0
    """Place of the first verb in the frame; its length if none is known."""
    asks: bool = False
    """Whether it is a question."""
    negated: bool = False
    """Whether a word denies something, beside words at the denied end of an axis."""


@lru_cache(maxsize=65_536)
def read_statement(text: str) -> Statement:
    """A sentence or two as content words with the polarity of their clauses."""
    read = tokens(text)
    if read and read[0] in ASKING and "?" not in read and not _denies(read[1:2]):
        read.append("?")
    return _placed(_sorted_lists(_unfronted(read)))


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
    frame: list[str] = []
    places: list[int] = []
    verb: int | None = None
    for at, piece in enumerate(tokens):
        if verb is None and _verbal(piece, tokens[:at]):
            verb = len(frame)
        joined = piece in {"and", "or", ","} and (
            _denies(tokens[at + 1 : at + 3]) or any(map(_polar, tokens[at + 1 : at + 2]))
        )
        if (piece in CLAUSE or piece in _ENDS or joined) and clauses[-1:] == [len(denied) - 1]:
            denied.append(False)
        if "=" in piece:
            words.append(piece)
            clauses.append(len(denied) - 1)
            places.append(len(frame))
            frame.append(piece)
            continue
        if piece in NEGATIONS:
            if piece != "nor" or not denied[-1]:
                denied[-1] = not denied[-1]
            if piece == "unless":
                words.append("if")
                clauses.append(len(denied) - 1)
                places.append(len(frame))
                frame.append("if")
            continue
        if piece in FRONTED:
            turns.add((len(words), piece))
        elif piece in BE:
            turns |= {(len(words), "be")} | (
                {(len(words), "be the")} if _definite(tokens[at + 1 : at + 4]) else set()
            )
        if piece in BE or piece in RELATIONS or piece == "*":
            frame.append("be" if piece in BE else piece)
        if piece in STOPS or (not piece[0].isalpha() and piece not in "%?"):
            continue
        word, negative = UNITED.get(stem(piece), (stem(piece), False))
        if negative:
            denied[-1] = not denied[-1]
        words.append(word)
        clauses.append(len(denied) - 1)
        places.append(len(frame))
        frame.append(word)
    return Statement(
        tuple(words),
        tuple(clauses),
        tuple(denied),
        tuple(PERSONS[piece] for piece in tokens if piece in PERSONS),
        tuple(piece for piece in tokens if piece in RELATIONS),
        tuple(piece for at, piece in enumerate(tokens) if _past(piece, tokens[:at])),
        frozenset(turns),
        tuple(frame),
        tuple(places),
        len(frame) if verb is None else verb,
        "?" in words,
        _denies(tokens),
    )


def _verbal(piece: str, before: list[str]) -> bool:
    """Whether a word is a verb, as far as its form and a list of common ones tell."""
    if piece in AUXILIARIES or piece in PASTS:
        return True
    noun = before[-1:] != [] and (before[-1] in DETERMINERS or before[-1] in RELATIONS)
    return (
        not noun
        and "=" not in piece
        and (stem(piece) in VERBS or (len(piece) > 4 and piece.endswith("ed")))
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
