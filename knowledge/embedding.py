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
