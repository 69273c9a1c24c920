"""Vectors that are dear, kept by text and model: one SQLite file for each namespace."""

import logging
import sqlite3
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from cairn.knowledge.vectors.model import Embedder, Vectors
from cairn.resources.embedders.files import EmbedderError
from cairn.resources.home.home import Home, check_namespace

AT_ONCE = 256
"""Texts that are embedded before they are kept: what a kill costs again."""
_ASKED = 500
_SECONDS = 30.0
_TOLD_EACH = 10.0

Item = TypeVar("Item", bytes, str)

logger = logging.getLogger(__name__)


class VectorCache:
    """What an embedder made of the texts of one namespace; the texts themselves are not in it."""

    def __init__(self, home: Home, namespace: str) -> None:
        self._path = home.vectors / f"{check_namespace(namespace)}.sqlite"

    @property
    def exists(self) -> bool:
        """Whether there are any."""
        return self._path.exists()

    def read(self, model: str, texts: Sequence[str]) -> dict[str, Vectors]:
        """Vectors of the texts that have one."""
        if not self.exists:
            return {}
        texts_by_hash = {_hash(text): text for text in texts}
        found: dict[str, Vectors] = {}
        with self._opened() as file:
            for some in _parts(list(texts_by_hash), _ASKED):
                places = ", ".join("?" * len(some))
                for key, vector in file.execute(
                    f"SELECT text_hash, vector FROM vectors WHERE model = ?"  # noqa: S608
                    f" AND text_hash IN ({places})",
                    (model, *some),
                ):
                    found[texts_by_hash[key]] = np.frombuffer(vector, dtype="<f4")
        return found

    def put(self, model: str, texts: Sequence[str], vectors: Vectors) -> None:
        """Keeps vectors, on disk when this returns."""
        rows = [
            (model, _hash(text), np.asarray(vector, dtype="<f4").tobytes())
            for text, vector in zip(texts, vectors, strict=True)
        ]
        with self._opened() as file:
            file.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)

    def keep_only(self, texts: Iterable[str]) -> int:
        """Removes the vectors of all other texts, and their bytes; how many that were."""
        with self._opened() as file:
            file.execute("CREATE TEMP TABLE kept (text_hash BLOB PRIMARY KEY) WITHOUT ROWID")
            file.executemany(
                "INSERT OR IGNORE INTO kept VALUES (?)", ((_hash(text),) for text in texts)
            )
            gone = file.execute(
                "DELETE FROM vectors WHERE text_hash NOT IN (SELECT text_hash FROM kept)"
            )
            return gone.rowcount

    @contextmanager
    def _opened(self) -> Generator[sqlite3.Connection]:
        self._path.parent.mkdir(mode=0o700, exist_ok=True)
        try:
            file = sqlite3.connect(self._path, timeout=_SECONDS)
            try:
                file.executescript(
                    "PRAGMA secure_delete = ON; CREATE TABLE IF NOT EXISTS vectors"
                    " (model TEXT, text_hash BLOB, vector BLOB NOT NULL,"
                    " PRIMARY KEY (model, text_hash)) WITHOUT ROWID"
                )
                with file:
                    yield file
            finally:
                file.close()
        except sqlite3.DatabaseError as error:
            raise EmbedderError(
                f"vectors in {self._path} cannot be used ({error}); without that file they are"
                " made again"
            ) from error


class CachedEmbedder:
    """An embedder whose vectors are kept: each text of a namespace is embedded once, ever."""

    def __init__(self, embedder: Embedder, cache: VectorCache) -> None:
        self.model = embedder.model
        self._embedder, self._cache = embedder, cache

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of texts, in their order; what is made is kept at once."""
        found = self._cache.read(self.model, texts)
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        told = time.monotonic()
        for number, some in enumerate(_parts(missing, AT_ONCE)):
            if time.monotonic() - told > _TOLD_EACH:
                told = time.monotonic()
                logger.info("%s: %d of %d texts", self.model, number * AT_ONCE, len(missing))
            made = self._embedder.embed(some)
            self._cache.put(self.model, some, made)
            found.update(zip(some, made, strict=True))
        return np.stack([found[text] for text in texts]) if texts else self._embedder.embed([])

    def embed_query(self, text: str) -> Vectors:
        """The vector of a query, which is not kept."""
        return self._embedder.embed_query(text)

    def calibrated(self, cosine: NDArray[np.float64]) -> NDArray[np.float64]:
        """Raw cosines on the common scale of thresholds."""
        return self._embedder.calibrated(cosine)


def _hash(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]


def _parts(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    return (items[at : at + size] for at in range(0, len(items), size))
