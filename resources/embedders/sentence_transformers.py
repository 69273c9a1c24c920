"""Models of the library sentence-transformers, by name or folder; the extra brings it."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from cairn.knowledge.vectors.model import Vectors, unit_rows
from cairn.resources.embedders.calibrations import Calibrated, curve_of
from cairn.resources.embedders.files import EmbedderError, digest_of


class SentenceTransformersEmbedder(Calibrated):
    """Whatever the library loads; what is no folder it fetches from its hub, or has fetched.

    Raises:
        EmbedderError: the library is not installed, or cannot load the model.
    """

    def __init__(self, name: str) -> None:
        folder = Path(name).expanduser()
        try:
            library: Any = import_module("sentence_transformers")
            self._encoder: Any = library.SentenceTransformer(
                str(folder) if folder.is_dir() else name, device="cpu"
            )
        except ImportError as error:
            raise EmbedderError(
                "sentence-transformers is not installed:"
                " `pip install cairn-logs[sentence-transformers]`"
            ) from error
        except Exception as error:  # its errors have no common root
            raise EmbedderError(f"sentence-transformers cannot load {name}: {error}") from error
        self._dimension = len(self._encoder.encode("a"))
        known = digest_of(folder) if folder.is_dir() else name.replace("/", "-")
        self.model = f"sentence-transformers-{known}-{self._dimension}"
        self._curve = curve_of(self, folder if folder.is_dir() else None)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (texts, dimension), float32; each text by itself, of blank zeros."""
        vectors = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            if text.strip():
                vectors[row] = unit_rows(self._encoder.encode_document(text))
        return vectors

    def embed_query(self, text: str) -> Vectors:
        """The vector of a query; of blank text zeros."""
        if not text.strip():
            return np.zeros(self._dimension, dtype=np.float32)
        return unit_rows(self._encoder.encode_query(text))
