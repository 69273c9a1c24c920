"""A logistic regression over n-grams, fitted to messages whose worth is known (benchmarks/said)."""

from collections.abc import Container, Mapping, Sequence
from functools import lru_cache
from math import sqrt
from pathlib import Path
from typing import NamedTuple

from cairn.knowledge.extraction.salience.ngrams import Ngrams, ngrams

SESSIONS, CHATS = "sessions", "chats"
"""What weights are fitted to: messages to an agent about a project, and talk of oneself."""

KINDS = ("directive", "decision", "fact", "lesson")
"""What a message of a session can hold."""

_UNIT = 100


def weights(of: str) -> Path:
    """The file of weights of SESSIONS or CHATS.

    It has a line per n-gram: `words` or `pieces`, the n-gram, and its weights in hundredths: for
    holding anything, then, of sessions, for each of KINDS. The first line names what they were
    fitted to; the n-gram of a bias is empty.
    """
    return Path(__file__).with_name(f"{of}.tsv")


class Vocabulary(NamedTuple):
    """Weights by n-gram, of words and of pieces; of each n-gram first that for anything at all."""

    words: Mapping[str, Sequence[float]]
    pieces: Mapping[str, Sequence[float]]
    bias: Sequence[float]


def known(text: str, words: Container[str], pieces: Container[str]) -> Ngrams:
    """The n-grams of a message that are known."""
    found = ngrams(text)
    return Ngrams(
        tuple(one for one in found.words if one in words),
        tuple(one for one in found.pieces if one in pieces),
    )


def share(ngrams_: Sequence[str]) -> float:
    """How much each of some n-grams counts: words and pieces have length one, however many."""
    return 1 / sqrt(len(ngrams_) or 1)


@lru_cache(maxsize=4_096)
def salience(text: str, of: str) -> float:
    """The log odds that a message, or a sentence of one, holds what is worth remembering.

    Args:
        text: What somebody wrote.
        of: SESSIONS or CHATS.
    """
    return _scores(text, of)[0]


def kind_of(text: str) -> str:
    """Which of KINDS a message of a session holds, if it holds any."""
    of_kinds = _scores(text, SESSIONS)[1:]
    return KINDS[of_kinds.index(max(of_kinds))]


def _scores(text: str, of: str) -> list[float]:
    vocabulary = _vocabulary(of)
    scores = list(vocabulary.bias)
    found = known(text, vocabulary.words, vocabulary.pieces)
    for own, weighed in ((found.words, vocabulary.words), (found.pieces, vocabulary.pieces)):
        each = share(own)
        for one in own:
            for column, weight in enumerate(weighed[one]):
                scores[column] += each * weight
    return scores


@lru_cache(maxsize=2)
def _vocabulary(of: str) -> Vocabulary:
    parts: dict[str, dict[str, list[float]]] = {"words": {}, "pieces": {}, "bias": {}}
    for line in weights(of).read_text(encoding="utf-8").split("\n")[1:]:
        if line:
            part, one, *own = line.split("\t")
            parts[part][one] = [int(weight) / _UNIT for weight in own]
    return Vocabulary(parts["words"], parts["pieces"], parts["bias"][""])


def as_lines(vocabulary: Vocabulary) -> list[str]:
    """The lines of a file of weights behind the first."""
    parts = {"bias": {"": vocabulary.bias}, "words": vocabulary.words, "pieces": vocabulary.pieces}
    return [
        "\t".join((part, one, *(str(round(weight * _UNIT)) for weight in each)))
        for part, own in parts.items()
        for one, each in own.items()
    ]
