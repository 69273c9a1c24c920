"""What the model sees of a message: its words in ones, twos and threes, and pieces of its words."""

import re
from functools import lru_cache
from typing import NamedTuple

from cairn.knowledge.nlp.plain_words import plain_words

_CODE = re.compile(r"x{2,}\S*")
_NUMBER = re.compile(r"\d+")
_TOKEN = re.compile(r"[^\s\w]|\w+")
_MOST_WORDS, _PIECES = 3, range(2, 6)


class Ngrams(NamedTuple):
    """Words that follow each other, with a space between, and pieces of words, in their order."""

    words: tuple[str, ...]
    pieces: tuple[str, ...]


@lru_cache(maxsize=256)
def ngrams(text: str) -> Ngrams:
    """The n-grams of a message, each once.

    Contractions are written out; code and quotations are one word, `xx`, and each number is `0`;
    `^` stands before the first word, `$` behind the last. A piece of a word that begins or ends it
    has a space there.
    """
    plain = _NUMBER.sub("0", _CODE.sub("xx", plain_words(text).text))
    words = ["^", *_TOKEN.findall(plain), "$"]
    runs = {
        " ".join(words[at : at + length])
        for length in range(1, _MOST_WORDS + 1)
        for at in range(len(words) - length + 1)
    }
    return Ngrams(tuple(sorted(runs)), tuple(sorted(set().union(*map(_pieces, plain.split())))))


def _pieces(word: str) -> set[str]:
    framed = f" {word} "
    return {
        framed[at : at + length]
        for length in _PIECES
        for at in range(max(1, len(framed) - length + 1))
    }
