"""A tiny deterministic embedder: hashed bags of words, calibrated by the identity."""

import re
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cairn.knowledge.vectors.model import Vectors


class ToyEmbedder:
    model = "toy"

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), 512), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in re.findall(r"[\w./]+", text.lower()):
                vectors[row, zlib.crc32(word.encode()) % 512] += 1
            vectors[row] /= max(float(np.linalg.norm(vectors[row])), 1e-9)
        return vectors

    def embed_query(self, text: str) -> Vectors:
        return self.embed([text])[0]

    def calibrated(self, cosine: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.clip(cosine, 0.0, 1.0)
