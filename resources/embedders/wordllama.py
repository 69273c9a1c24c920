"""The embedder in the box: static word vectors, averaged."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open

from cairn.knowledge.vectors.model import Vectors
from cairn.resources.embedders.calibrations import Calibrated, curve_of
from cairn.resources.embedders.vocabulary import DIMENSION, tokenizer, weights_file

_LONGEST = 20_000  # characters; a mean over more words than these says nothing
_TEXTS_AT_ONCE = 64
_MANY = 200


class WordllamaEmbedder(Calibrated):
    """Static word vectors, averaged: no download, no key; the weights come in the package.

    Texts over 20,000 characters are cut. A text without a known word has a vector of zeros.
    """

    model: str = f"wordllama-l2-supercat-{DIMENSION}"

    def __init__(self) -> None:
        with safe_open(weights_file(), "np") as stored:
            self._weights: NDArray[np.float16 | np.float32] = stored.get_tensor("embedding.weight")
        self._tokenizer = tokenizer()
        self._curve = curve_of(self)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (texts, 256), float32; the same for a text whatever the batch."""
        if len(texts) > _MANY and self._weights.dtype == np.float16:
            self._weights = self._weights.astype(np.float32)  # equal, and faster to add
        vectors = np.zeros((len(texts), DIMENSION), dtype=np.float32)
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

    def embed_query(self, text: str) -> Vectors:
        """The vector of a query, as that of any text."""
        return self.embed([text])[0]
