"""Where words stand in a text: quotes as given, white space aside; names as whole words."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import polars as pl

from cairn.knowledge.nlp.patterns import lazy_pattern

# In scripts that put no space between words, any place begins one.
_SPACELESS = "\u0e00-\u0eff\u2e80-\ud7ff\uf900-\ufaff"
_IN_WORD = lazy_pattern(rf"[^\W{_SPACELESS}]")

# Behind a question's mark may stand what is no word; the Greek one looks like a semicolon.
_QUESTION = lazy_pattern(r"(?:[?？؟⁇⁈⁉‽\u037e]|(?<=[\u0370-\u03ff]);)[^\w.…。]*$")
_QUOTED = lazy_pattern(r"[\"“„«»][^\"“”„«»\n]*[\"”“»«]")
_BETWEEN_PAIRS = lazy_pattern(
    r"""“[^“”\n]*” | „[^„“”\n]*[“”] | «[^«»\n]*» | »[^«»\n]*« | 「[^「」\n]*」 | 『[^『』\n]*』
      | (?<!\w)‘[^‘\n]*?’(?!\w)""",
    re.VERBOSE,
)
"""Marks that tell where a quotation begins from where it ends: it may hold several sentences."""


def place(quote: str, text: str) -> tuple[int, int] | None:
    """Span of a quote in a text, in code points; any white space stands for any other.

    It begins where a word does: `safe` is not what `unsafe` says. Letters with accents are found
    whether they are one code point or two.
    """
    if not quote.strip():
        return None
    words = unicodedata.normalize("NFC", quote).split()
    spelled = re.compile(r"\s+".join(map(_composed_or_not, words)))
    start = 0
    while found := spelled.search(text, start):
        first = found.start()
        if not (first and words[0][0].isalnum() and _IN_WORD.match(text, first - 1)):
            return found.span()
        start = first + 1
    return None


def place_of_name(name: str, text: str) -> tuple[int, int] | None:
    """Span of a name in a text as whole words, in any case; None if it does not occur."""
    return next(_whole(name, text), None)


def places_of_name(name: str, text: str) -> list[tuple[int, int]]:
    """Spans of all places where a name stands in a text as whole words, in any case."""
    return list(_whole(name, text))


def _whole(name: str, text: str) -> Iterator[tuple[int, int]]:
    """Spans of a name that nothing goes on before or behind, one after the other."""
    start = 0
    while name.strip() and (found := _spelled(name).search(text, start)):
        first, end = found.span()
        whole = not (first and _IN_WORD.match(text, first - 1)) and not _IN_WORD.match(text, end)
        if whole:
            yield first, end
        start = end if whole else first + 1


def occurring(texts: Sequence[str], names: Iterable[str]) -> list[list[str]]:
    """For each text the names that occur in it as whole words, in any case, sorted.

    Letters with accents are the same whether they are one code point or two.

    One pass over the texts finds what may occur, whatever the number of names (Aho and Corasick,
    Communications of the ACM 18, 1975).
    """
    folded: dict[str, list[str]] = {}
    for name in names:
        if spelled := _folded(name):
            folded.setdefault(spelled, []).append(name)
    if not folded or not texts:
        return [[] for _ in texts]
    spread = pl.Series([_folded(text) for text in texts], dtype=pl.String)
    maybe = spread.str.extract_many(sorted(folded), overlapping=True).to_list()
    return [
        sorted(name for one in set(found) if place_of_name(one, text) for name in folded[one])
        for text, found in zip(spread.to_list(), maybe, strict=True)
    ]


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text.casefold()).split())


def asks(text: str) -> bool:
    """Whether a sentence is a question, by its mark."""
    return _QUESTION.search(text) is not None


def within_quotation(sentence: str, start: int, end: int) -> bool:
    """Whether what stands from `start` to `end` of a sentence is another's words, by its marks."""
    return sentence.lstrip().startswith(">") or _within(_QUOTED, sentence, start, end)


def within_pair(text: str, start: int, end: int) -> bool:
    """The same of a text of several sentences, by marks that come in pairs alone."""
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    line = text[first:] if last < 0 else text[first:last]
    return _within(_BETWEEN_PAIRS, line, start - first, end - first)


def _within(marks: re.Pattern[str], text: str, start: int, end: int) -> bool:
    return any(one.start() <= start and end <= one.end() for one in marks.finditer(text))


def _composed_or_not(word: str) -> str:
    """A pattern for a word of composed letters, which may be spelled with combining accents."""
    if word.isascii():
        return re.escape(word)
    spellings = ((re.escape(one), re.escape(unicodedata.normalize("NFD", one))) for one in word)
    return "".join(one if one == apart else f"(?:{one}|{apart})" for one, apart in spellings)


@lru_cache(maxsize=8_192)
def _spelled(name: str) -> re.Pattern[str]:
    words = r"\s+".join(map(re.escape, name.split()))
    return re.compile(words, re.IGNORECASE)
