"""A statement read as a row of content words, each in its stem, with one polarity per clause."""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from cairn.knowledge.nlp.statements.clauses import (
    attributive,
    begins_beside,
    begins_within,
    denies,
    particle,
    predicates,
    relative,
    says,
    verbal,
)
from cairn.knowledge.nlp.statements.tokens import tokens
from cairn.knowledge.nlp.statements.word_order import active, canonical
from cairn.knowledge.nlp.vocabulary import (
    ASKING,
    AUXILIARIES,
    BE,
    DEFINITE,
    FRONTED,
    JOINTS,
    NEGATIONS,
    NONE,
    PASTS,
    PERSONS,
    POINTING,
    RELATIONS,
    SELDOM,
    STOPS,
    UNITED,
    UNIVERSAL,
    stem,
)

_VOWELS = frozenset("aeiouy")


@dataclass(slots=True)
class Statement:
    """A statement as it is compared. Parallel lists have one entry per content word."""

    words: list[str] = field(default_factory=list)
    """Stems; literals as `kind=value`."""
    raws: list[str] = field(default_factory=list)
    """The words as they were written, casefolded."""
    clauses: list[int] = field(default_factory=list)
    """Clause that the word stands in."""
    places: list[int] = field(default_factory=list)
    """Place of the word in the frame."""
    ends: list[bool] = field(default_factory=list[bool])
    """Whether the word is the denied end of its axis: `disable` is `enable`, at that end."""
    denied: list[bool] = field(default_factory=lambda: [False])
    """Whether each clause (not word) is denied, by a negation."""
    groups: list[int] = field(default_factory=lambda: [0])
    """Number of each clause among those that stand side by side: "that she lies" has that of "I
    know"."""
    sites: dict[int, int] = field(default_factory=dict[int, int])
    """Clause → how many words stood before its first negation."""
    frame: list[str] = field(default_factory=list)
    """Content words, `be` and prepositions: all that a slot is described by."""
    verb: int | None = None
    """Place of the first verb in the frame, where one is known."""
    persons: tuple[str, ...] = ()
    """Who is meant by each pronoun."""
    relations: tuple[str, ...] = ()
    """Prepositions that are no content words."""
    governed: dict[str, str] = field(default_factory=dict[str, str])
    """Word → the preposition before it; of a word that stands twice, the first."""
    past: tuple[str, ...] = ()
    """Words that put it into the past."""
    turns: set[tuple[int, str]] = field(default_factory=set)
    """How many content words stand before each preposition, before each `be`, and before each
    `be` that a definite name follows (`be the`)."""
    definite: set[int] = field(default_factory=set[int])
    """Places of the frame at which a definite name begins: "the coffee", "my dog"."""
    joined: bool = False
    """Whether more than a list of single words is joined by `and` or the like."""
    tokens: frozenset[str] = frozenset()
    """All words, those without weight among them."""
    asks: bool = False
    """Whether it is a question."""
    negated: bool = False
    """Whether a word denies something, beside words at the denied end of an axis."""
    none: bool = False
    """Whether it is denied of all: by `no`, `none`, `nobody`, `never`, …"""
    universal: bool = False
    """Whether it is said of `all`, `every`, `always`, …"""
    bag: list[str] = field(default_factory=list)
    """The words, sorted."""
    active: "Statement | None" = None
    """The same without passive and genitive, where it has any."""

    def add(self, word: str, raw: str, *, end: bool = False) -> None:
        """Takes a content word into the clause that is open."""
        self.words.append(word)
        self.raws.append(raw)
        self.ends.append(end)
        self.clauses.append(len(self.denied) - 1)
        self.places.append(len(self.frame))
        if self.frame and self.frame[-1] in RELATIONS:
            self.governed.setdefault(word, self.frame[-1])
        self.frame.append(word)

    def turn(self) -> None:
        """Denies the clause that is open, or takes a denial back."""
        self.sites.setdefault(len(self.denied) - 1, len(self.words))
        self.denied[-1] = not self.denied[-1]

    def open(self, *, beside: bool) -> bool:
        """Begins a clause beside the one that is open, or within it, if that has a word."""
        if not self.clauses or self.clauses[-1] < len(self.denied) - 1:
            return False
        self.denied.append(False)
        self.groups.append(self.groups[-1] + beside)
        return True

    def signed(self) -> list["SignWord"]:
        """Each word with what tells its sense."""
        return [
            SignWord(word, self.denied[clause], end)
            for word, clause, end in zip(self.words, self.clauses, self.ends, strict=True)
        ]

    @property
    def denies(self) -> bool:
        """Whether any of it is denied, by a negation or by the denied end of an axis."""
        turned = self.denied.copy()
        for clause, end in zip(self.clauses, self.ends, strict=True):
            turned[clause] ^= end
        return any(turned)


class SignWord(NamedTuple):
    """A word of a statement, whether its clause is denied, and at which end of its axis it is."""

    word: str
    denied: bool
    end: bool


@lru_cache(maxsize=65_536)
def read_statement(text: str) -> Statement:
    """A sentence or two as content words with the polarity of their clauses. Not to be changed."""
    read = tokens(text)
    if read and read[0] in ASKING and "?" not in read and not denies(read[1:2]):
        read.append("?")
    statement = _placed(canonical(read))
    other = active(read)
    if other is not read and other != read:
        statement.active = _placed(canonical(other))
    return statement


def same_persons(ours: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """Whether pronouns mean the same, as far as both sides have them: I and you are not one."""
    shorter, longer = sorted((ours, theirs), key=len)
    rest = iter(longer)
    return all(person in rest for person in shorter)


def common(one: list[str], two: list[str]) -> tuple[int, int]:
    """How many entries two rows begin with alike, and how many of the rest they end with alike."""
    shorter = min(len(one), len(two))
    start = next((at for at in range(shorter) if one[at] != two[at]), shorter)
    rest = shorter - start
    after = next((at for at in range(rest) if one[-1 - at] != two[-1 - at]), rest)
    return start, after


def _placed(tokens: list[str]) -> Statement:
    """Content words in their clauses, and each clause's polarity."""
    made = Statement()
    aside: int | None = None  # where "that are not compressed" begins, up to the verb of the files
    told = acted = False  # whether the clause that is open says anything, and has a verb
    first = 0  # its first word
    for at, piece in enumerate(tokens):
        if made.verb is None:
            if aside is None and piece in {"that", "which", "who"} and relative(tokens, at):
                aside = at
            elif aside is not None:
                if at > aside + 1 and (piece in AUXILIARIES or piece in ASKING):
                    aside, made.verb = None, len(made.frame)
            elif verbal(tokens, at):
                made.verb = len(made.frame)
        beside = begins_beside(tokens, at, told, made.denied[-1])
        leading = next(iter(made.raws[first:]), None)
        within = aside is None and begins_within(tokens, at, told, acted, leading)
        if (beside or within) and made.open(beside=beside):
            told, acted, first = not beside, False, len(made.words)
        if aside is None:
            told |= (
                says(tokens, at) or piece == "never" or (piece in NEGATIONS and piece not in NONE)
            )
            acted |= piece not in AUXILIARIES and piece not in ASKING and predicates(tokens, at)
        if "=" in piece:
            made.add(piece, piece)
        elif piece in NEGATIONS and aside is not None:
            made.add("not", piece)
        elif piece in NEGATIONS:
            if piece != "nor" or not made.denied[-1]:
                made.turn()
            if piece == "unless":
                made.add("if", "if")
        else:
            _place(made, tokens, at, aside is not None)
    if len(made.denied) > 1 and made.clauses[-1] < len(made.denied) - 1 and not made.denied[-1]:
        made.denied.pop()  # a mark at the end begins nothing
        made.groups.pop()
    made.persons = tuple(PERSONS[piece] for piece in tokens if piece in PERSONS)
    made.relations = tuple(
        piece for at, piece in enumerate(tokens) if piece in RELATIONS and not particle(tokens, at)
    )
    made.past = tuple(piece for at, piece in enumerate(tokens) if _past(piece, tokens[:at]))
    made.joined = not JOINTS.isdisjoint(tokens)
    made.tokens = frozenset(tokens)
    made.asks = "?" in made.words
    made.negated = denies(tokens)
    made.none = not NONE.isdisjoint(tokens)
    made.universal = not UNIVERSAL.isdisjoint(tokens)
    made.bag = sorted(made.words)
    return made


def _place(made: Statement, tokens: list[str], at: int, aside: bool) -> None:
    """A word that is neither literal nor negation."""
    piece = tokens[at]
    if particle(tokens, at) or _points(tokens, at):
        made.add(f"{piece}.", piece)  # not the stem of a preposition
        return
    if piece in DEFINITE:
        made.definite.add(len(made.frame))
    if piece in FRONTED:
        made.turns.add((len(made.words), piece))
    elif piece in BE:
        made.turns.add((len(made.words), "be"))
        if _definite(tokens[at + 1 : at + 4]):
            made.turns.add((len(made.words), "be the"))
    if piece in RELATIONS or piece == "*":
        made.frame.append(piece)
    elif piece in BE and not _going_on(tokens[at + 1 :]):
        made.frame.append("be")
    if piece in STOPS or (not piece[0].isalpha() and piece not in "%?"):
        return
    if piece in SELDOM:
        made.add("seldom", piece)
        return
    word, negative = UNITED.get(stem(piece), (stem(piece), False))
    if negative and (aside or attributive(tokens, at)):
        word, negative = stem(piece), False
    made.add(word, piece, end=negative)


def _points(tokens: list[str], at: int) -> bool:
    """Whether a word tells one place or time from another: "here and there"."""
    if (other := POINTING.get(tokens[at])) is None or other not in tokens:
        return False
    there_is = any(
        BE.intersection([*tokens[max(place - 1, 0) : place], *tokens[place + 1 : place + 2]])
        for place, piece in enumerate(tokens)
        if piece == "there"
    )
    return not there_is


def _going_on(following: list[str]) -> bool:
    """Whether "is" only says that something goes on: "is living" is "lives"."""
    verb = next((word for word in following if word not in STOPS and word not in NEGATIONS), "")
    return verb.endswith("ing") and not _VOWELS.isdisjoint(verb[:-3])  # but "is string" is a value


def _definite(following: list[str]) -> bool:
    """Whether a name begins here that there is one of."""
    name = following[1:] if denies(following[:1]) else following
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
