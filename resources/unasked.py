"""A language model that asks nothing: what is kept it answers, and the rest it adds up."""

from collections.abc import Sequence

from knowledge.asking import Answer, Ask
from knowledge.text import estimated_tokens
from resources.answers import Answers
from resources.language_model import replayed
from resources.prices import known

ANSWER_SHARE = 4
"""An answer is taken to be a quarter as long as it may be."""


class Unasked:
    """Answers that are kept, and what it would take to have the others.

    `calls` are the questions that would be asked, each once; tokens are estimated from their texts.
    What only an answer not yet there would lead to asking is not counted: it cannot be known.
    """

    def __init__(self, model: str, answers: Answers) -> None:
        self.model = model
        self._answers = answers
        self._counted: set[str] = set()
        self.tokens_in = 0
        self.tokens_out = 0

    @property
    def calls(self) -> int:
        """Questions without an answer."""
        return len(self._counted)

    @property
    def dollars(self) -> float | None:
        """What the calls would cost; None if the price is not known."""
        return known(self.model).cost(self.tokens_in, self.tokens_out)

    def answers(self, asks: Sequence[Ask]) -> list[Answer]:
        """The answers that are kept; the others are pending."""
        keys = [ask.key(self.model) for ask in asks]
        kept = self._answers.read(dict.fromkeys(keys)) if keys else {}
        return [
            replayed(ask, kept[key]) if key in kept else self._counts(key, ask)
            for key, ask in zip(keys, asks, strict=True)
        ]

    def _counts(self, key: str, ask: Ask) -> Answer:
        if key not in self._counted:
            self._counted.add(key)
            self.tokens_in += estimated_tokens(ask.prompt.system) + estimated_tokens(ask.given)
            self.tokens_out += ask.prompt.max_tokens // ANSWER_SHARE
        return Answer("pending", reason="not_asked")
