"""Names as they are compared: words, what must not differ, and the keys under which two are one.

Two names can only be of one thing if nothing of weight differs: numbers, versions, single letters,
symbols. These are the literals of a name, and every key holds them. What is left is compared as
words: without an opening article, in one spelling, known names under the first of their kind.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from cairn.knowledge.nlp.names import canonical
from cairn.knowledge.nlp.vocabulary import NUMBERS
from cairn.knowledge.resolution.gazetteer import (
    HEADS,
    KINDS,
    LEGAL_FORMS,
    SAME,
    SHORT,
    SPELLINGS,
    SURE,
    TITLES,
)

STRICT = frozenset({"host", "path", "project", "tool", "package"})
"""Types whose grammar says what a name is: no word of theirs is compared."""

TYPO_LENGTH = 8
"""Letters of a word, at least, in which one may be wrong."""

TYPO_AFTER = 4
"""Letters at its beginning that must be right: prefixes are where other words differ."""

_TOKEN = re.compile(
    r"""(?:(?<!\S)-\d\w*(?:[.,]\d+)*)
      | (?:v?\d+(?:[.,:]\d+)+[a-z]*\d*)   # versions and times stay whole
      | (?:(?<!\w)\.(?=[^\W\d]))          # the dot of `.net`
      | [^\W_]+(?:\+\+|\#)?
      | [^\w\s\-./,:;()\[\]{}'"`–—!?…|·•]+""",
    re.VERBOSE,
)
_ACCENT = re.compile("(?<=[a-z])[\u0300-\u036f]+")
_INITIALS = re.compile(r"\b(?:[a-z]\.){2,}(?![a-z])")
_UMLAUTS = str.maketrans(
    {letter: f"{plain}e" for letter, plain in zip("äöüÄÖÜø", "aouAOUo", strict=True)}
    | {"å": "aa", "æ": "ae"}
)
_VERSION = frozenset(("version", "ver", "v"))
_SPELLINGS = tuple((re.compile(pattern), spelling) for pattern, spelling in SPELLINGS)
_ROMAN = re.compile(r"(?=[ivx])(?:x{0,3})(?:ix|iv|v?i{0,3})")
_ORDINAL = re.compile(r"(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)")
_DIGITS = NUMBERS | {
    "ii": "2", "iii": "3", "iv": "4", "vi": "6", "vii": "7", "viii": "8", "ix": "9",
    "1st": "first", "2nd": "second", "3rd": "third",  # codespell:ignore nd
}  # fmt: skip
"""Numbers in one form; Roman ones behind the first word of a name."""
_ORDINALS = frozenset((*NUMBERS, "1st", "2nd", "3rd"))  # codespell:ignore nd

_ARTICLES = frozenset(("the", "our"))
JOINING = frozenset(("a", "an", "and", "at", "by", "for", "in", "of", "on", "or", "the", "to"))
_NO_PLURAL = ("ss", "us", "is", "ics", "os", "as")


class ComparedName(NamedTuple):
    """A name as words, in order; `literals` are those of which no part may differ."""

    words: tuple[str, ...]
    literals: tuple[str, ...]


@lru_cache(maxsize=65_536)
def read_name(name: str, type_: str, *, known: bool = True) -> ComparedName:
    """The words of a name; `known` ones as known everywhere. Strict types are one literal."""
    if type_ in STRICT:
        return ComparedName((), (_strict(name, type_),))
    plain = _ACCENT.sub("", unicodedata.normalize("NFKD", name.casefold()))
    plain = _INITIALS.sub(lambda found: found[0].replace(".", ""), plain)
    plain = unicodedata.normalize("NFKC", plain)
    plain = re.sub(r"['’`]", "", plain).replace("&", " and ")
    if type_ == "person":
        plain = re.sub(r"^\s*([^,]+),\s*([^,]+)$", r"\2 \1", plain)
    for pattern, spelling in _SPELLINGS:
        plain = pattern.sub(spelling, plain)
    words = _TOKEN.findall(plain)
    if type_ == "person":
        words = words[1:] if words[:1] and words[0] in TITLES and len(words) > 1 else words
    else:
        words = words[1:] if len(words) > 1 and words[0] in _ARTICLES else words
        words = words[:-1] if len(words) > 1 and words[-1] in LEGAL_FORMS else words
        words = _known([*_numbered(words)]) if known else words
    return ComparedName(tuple(words), tuple(word for word in words if _literal(word)))


def _numbered(words: list[str]) -> Iterator[str]:
    """Short forms written out where there are several words; numbers in digits, bare versions."""
    for at, word in enumerate(words):
        following = words[at + 1] if at + 1 < len(words) else ""
        if word in _VERSION and following[:1].isdigit():
            continue
        if at and re.fullmatch(r"v\d[\d.]*", word):
            yield word[1:]
        elif len(words) > 1 and word in (_DIGITS if at else _ORDINALS):
            yield _DIGITS[word]
        elif len(words) > 1:
            yield from SHORT.get(word, word).split()
        else:
            yield word


def _strict(name: str, type_: str) -> str:
    """The one form of a name of a strict type: `/a//b` and `/a/./b` are one path."""
    form = canonical(name, type_)
    return re.sub(r"/(?:\.?/)+", "/", form) if type_ == "path" else form


def _tokens(name: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(name))


_KNOWN = {_tokens(other): _tokens(group[0]) for group in SAME for other in group}
_KNOWN_WORDS = frozenset(
    word for name in (*_KNOWN, *_KNOWN.values(), *map(_tokens, SURE)) for word in name
)
_LONGEST = max(map(len, _KNOWN))
_KINDS = {head: frozenset(map(_tokens, names)) for head, names in KINDS.items()}


def _known(words: list[str]) -> list[str]:
    """Words with known names under the one that stands for them, the longest first."""
    found: list[str] = []
    at = 0
    while at < len(words):
        for length in range(min(_LONGEST, len(words) - at), 0, -1):
            if known := _KNOWN.get(tuple(words[at : at + length])):
                found += known
                at += length
                break
        else:
            found.append(words[at])
            at += 1
    return found


def _literal(word: str) -> bool:
    """A number in any form, a single letter, a symbol: what may not differ."""
    return (
        len(word) == 1
        or not word.isalpha()
        or word in NUMBERS
        or word == "one"
        or _ROMAN.fullmatch(word) is not None
        or _ORDINAL.fullmatch(word) is not None
    )


def spelled_out(display: str) -> str | None:
    """A name with its umlauts in two letters, as they are written where there are none."""
    spelled = display.translate(_UMLAUTS)
    return spelled if spelled != display else None


def same_key(name: ComparedName) -> str:
    """Equal where two names have the same words, joined or apart: "web hook", "webhook"."""
    return "".join(f"|{word}|" if word in name.literals else word for word in _turned(name.words))


def person_key(name: ComparedName) -> str:
    """Equal where two names of persons have the same words."""
    return " ".join(name.words)


def plural_key(name: ComparedName, shown: str) -> str | None:
    """Equal where two names of several words differ in the number of the last one at most.

    Or of any, where none has a capital: "users service". A last word with a capital may be a
    surname: "Paul William" is not "Paul Williams".
    """
    words = _turned(name.words)
    if len(words) < 2 or words[-1] in name.literals or shown.rsplit(maxsplit=1)[-1][0].isupper():
        return None
    before = words[:-1] if shown != shown.casefold() else map(_singular, words[:-1])
    return same_key(ComparedName((*before, _singular(words[-1])), name.literals))


def kind_key(name: ComparedName) -> tuple[str, str, bool] | None:
    """What a name is without the kind of thing behind it, and that kind.

    Returns:
        `same_key` without the head, the head, and whether the thing is known to be one
        (knowledge/resolution/gazetteer.py); None where no head follows a name.
    """
    for length in (2, 1):
        head = " ".join(name.words[-length:])
        rest = name.words[:-length]
        if head in HEADS and rest:
            known = rest in _KINDS.get(head, ())
            return same_key(ComparedName(rest, name.literals)), head, known
    return None


def forms(word: str) -> list[str]:
    """A word and its short forms."""
    return [word, *(short for short, long in SHORT.items() if long == word)]


def initial_keys(name: ComparedName) -> list[str]:
    """Short forms that a name may have: its first words by their initials, the rest as it is.

    "Request for Comments process" may be "rfcp", "rfc process" or "rc process". A single word
    may be its first and last letter with the number of those between.
    """
    words = name.words
    if len(words) == 1:
        word = words[0]
        return [f"|{word[0]}{len(word) - 2}{word[-1]}|"] if len(word) > 4 else []
    keys: list[str] = []
    for end in range(2, len(words) + 1):
        begun = words[:end]
        if any(word in name.literals for word in begun):
            break
        if begun[-1] in JOINING:
            continue
        rest = ComparedName(words[end:], name.literals)
        spelled = (
            "".join(word[0] for word in begun),
            "".join(word[0] for word in begun if word not in JOINING),
        )
        several = ("", "s") if begun[-1] != _singular(begun[-1]) else ("",)
        keys += [
            f"{letters}{ending} {same_key(rest)}".strip()
            for letters in spelled
            for ending in several
            if len(letters) > 1
        ]
    return list(dict.fromkeys(keys))


def short_key(name: ComparedName) -> str | None:
    """The key under which a name may be the short form of another."""
    first, rest = name.words[0], name.words[1:]
    if not rest and re.fullmatch(r"[a-z]\d+[a-z]", first):
        return f"|{first}|"
    if not 2 <= len(first) <= 6 or not first.isalpha():
        return None
    return f"{first} {same_key(ComparedName(rest, name.literals))}".strip()


def typo_keys(name: ComparedName, shown: str) -> list[str]:
    """The name with any one letter left out of one of its long words.

    Two names that differ by one letter, or by two exchanged, have such a form in common. Several
    words with capitals may be a person's: "Katherine Smith" is not "Katharine Smith".
    """
    if len(name.words) > 1 and all(word[0].isupper() for word in shown.split()):
        return []
    keys: list[str] = []
    for at, word in enumerate(name.words):
        if len(word) >= TYPO_LENGTH - 1 and word not in name.literals:
            before, after = " ".join(name.words[:at]), " ".join(name.words[at + 1 :])
            forms = {word} | {word[:i] + word[i + 1 :] for i in range(TYPO_AFTER, len(word))}
            keys += [f"{before} *{form} {after}" for form in sorted(forms)]
    return keys


def mistyped(left: ComparedName, right: ComparedName) -> bool:
    """Whether names differ by one letter, or two exchanged, inside of one long word."""
    from rapidfuzz.distance import OSA

    differing = [
        (ours, theirs) for ours, theirs in zip(left.words, right.words, strict=False)
        if ours != theirs
    ]  # fmt: skip
    if len(left.words) != len(right.words) or len(differing) != 1:
        return False
    ours, theirs = differing[0]
    return (
        max(len(ours), len(theirs)) >= TYPO_LENGTH
        and ours[:TYPO_AFTER] == theirs[:TYPO_AFTER]
        and _singular(ours) != _singular(theirs)
        and not {ours, theirs} & ({*left.literals} | {*right.literals})
        and OSA.distance(ours, theirs) == 1
    )


def surely_mistyped(left: ComparedName, right: ComparedName) -> bool:
    """Whether that letter is missing, doubled or exchanged inside, so that it is hardly a word.

    Other words may differ by another letter ("stationary", "stationery") or at their end
    ("schedule", "scheduler"); of a name that is known everywhere, anything is a mistake.
    """
    ours, theirs = next(
        (one, two) for one, two in zip(left.words, right.words, strict=True) if one != two
    )
    if any(word in _KNOWN_WORDS and len(word) >= TYPO_LENGTH for word in (ours, theirs)):
        return True
    inside = ours[-2:] == theirs[-2:]
    moved = len(ours) != len(theirs) or sorted(ours) == sorted(theirs)
    return inside and moved and min(len(ours), len(theirs)) > TYPO_LENGTH


def _turned(words: tuple[str, ...]) -> tuple[str, ...]:
    """Words with what belongs to the last before it: "index of the table" as "table index"."""
    for at in range(1, len(words) - 2):
        if words[at] in ("of", "for") and words[at + 1] in _ARTICLES:
            return (*words[at + 2 :], *words[:at])
    return words


def _singular(word: str) -> str:
    if len(word) < 4 or word.endswith(_NO_PLURAL):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return word[:-2]
    return word.removesuffix("s")
