"""Words as BM25 weighs them: a sparse vector of a text, and one of what is asked."""

import qdrant_edge as edge

from cairn.knowledge.nlp.text import spaced

AVERAGE_LENGTH = 64.0
"""Tokens of a typical document; a constant, so that one text's weights depend on no other."""
CONTEXT_WEIGHT = 0.5
"""Of a word of the text before; a quarter to three quarters find as well (docs/search.md)."""


class Words:
    """Words by their English stems, stop words left out; letters and pairs where none are spaced.

    The engine multiplies them with how rare each is among the points.
    """

    def __init__(self) -> None:
        self._bm25 = edge.Bm25(edge.Bm25Config(avg_len=AVERAGE_LENGTH))

    def asked(self, text: str) -> edge.SparseVector:
        """The words of a query."""
        return self._bm25.embed_query(spaced(text))

    def told(self, text: str, context: str = "") -> edge.SparseVector:
        """The words of a text, and with less weight those of the text before it."""
        found = self._bm25.embed_document(spaced(text))
        if not context:
            return found
        weights = dict(zip(found.indices, found.values, strict=True))
        before = self._bm25.embed_document(spaced(context))
        for word, weight in zip(before.indices, before.values, strict=True):
            weights[word] = weights.get(word, 0.0) + CONTEXT_WEIGHT * weight
        return edge.SparseVector([*weights], [*weights.values()])
