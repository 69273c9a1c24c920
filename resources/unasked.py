"""A language model that asks nothing: what is kept it answers, and the rest it adds up."""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import NamedTuple

from knowledge.asking import Answer, Ask, Bundle
from knowledge.text import estimated_tokens
from resources.answers import Answers, Kept, replayed
from resources.prices import known
from resources.shared_calls import final

ANSWER_SHARE = 4
"""An answer is taken to be a quarter as long as it may be."""


class _Own(NamedTuple):
    answer: Answer
    kept: bool
    """Whether it is that of the version in force."""


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
        found = self._kept(asks)
        for ask, own in zip(asks, found, strict=True):
            if not own.kept:
                self._count(ask)
        return [own.answer for own in found]

    def answers_together(self, asks: Sequence[Ask], bundle: Bundle) -> list[Answer]:
        """The same of questions that share calls, over all the nights that it takes."""
        found = self._kept(asks, final)
        owed = {
            ask.key(self.model): ask for ask, own in zip(asks, found, strict=True) if not own.kept
        }
        waiting = list(owed.values())
        for start in range(0, len(waiting), bundle.most):
            self._count(bundle.together(waiting[start : start + bundle.most]))
        return [own.answer for own in found]

    def _kept(
        self, asks: Sequence[Ask], stands: Callable[[Kept], bool] = lambda _: True
    ) -> list[_Own]:
        """What is kept of each question; else what other versions answered, the newest first."""
        keys = [ask.key(self.model) for ask in asks]
        others = [
            [ask.key_by(version) for version in self._versions.get(ask.prompt.name, ())]
            for ask in asks
        ]
        kept = self._answers.read(dict.fromkeys([*keys, *chain(*others)])) if keys else {}
        return [
            _Own(replayed(ask, kept[key]), kept=True)
            if key in kept and stands(kept[key])
            else _Own(_stand_in(ask, [kept[k] for k in before if k in kept]), kept=False)
            for key, ask, before in zip(keys, asks, others, strict=True)
        ]

    def _count(self, ask: Ask) -> None:
        key = ask.key(self.model)
        if key not in self._counted:
            self._counted.add(key)
            self.tokens_in += estimated_tokens(ask.prompt.system) + estimated_tokens(ask.given)
            self.tokens_out += ask.prompt.max_tokens // ANSWER_SHARE


def _stand_in(ask: Ask, before: Sequence[Kept]) -> Answer:
    done = (replayed(ask, row) for row in before if row.outcome == "done")
    found = next((answer for answer in done if answer.outcome == "done"), None)
    return found or Answer("pending", reason="not_asked")
