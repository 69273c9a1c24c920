"""A language model that asks nothing: what is kept it answers, and the rest it adds up."""

from collections.abc import Sequence
from itertools import chain

from knowledge.asking import Answer, Ask
from knowledge.text import estimated_tokens
from resources.answers import Answers, Kept
from resources.language_model import replayed
from resources.prices import known

ANSWER_SHARE = 4
"""An answer is taken to be a quarter as long as it may be."""


class Unasked:
    """Answers that are kept, and what it would take to have the others.

    `calls` are the questions that would be asked, each once; tokens are estimated from their texts.
    Where another version of a prompt, or another model, has answered the same, that answer stands
    in for the one not yet there, so that what it leads to asking is counted; what else only an
    answer would lead to cannot be known.
    """

    def __init__(self, model: str, answers: Answers) -> None:
        self.model = model
        self._answers = answers
        self._versions = answers.versions()
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
        """The answers that are kept, or what stands in for them; the others are pending."""
        keys = [ask.key(self.model) for ask in asks]
        others = [
            [ask.key_by(version) for version in self._versions.get(ask.prompt.name, ())]
            for ask in asks
        ]
        kept = self._answers.read(dict.fromkeys([*keys, *chain(*others)])) if keys else {}
        return [
            replayed(ask, kept[key])
            if key in kept
            else self._counts(key, ask, [kept[k] for k in before if k in kept])
            for key, ask, before in zip(keys, asks, others, strict=True)
        ]

    def _counts(self, key: str, ask: Ask, before: Sequence[Kept]) -> Answer:
        """Counts a question, and answers as other versions did, the newest of them first."""
        done = (replayed(ask, row) for row in before if row.outcome == "done")
        stand_in = next((answer for answer in done if answer.outcome == "done"), None)
        if key not in self._counted:
            self._counted.add(key)
            self.tokens_in += estimated_tokens(ask.prompt.system) + estimated_tokens(ask.given)
            self.tokens_out += ask.prompt.max_tokens // ANSWER_SHARE
        return stand_in or Answer("pending", reason="not_asked")
