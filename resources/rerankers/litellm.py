"""A language model as reranker: one call for each search, in the ledger and within the budget."""

import time
from collections.abc import Sequence
from functools import lru_cache

from cairn.knowledge.llm.client import Ask
from cairn.knowledge.llm.prompts.rerank import RERANK, TextScores, score_of_each, shown
from cairn.knowledge.redaction import redactor
from cairn.resources.home.settings import Settings
from cairn.resources.llm.answer_cache import Answers, AnswersError
from cairn.resources.llm.language_model import LitellmModel
from cairn.resources.llm.provider import Trouble
from cairn.resources.llm.retry_sensor import base_of
from cairn.resources.rerankers.protocol import RerankerError

SECONDS = 10.0
"""How long it may take, unless `reranker_seconds` says otherwise."""
REST = 60.0
"""Seconds in which a provider that failed is not asked: else each search would wait for it."""
REMEMBERED = 256
"""Searches whose scores are kept, in memory alone: what people ask is not written down."""
ASSET = "search"


class LitellmReranker:
    """A language model, by litellm's name for it; keys come from the environment."""

    def __init__(self, name: str, settings: Settings, answers: Answers, namespace: str) -> None:
        given = settings.reranker_seconds
        self.seconds = SECONDS if given is None else given
        self._name, self._namespace = name, namespace
        self._redactor = redactor(settings.policy.redact_personal)
        self._model = LitellmModel(
            settings.model_copy(
                update={
                    "model": name,
                    "model_fallbacks": (),
                    "model_base": settings.reranker_base or base_of(name, settings),
                    "model_context": settings.model_context if name == settings.model else None,
                    "model_timeout": self.seconds,
                    "model_max_retries": 0,
                }
            ),
            answers,
        )
        self._prompt = settings.prompts.version(RERANK)
        self._rests_until = 0.0
        self._once = lru_cache(REMEMBERED)(self._asked)

    def scores(self, question: str, texts: Sequence[str], seconds: float) -> list[float]:
        """As of `Reranker`; a call for which there is too little time is not begun.

        As many of the texts are shown as the model holds.
        """
        if seconds < self.seconds:
            raise RerankerError(f"{self._name} is asked only where it has {self.seconds:g} s")
        question = self._redactor.redact_text(question)[0]
        count = len(texts)
        while count:
            found = self._once(shown(question, texts[:count]), count)
            if found is not None:
                return [*found, *[0.0] * (len(texts) - count)]
            count //= 2
        raise RerankerError(f"{self._name} holds too little for one text and the prompt")

    def _asked(self, given: str, count: int) -> list[float] | None:
        """Scores of some texts; None if the model does not hold so many."""
        if time.monotonic() < self._rests_until:
            raise RerankerError(f"{self._name} failed, and is not asked for {REST:g} s")
        ask = Ask(self._prompt, self._namespace, given, (), ASSET)
        try:
            turn = self._model.once(self._name, ask)
        except (ImportError, AnswersError) as error:
            raise RerankerError(f"{self._name} is not asked: {error}") from error
        if not isinstance(turn, Trouble):
            if not isinstance(turn.reading.value, TextScores):
                raise RerankerError(f"{self._name} gave no scores ({turn.reading.reason})")
            return score_of_each(turn.reading.value, count)
        if turn.reason == "too_long":
            return None
        if turn.reason == "no_budget":
            raise RerankerError(f"the budget is spent: {self._name} is not asked")
        self._rests_until = time.monotonic() + REST
        late = f"took longer than {self.seconds:g} s"
        raise RerankerError(f"{self._name} {late if turn.timed_out else f'failed: {turn.name}'}")
