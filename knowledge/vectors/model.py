"""What knowledge asks of an embedding model: unit vectors, and a curve to a common scale."""

from collections.abc import Callable, Sequence
from itertools import repeat
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vectors = NDArray[np.float32]
"""Shape (texts, dimension), float32, each row of length 1."""


def unit_rows(rows: ArrayLike) -> Vectors:
    """Vectors, shape (…, dimension), each at length 1; what is zero stays so."""
    exact = np.asarray(rows, dtype=np.float64)
    lengths = np.linalg.norm(exact, axis=-1, keepdims=True)
    return (exact / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)


class Calibration(Protocol):
    """What puts the cosines of a model on a scale that all share."""

    def calibrated(self, cosine: NDArray[np.float64]) -> NDArray[np.float64]:
        """Raw cosines on the common scale of thresholds, monotone, 0 to 1."""
        ...


class Embedder(Calibration, Protocol):
    """A model with a name, and a calibration of its cosines."""

    @property
    def model(self) -> str:
        """Name of the model, part of every key that its vectors have."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of texts, in their order; the same for a text whatever the batch."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """The vector of what is asked, shape (dimension,): some models tell it from a text."""
        ...


class Remembering:
    """An embedder that keeps what it has made: each distinct text is embedded once.

    One for each namespace, so that not even a cache is shared between two. Vectors lie in blocks,
    each more than twice as large as the next: adding a few does not copy the many.

    Args:
        embedder: Makes the vectors.
        made_before: Gives texts and their vectors that need not be made; asked for at the first
            text that is not known.
    """

    def __init__(
        self,
        embedder: Embedder,
        made_before: Callable[[], tuple[Sequence[str], Vectors]] | None = None,
    ) -> None:
        self.model = embedder.model
        self._embedder = embedder
        self._made_before = made_before
        self._rows: dict[str, int] = {}
        self._blocks: list[Vectors] = []

    def keep(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Takes vectors that were made before."""
        start = len(self._rows)
        fresh = {text: row for row, text in enumerate(texts) if text not in self._rows}
        places = range(start, start + len(fresh))
        self._rows.update(zip(fresh, places, strict=True))
        # A block without rows only tells the dimension, as long as there is no other.
        self._blocks = [block for block in self._blocks if len(block)]
        if fresh or not self._blocks:
            all_fresh = len(fresh) == len(texts)
            self._blocks.append(vectors if all_fresh else vectors[list(fresh.values())])
        while len(self._blocks) > 1 and 2 * len(self._blocks[-1]) >= len(self._blocks[-2]):
            self._blocks[-2:] = [np.concatenate(self._blocks[-2:])]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of texts, in their order."""
        rows = self._places(texts)
        if self._made_before is not None and np.any(rows < 0):
            made_before, self._made_before = self._made_before, None
            self.keep(*made_before())
            rows = self._places(texts)
        if np.any(rows < 0) or not self._blocks:
            missing = sorted({texts[int(place)] for place in np.flatnonzero(rows < 0)})
            self.keep(missing, self._embedder.embed(missing))
            rows = self._places(texts)
        # Nearly all are in the first block, so it gives a row for each; others overwrite theirs.
        first, *others = self._blocks
        vectors = first.take(np.minimum(rows, len(first) - 1), axis=0)
        start = len(first)
        for block in others:
            here = np.flatnonzero((start <= rows) & (rows < start + len(block)))
            vectors[here] = block[rows[here] - start]
            start += len(block)
        return vectors

    def embed_query(self, text: str) -> Vectors:
        """The vector of a query, which is not kept."""
        return self._embedder.embed_query(text)

    def _places(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Where the vectors of texts are; -1 for those that have none yet."""
        return np.fromiter(map(self._rows.get, texts, repeat(-1)), np.int64, len(texts))

    def calibrated(self, cosine: NDArray[np.float64]) -> NDArray[np.float64]:
        """Raw cosines on the common scale of thresholds."""
        return self._embedder.calibrated(cosine)
