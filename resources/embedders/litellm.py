"""Embeddings of a provider, through litellm: batched, entered in the ledger, within the budget."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, partial

import numpy as np

from cairn.knowledge.llm.client import UNANSWERED
from cairn.knowledge.nlp.text import estimated_tokens
from cairn.knowledge.vectors.model import Vectors, unit_rows
from cairn.resources.embedders.calibrations import Calibrated
from cairn.resources.embedders.files import EmbedderError
from cairn.resources.home.settings import Settings
from cairn.resources.llm import provider
from cairn.resources.llm.answer_cache import Answers, Call
from cairn.resources.llm.budget import Budget, OverBudget
from cairn.resources.llm.prices import known
from cairn.resources.llm.retry_sensor import FIRST_DELAY, LONGEST_DELAY
from cairn.resources.telemetry.spans import carried

AT_ONCE = 64
"""Texts of a call."""
LONGEST = 8_000
"""Characters of a text that are embedded: some 2,000 tokens, which most models read."""
ASSET = "embeddings"


@dataclass(frozen=True)
class Payment:
    """Who pays for a namespace's calls: its settings, the ledger, and what may be spent."""

    settings: Settings
    answers: Answers
    namespace: str
    budget: Callable[[], Budget]
    """That of the run under way."""


class LitellmEmbedder(Calibrated):
    """A provider's model, by litellm's name for it; keys come from the environment."""

    def __init__(self, name: str, pays: Payment) -> None:
        self._name, self._pays = name, pays
        self.model = f"litellm-{name.replace('/', '-')}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (texts, dimension), float32; of blank text zeros.

        Raises:
            EmbedderError: the provider does not answer, or the budget is spent.
        """
        asked = [row for row, text in enumerate(texts) if text.strip()]
        parts = [asked[at : at + AT_ONCE] for at in range(0, len(asked), AT_ONCE)]
        paid = carried(partial(self._paid, self._pays.budget()))
        with ThreadPoolExecutor(self._pays.settings.model_concurrency, "embedder") as pool:
            made = list(pool.map(paid, [[texts[row] for row in rows] for rows in parts]))
        if not made:
            return np.zeros((len(texts), self._dimension if texts else 0), dtype=np.float32)
        vectors = np.zeros((len(texts), made[0].shape[1]), dtype=np.float32)
        for rows, some in zip(parts, made, strict=True):
            vectors[rows] = some
        return vectors

    def embed_query(self, text: str) -> Vectors:
        """The vector of a query; of blank text zeros.

        Raises:
            EmbedderError: the provider does not answer, or the budget is spent.
        """
        return self.embed([text])[0]

    @cached_property
    def _dimension(self) -> int:
        return self._paid(self._pays.budget(), ["dimension"]).shape[1]

    def _paid(self, budget: Budget, texts: Sequence[str]) -> Vectors:
        """One call, with its retries: held within the budget, and entered in the ledger."""
        settings, price = self._pays.settings, known(self._name)
        cut = [text[:LONGEST] for text in texts]
        most = price.cost(sum(map(estimated_tokens, cut)), 0)
        try:
            budget.hold(self._pays.namespace, most)
        except OverBudget as spent:
            raise EmbedderError(
                f"the budget is spent ({spent}): {self._name} embeds no more;"
                " what it embedded is kept"
            ) from None
        answer = provider.Trouble("provider_down", "")
        try:
            for number in range(settings.model_max_retries + 1):
                if number:
                    time.sleep(min(answer.delay or FIRST_DELAY * 2**number, LONGEST_DELAY))
                answer = provider.embed(
                    self._name, cut, base=settings.embedder_base, timeout=settings.model_timeout
                )
                self._enter(answer, budget)
                if not isinstance(answer, provider.Trouble):
                    return unit_rows(answer.vectors)
                if not answer.again:
                    break
        finally:
            budget.settle(self._pays.namespace, most)
        unset = ", ".join(provider.missing(self._name))
        hint = f"; not set in the environment: {unset}" if unset else ""
        raise EmbedderError(
            f"{self._name} does not embed: {answer.name}{hint}; what it embedded is kept"
        )

    def _enter(self, answer: "provider.Embedded | provider.Trouble", budget: Budget) -> None:
        failed = isinstance(answer, provider.Trouble)
        tokens = None if failed else answer.tokens
        cost = None if failed else known(self._name).cost(tokens, 0)
        if not failed:
            budget.count(cost, tokens, 0)
        self._pays.answers.pay(
            Call(
                self._pays.namespace, ASSET, "embedding", self.model, self._name,
                UNANSWERED if failed else "done", answer.name if failed else None,
                tokens, None if tokens is None else 0, None if tokens is None else 0, cost,
                0.0 if failed else answer.seconds, datetime.now(UTC).isoformat(),
            )
        )  # fmt: skip
