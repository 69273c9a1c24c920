"""A logistic regression over n-grams, fitted to messages whose worth is known (benchmarks/said)."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import sqrt
from pathlib import Path
from typing import NamedTuple

from cairn.knowledge.extraction.salience.ngrams import ngrams

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


def features(text: str, words: Iterable[str], pieces: Iterable[str]) -> dict[str, dict[str, float]]:
    """The n-grams of a message that are known, by `words` and `pieces`, and how much each counts.

    Both parts have length one, however long the message is.
    """
    found = ngrams(text)
    known = {
        "words": [one for one in found.words if one in words],
        "pieces": [one for one in found.pieces if one in pieces],
    }
    return {part: dict.fromkeys(own, 1 / sqrt(len(own) or 1)) for part, own in known.items()}


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
    known = _vocabulary(of)
    parts = features(text, known.words, known.pieces)
    scores = list(known.bias)
    for part, own in (("words", known.words), ("pieces", known.pieces)):
        for one, value in parts[part].items():
            for column, weight in enumerate(own[one]):
                scores[column] += value * weight
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
