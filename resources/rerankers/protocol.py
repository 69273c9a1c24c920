"""What a reranker does: it reads a question and a text together, and says how well they fit."""

from collections.abc import Sequence
from typing import Protocol

NONE = "none"
"""The setting without a reranker."""


class RerankerError(Exception):
    """A reranker cannot be used, or not in time; the message says why."""


class Reranker(Protocol):
    """Scores texts by whether they answer a question."""

    seconds: float
    """How long it may take, unless there is less time."""

    def scores(self, question: str, texts: Sequence[str], seconds: float) -> list[float]:
        """How well each text answers a question, 0 to 1, in the order of the texts.

        Args:
            question: What is asked.
            texts: The best first: where they do not all fit, those at the end get 0.
            seconds: How long it may take; what is under way then is not waited for.

        Raises:
            RerankerError: it cannot be used, or there was too little time.
        """
        ...
