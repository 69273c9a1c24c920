"""Words as BM25 weighs them: a sparse vector of a text, and one of what is asked."""

import re
from collections.abc import Iterable
from functools import lru_cache

import qdrant_edge as edge

from cairn.knowledge.nlp.text import STOP_WORDS, spaced

AVERAGE_LENGTH = 64.0
"""Tokens of a typical document; a constant, so that one text's weights depend on no other."""
KEPT = 4_096
"""Texts of which the words are kept for the next that they stand beside."""
NAME = re.compile(r"[^\W_]+")
NAME_WEIGHT = 4.0
"""Of the name of who said a text, which a query names: about as much as two rare words."""


class Words:
    """Words by their English stems, stop words left out; letters and pairs where none are spaced.

    The engine multiplies them with how rare each is among the points.
    """

    def __init__(self) -> None:
        self._bm25 = edge.Bm25(edge.Bm25Config(avg_len=AVERAGE_LENGTH))
        # What stands beside a text is mostly a text itself.
        self._weights = lru_cache(KEPT)(self._weights_of)

    def asked(self, text: str) -> edge.SparseVector:
        """The words of a query, and whose words it may ask for."""
        words = dict.fromkeys(self._bm25.embed_query(spaced(text)).indices, 1.0)
        for name in NAME.findall(text.casefold()):
            if name not in STOP_WORDS:
                words |= dict.fromkeys(self._said_by(name), 1.0)
        return edge.SparseVector([*words], [*words.values()])

    def telling(self, text: str) -> list[int]:
        """The words of a query that tell what it is about."""
        words = (word for word in NAME.findall(spaced(text.casefold())) if word not in STOP_WORDS)
        return list(dict.fromkeys(self._bm25.embed_query(" ".join(words)).indices))

    def told(
        self, text: str, beside: Iterable[tuple[str, float]] = (), names: Iterable[str] = ()
    ) -> dict[int, float]:
        """What weigh the words of a text, of those beside it by their weight, and who said it."""
        weights = dict(self._weights(text))
        for other, weight in beside:
            for word, value in self._weights(other).items():
                weights[word] = weights.get(word, 0.0) + weight * value
        for name in NAME.findall(" ".join(names).casefold()):
            weights |= dict.fromkeys(self._said_by(name), NAME_WEIGHT)
        return weights

    def _weights_of(self, text: str) -> dict[int, float]:
        found = self._bm25.embed_document(spaced(text))
        return dict(zip(found.indices, found.values, strict=True))

    def _said_by(self, name: str) -> list[int]:
        """What stands for a name as that of who said something, apart from the word itself."""
        return self._bm25.embed_query(f"saidby{name}").indices
