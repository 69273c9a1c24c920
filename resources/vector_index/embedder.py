"""Embedding models, chosen by one setting."""

import json
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowledge.vectors.model import Embedder, Vectors
from knowledge.vectors.similarity import Curve

CALIBRATION = Path(__file__).parent / "calibration"

_DIMENSION = 256
_LONGEST = 20_000  # characters; a mean over more words than these says nothing
_TEXTS_AT_ONCE = 64


def load_curve(name: str) -> Curve:
    """The calibration that ships for a model."""
    numbers = json.loads((CALIBRATION / f"{name}.json").read_text(encoding="utf-8"))
    return Curve(*zip(*numbers["knots"], strict=True))


class WordllamaEmbedder:
    """Static word vectors, averaged: no download, no key; the weights come in the package.

    Texts over 20,000 characters are cut. A text without a known word has a vector of zeros.
    """

    model: str = f"wordllama-l2-supercat-{_DIMENSION}"

    def __init__(self) -> None:
        # Imported late: it costs a tenth of a second that most commands need not pay.
        wordllama = import_module("wordllama")
        # Weights and tokenizer lie in the package's own folder; pointed there and told not to
        # download, it has no reason to look anywhere else.
        package = Path(str(wordllama.__file__)).parent
        loaded = wordllama.WordLlama.load(dim=_DIMENSION, cache_dir=package, disable_download=True)
        self._weights: NDArray[np.float32] = loaded.embedding
        self._tokenizer: Any = loaded.tokenizer
        self._tokenizer.no_padding()
        self._curve: Curve = load_curve("wordllama")

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (texts, 256), float32; the same for a text whatever the batch."""
        vectors = np.zeros((len(texts), _DIMENSION), dtype=np.float32)
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            batch = [text[:_LONGEST] for text in texts[start : start + _TEXTS_AT_ONCE]]
            for row, encoded in enumerate(
                self._tokenizer.encode_batch(batch, add_special_tokens=False), start
            ):
                if encoded.ids:
                    # Text by text and without padding, so that the batch cannot change the sum.
                    total = self._weights[encoded.ids].sum(axis=0, dtype=np.float64)
                    if (norm := float(np.sqrt((total * total).sum()))) > 0:
                        vectors[row] = total / norm
        return vectors

    def calibrated(self, cosine: NDArray[np.float64]) -> NDArray[np.float64]:
        """Raw cosines on the common scale of thresholds, strictly increasing, 0 to 1."""
        return self._curve(cosine)


_EMBEDDERS = {"wordllama": WordllamaEmbedder}


@cache
def load_embedder(name: str) -> Embedder:
    """The embedder that a setting names, loaded once.

    Raises:
        ValueError: there is none of that name.
    """
    if name not in _EMBEDDERS:
        known = ", ".join(sorted(_EMBEDDERS))
        raise ValueError(f"unknown embedder {name!r}; known: {known} (setting: policy.embedder)")
    return _EMBEDDERS[name]()
