"""Do two statements say the same, deny each other, or give another value in the same slot?

Similarity of vectors hardly sees what matters most in a fact: "python 3.11" and "python 3.12",
"enable" and "disable", "tabs over spaces" and "spaces over tabs" lie close together. So facts that
are similar are also compared word by word. The comparison is careful on one side: it agrees only
when nothing of weight differs, since a wrong merge loses a fact and a missed one only repeats it.

A statement is read as a row of content words, each in its stem, synonyms and spellings united, in
clauses of which each has its own polarity: a negation turns its clause, and a word from the denied
end of an axis (`disable`) is the other one (`enable`), at that end. They are the same where each
clause is; one denies the other where a clause does and no other is in doubt; else there is no
verdict. Literals (numbers, dates, paths, …) are words that must be equal. What was is not what is,
a question is no statement, and what I do you do not. English only; in another language words must
be the same, and negation is not seen.
"""

from enum import StrEnum
from typing import NamedTuple

from cairn.knowledge.nlp import vocabulary
from cairn.knowledge.nlp.statements.denial import agree, clause_denied, denied, same_sites, words_of
from cairn.knowledge.nlp.statements.generality import general_denied, one_of_several_denied
from cairn.knowledge.nlp.statements.parts import asserted_parts, contrast
from cairn.knowledge.nlp.statements.quantities import by_value, equal_in_value
from cairn.knowledge.nlp.statements.slots import values
from cairn.knowledge.nlp.statements.statement import Statement, common, read_statement, same_persons

_PREFIXES = ("un", "non", "non-")
"""What turns any word into its opposite. Others do so too rarely (`import`, `display`, `install`):
what they turn stands in the vocabulary, or has the ending of an adjective."""
_LATIN = ("in", "im", "ir", "il", "dis")
_ADJECTIVAL = ("abl", "ibl", "ent", "ant", "at", "al", "iv", "ous", "ct")  # codespell:ignore abl

_BY_VALUE = frozenset({"number", "version", "time", "name", "word", "order"})
"""Kinds of differences that may be one value in two forms: `7 pm` and `19:00`, `an hour`."""

_LONGEST_CONTRAST = 3
"""Most words in the place of others: "tabs, not spaces"."""

_FEWEST = 2
"""Words that parts of two texts must have in common."""

_MOST_PARTS = 16
"""Pairs of parts of two texts that are compared, at most."""

_PARTLY = vocabulary.stem("partly")
"""What "not all" is read as, denied."""


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

    SAME: they agree in words. OPPOSITE: both are assertions, of the same words but for polarity,
    or with the sides of a comparison exchanged (difference `order`: "A over B", "B over A"). VALUE:
    both assert the same throughout but for one literal, word or short phrase behind the verb;
    whether that is a contradiction depends on how many values the slot can hold. UNSURE: all else.
    Which side is left changes nothing but the order of `values`.
    """
    ours, theirs = read_statement(left), read_statement(right)
    if not ours.words and left != right:
        return Compared(Verdict.UNSURE, "word")
    found = _compared(ours, theirs)
    if (ours.active or theirs.active) and found.verdict in {Verdict.UNSURE, Verdict.VALUE}:
        other = _compared(ours.active or ours, theirs.active or theirs)
        if other.verdict in {Verdict.SAME, Verdict.OPPOSITE}:
            return other
    if found.difference in _BY_VALUE and equal_in_value(left, right):
        one, two = by_value(left), by_value(right)
        if (one, two) != (left, right):
            other = compare(one, two)
            return other if other.verdict in {Verdict.SAME, Verdict.OPPOSITE} else found
    if found.verdict is Verdict.UNSURE and (
        _denies(ours, theirs) or _parts_deny(left, right, ours, theirs)
    ):
        return Compared(Verdict.OPPOSITE, "polarity")
    return found


def _denies(ours: Statement, theirs: Statement) -> bool:
    """Whether one statement denies a whole kind, or each of several, and the other says one."""
    return any(
        rule(one, two)
        for rule in (general_denied, one_of_several_denied)
        for one, two in ((ours, theirs), (theirs, ours))
    )


def _parts_deny(left: str, right: str, ours: Statement, theirs: Statement) -> bool:
    """Whether something that one text says among other things denies what the other one says."""
    if not (ours.negated or theirs.negated or any(ours.ends) or any(theirs.ends)):
        return False
    if len(set(ours.words).intersection(theirs.words)) < _FEWEST or ours.asks or theirs.asks:
        return False
    if _of_contrast(left, theirs) or _of_contrast(right, ours):
        return True
    lefts, rights = asserted_parts(left) or (left,), asserted_parts(right) or (right,)
    if (lefts, rights) == ((left,), (right,)) or len(lefts) * len(rights) > _MOST_PARTS:
        return False
    return any(
        _compared(one, two).verdict is Verdict.OPPOSITE or _denies(one, two)
        for one in map(read_statement, lefts)
        for two in map(read_statement, rights)
        if len(one.words) >= _FEWEST and len(two.words) >= _FEWEST
    )


def _of_contrast(text: str, other: Statement) -> bool:
    parts = contrast(text)
    if parts is None:
        return False
    return _contrasted(read_statement(parts[0]), read_statement(parts[1]), other)


def _contrasted(said: Statement, other: Statement, shorter: Statement) -> bool:
    """Whether a statement says what another says is not so: "tabs, not spaces", "spaces"."""
    if said.negated or shorter.negated or said.asks or _context(said, shorter) is not None:
        return False
    kept = len(shorter.words) - len(other.words)
    return (
        0 < kept < len(said.words) <= kept + _LONGEST_CONTRAST
        and said.verb is not None
        and said.places[kept] > said.verb
        and shorter.words == [*said.words[:kept], *other.words]
        and shorter.ends == [*said.ends[:kept], *other.ends]
    )


def _compared(ours: Statement, theirs: Statement) -> Compared:
    if ours.asks != theirs.asks:
        return Compared(Verdict.UNSURE, "question")
    only_ours, only_theirs = _surplus(ours.bag, theirs.bag)
    turned = _prefix_antonyms(only_ours, only_theirs)
    only_ours = [word for word in only_ours if word not in turned]
    only_theirs = [word for word in only_theirs if word not in turned.values()]
    if only_ours and only_theirs and _one_spelling(ours, theirs):
        return Compared(Verdict.SAME)
    if only_ours or only_theirs:
        return _of_others(ours, theirs, only_ours, only_theirs)
    if _excludes(ours, theirs):
        return Compared(Verdict.UNSURE, "word") if ours.asks else _another(ours, theirs, "word")
    if differs := _context(ours, theirs):
        return Compared(Verdict.UNSURE, differs)
    one, two = words_of(ours, turned), words_of(theirs, {})
    agreed = agree(one, two)
    if not _same_order([each.sign.word for each in one], ours, theirs):
        if not ours.asks and agreed and _exchanged(ours, theirs):
            return Compared(Verdict.OPPOSITE, "order")
        return Compared(Verdict.UNSURE, "order")
    if agreed and same_sites(ours, theirs):
        return _same(ours, theirs)
    if ours.asks:
        return Compared(Verdict.UNSURE, "question")
    denies = None if agreed else denied(ours, theirs, turned)
    if denies is False:
        return _same(ours, theirs)
    asserted = vocabulary.TENTATIVE.isdisjoint(ours.words)
    return Compared(Verdict.OPPOSITE if denies and asserted else Verdict.UNSURE, "polarity")


def _same(ours: Statement, theirs: Statement) -> Compared:
    """SAME, where no shade of meaning differs: "not yet", "no more"."""
    for one, two in vocabulary.SHADES:
        for left, right in ((ours.tokens, theirs.tokens), (theirs.tokens, ours.tokens)):
            if one & left - right and two & right - left:
                return Compared(Verdict.UNSURE, "word")
    other = _other_number(ours, theirs)
    return Compared(Verdict.UNSURE, "word") if other else Compared(Verdict.SAME)


def _other_number(ours: Statement, theirs: Statement) -> bool:
    """Whether one side speaks of one thing and the other of several: "the dog", "dogs".

    What is denied of one, or said of every one, is so of all.
    """
    if ours.raws == theirs.raws or (ours.negated and theirs.negated):
        return False
    if not vocabulary.UNIVERSAL.isdisjoint(ours.tokens | theirs.tokens):
        return False
    one, two = (sorted(zip(each.words, each.raws, strict=True)) for each in (ours, theirs))
    return any(
        f"{min(left, right)}s" == max(left, right) and word not in vocabulary.VERBS
        for (word, left), (_, right) in zip(one, two, strict=True)
    )


def _of_others(
    ours: Statement, theirs: Statement, only_ours: list[str], only_theirs: list[str]
) -> Compared:
    """Two statements of which one has words that the other has not."""
    surplus = sorted([*only_ours, *only_theirs])
    literal = next((word for word in surplus if "=" in word), "word")
    kind = literal.partition("=")[0]
    if ours.asks or theirs.asks:
        return Compared(Verdict.UNSURE, kind)
    if only_ours and only_theirs:
        return _another(ours, theirs, kind)
    longer, shorter = (ours, theirs) if only_ours else (theirs, ours)
    if _context(ours, theirs) is None and (
        _counted_out(longer, shorter, surplus) or clause_denied(longer, shorter)
    ):
        return Compared(Verdict.OPPOSITE, "polarity")
    return Compared(Verdict.UNSURE, kind)


def _surplus(ours: list[str], theirs: list[str]) -> tuple[list[str], list[str]]:
    """Words that only one side has, as often as it has more of them."""
    if ours == theirs:
        return [], []
    rest = theirs.copy()
    only: list[str] = []
    for word in ours:
        if word in rest:
            rest.remove(word)
        else:
            only.append(word)
    return only, rest


def _excludes(ours: Statement, theirs: Statement) -> bool:
    """Whether prepositions were exchanged: they may be left out, but "at" is not "for"."""
    if ours.governed == theirs.governed and ours.relations == theirs.relations:
        return False
    return all(_surplus(sorted(ours.relations), sorted(theirs.relations))) or any(
        theirs.governed.get(word, before) != before for word, before in ours.governed.items()
    )


def _context(ours: Statement, theirs: Statement) -> str | None:
    """What differs in who is meant or when it was."""
    if not same_persons(ours.persons, theirs.persons):
        return "person"
    if (set(ours.past) <= set(theirs.past)) != (set(theirs.past) <= set(ours.past)):
        return "tense"
    return None


def _one_spelling(ours: Statement, theirs: Statement) -> bool:
    """Whether all that differs is how a word is put together: `time zone`, `time-zone`."""
    one, two = ours.raws, theirs.raws
    start, after = common(ours.words, theirs.words)
    left = one[start : len(one) - after]
    right = two[start : len(two) - after]
    return (
        left != right
        and "".join(left).replace("-", "") == "".join(right).replace("-", "")
        and ours.relations == theirs.relations
        and _context(ours, theirs) is None
        and not (ours.denies or theirs.denies)
        and not any("=" in raw for raw in [*left, *right])
    )


def _counted_out(longer: Statement, shorter: Statement, surplus: list[str]) -> bool:
    """Whether "not all" meets "all", or "none" meets "some"."""
    quantities = (surplus == [_PARTLY] and longer.negated and shorter.universal) or (
        vocabulary.WEAK.issuperset(surplus) and shorter.none and not longer.negated
    )
    if not quantities or not vocabulary.CONDITIONS.isdisjoint(longer.words):
        return False
    rest = [sign for sign in longer.signed() if sign.word not in surplus]
    other = shorter.signed()
    return [(sign.word, sign.end) for sign in rest] == [
        (sign.word, sign.end) for sign in other
    ] and all(one.denied != two.denied for one, two in zip(rest, other, strict=True))


def _exchanged(ours: Statement, theirs: Statement) -> bool:
    """Whether the two sides of what holds one way round changed places: "A over B", "B over A"."""
    start, after = common(ours.words, theirs.words)
    one = ours.words[start : len(ours.words) - after]
    two = theirs.words[start : len(theirs.words) - after]
    ends = range(1, len(one))
    left = next((size for size in reversed(ends) if one[:size] == two[-size:]), 0)
    right = next((size for size in reversed(ends) if one[-size:] == two[:size]), 0)
    between = one[left : len(one) - right]
    if after and between:
        # "the red car follows the blue truck", "the blue car follows the red truck"
        head = ours.words[-after]
        joined = any(each.places[-after] == each.places[-after - 1] + 1 for each in (ours, theirs))
        if joined and between[0] != head:
            return False
    return bool(
        left
        and right
        and between
        and between == two[right : len(two) - left]
        and not vocabulary.ONE_WAY.isdisjoint(between)
    )


def _another(ours: Statement, theirs: Statement, differs: str) -> Compared:
    """VALUE if two statements fill one slot differently, else UNSURE."""
    found = values(ours, theirs)
    return Compared(Verdict.VALUE, differs, *found) if found else Compared(Verdict.UNSURE, differs)


def _prefix_antonyms(only_left: list[str], only_right: list[str]) -> dict[str, str]:
    """Words of the left that are one of the right with a negating prefix more or less."""
    return {
        ours: theirs
        for ours in only_left
        for theirs in only_right
        if _prefixed(ours, theirs) or _prefixed(theirs, ours)
    }


def _prefixed(longer: str, shorter: str) -> bool:
    if not longer.endswith(shorter) or len(shorter) < 4:
        return False
    if shorter in {"valuabl", "different", "flammabl"}:
        return False
    prefix = longer.removesuffix(shorter)
    return prefix in _PREFIXES or (
        prefix in _LATIN and len(shorter) >= 6 and shorter.endswith(_ADJECTIVAL)
    )


def _same_order(ours: list[str], left: Statement, right: Statement) -> bool:
    """Whether words stand in the same order, or in one that says the same.

    What stands about a verb to be can change sides where a definite name does ("Vim is the user's
    editor"; but "all cats are animals"), what begins with a preposition can lead or change places
    with another such part, and an adverb can stand anywhere.
    """
    theirs = right.words
    if ours == theirs:
        return True
    if ours == left.words and (
        _without_adverbs(left) == _without_adverbs(right) or _same_parts(left, right)
    ):
        return True
    direction = not vocabulary.DIRECTION_STEMS.isdisjoint(ours)
    return any(
        _turned(left.turns, at, right.turns, len(ours) - at, direction)
        for at in range(1, len(ours))
        if ours[at:] + ours[:at] == theirs
    )


def _without_adverbs(statement: Statement) -> list[str]:
    return [
        word
        for word, raw in zip(statement.words, statement.raws, strict=True)
        if not (raw.endswith("ly") and len(raw) > 6 and raw not in vocabulary.ADJECTIVES_IN_LY)
    ]


def _same_parts(ours: Statement, theirs: Statement) -> bool:
    """Whether the parts that begin with a preposition are the same, in whatever order."""
    if len(ours.denied) > 1 or len(theirs.denied) > 1 or ours.joined or theirs.joined:
        return False
    one, two = _parts(ours), _parts(theirs)
    return one[0] == two[0] and sorted(one[1:]) == sorted(two[1:])


def _parts(statement: Statement) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for word in statement.frame:
        if word in vocabulary.ADJUNCTS:
            parts.append([])
        if word != "be":
            parts[-1].append(word)
    return parts


def _turned(
    ours: set[tuple[int, str]], at: int, theirs: set[tuple[int, str]], behind: int, direction: bool
) -> bool:
    """Whether what stands before and behind `at` may change places."""
    be = not direction and (at, "be") in ours and (behind, "be") in theirs
    definite = (at, "be the") in ours or (behind, "be the") in theirs
    leads = any(
        ((0, word) in ours and (behind, word) in theirs)
        or ((at, word) in ours and (0, word) in theirs)
        for word in vocabulary.FRONTED
    )
    return (be and definite) or leads
