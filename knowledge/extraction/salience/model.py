"""A logistic regression over n-grams, fitted to messages whose worth is known (benchmarks/said)."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import sqrt
from pathlib import Path
from typing import NamedTuple

from cairn.knowledge.extraction.salience.ngrams import ngrams

KINDS = ("directive", "decision", "fact", "lesson")
"""What a message can hold."""

WEIGHTS = Path(__file__).with_name("weights.tsv")
"""A line per n-gram: `words` or `pieces`, the n-gram, and its weights in hundredths: for holding
anything, then for each of KINDS. The first line names what they were fitted to; the n-gram of a
bias is empty."""

_UNIT = 100


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
def salience(text: str) -> float:
    """The log odds that a message, or a sentence of one, holds what is worth remembering."""
    return _scores(text)[0]


def kind_of(text: str) -> str:
    """Which of KINDS it holds, if it holds any."""
    of_kinds = _scores(text)[1:]
    return KINDS[of_kinds.index(max(of_kinds))]


def _scores(text: str) -> list[float]:
    known = _vocabulary()
    parts = features(text, known.words, known.pieces)
    scores = list(known.bias)
    for part, weights in (("words", known.words), ("pieces", known.pieces)):
        for one, value in parts[part].items():
            for column, weight in enumerate(weights[one]):
                scores[column] += value * weight
    return scores


@lru_cache(maxsize=1)
def _vocabulary() -> Vocabulary:
    parts: dict[str, dict[str, list[float]]] = {"words": {}, "pieces": {}, "bias": {}}
    for line in WEIGHTS.read_text(encoding="utf-8").split("\n")[1:]:
        if line:
            part, one, *weights = line.split("\t")
            parts[part][one] = [int(weight) / _UNIT for weight in weights]
    return Vocabulary(parts["words"], parts["pieces"], parts["bias"][""])


def as_lines(vocabulary: Vocabulary) -> list[str]:
    """The lines of WEIGHTS behind the first."""
    parts = {"bias": {"": vocabulary.bias}, "words": vocabulary.words, "pieces": vocabulary.pieces}
    return [
        "\t".join((part, one, *(str(round(weight * _UNIT)) for weight in weights)))
        for part, own in parts.items()
        for one, weights in own.items()
    ]
