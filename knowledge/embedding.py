"""What knowledge asks of an embedding model: unit vectors, and a curve to a common scale."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""Shape (texts, dimension), float32, each row of length 1."""


class Embedder(Protocol):
    """A model with a name, and a calibration of its cosines."""

    @property
    def model(self) -> str:
        """Name of the model, part of every key that its vectors have."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of texts, in their order; the same for a text whatever the batch."""
        ...

    def calibrated(self, cosine: NDArray[np.float64]) -> NDArray[np.float64]:
        """Raw cosines on the common scale of thresholds, monotone, 0 to 1."""
        ...


class Remembering:
    """An embedder that keeps what it has made: each distinct text is embedded once.

    One for each namespace, so that not even a cache is shared between two.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.model = embedder.model
        self._embedder = embedder
        self._rows: dict[str, int] = {}
        self._vectors: list[Vectors] = []
        self._joined: Vectors | None = None

    def keep(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Takes vectors that were made before."""
        start = len(self._rows)
        fresh = {text: row for row, text in enumerate(texts) if text not in self._rows}
        self._rows.update({text: start + place for place, text in enumerate(fresh)})
        self._vectors.append(vectors[list(fresh.values())])
        self._joined = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of texts, in their order."""
        missing = sorted({text for text in texts if text not in self._rows})
        if missing or not self._vectors:
            self.keep(missing, self._embedder.embed(missing))
        if self._joined is None:
            self._joined = np.concatenate(self._vectors)
            self._vectors = [self._joined]
        return self._joined[[self._rows[text] for text in texts]]

    def calibrated(self, cosine: NDArray[np.float64]) -> NDArray[np.float64]:
        """Raw cosines on the common scale of thresholds."""
        return self._embedder.calibrated(cosine)
