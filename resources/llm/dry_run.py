"""A language model that asks nothing: what is kept it answers, and the rest it adds up."""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import NamedTuple

from cairn.knowledge.llm.client import Answer, Ask, Bundle, LanguageModel
from cairn.knowledge.llm.prompt_set import SHIPPED, PromptSet
from cairn.knowledge.nlp.text import estimated_tokens
from cairn.resources.llm.answer_cache import Answers, CachedAnswer, replayed
from cairn.resources.llm.inflight import final
from cairn.resources.llm.prices import known

ANSWER_SHARE = 4
"""An answer is taken to be a quarter as long as it may be."""


class _Own(NamedTuple):
    answer: Answer
    kept: bool
    """Whether it is that of the version in force."""


class DryRunModel:
    """Answers that are kept, and what it would take to have the others.

    `calls` are the questions that would be asked, each once, `about` the records that they show;
    tokens are estimated from their texts.
    Where another version of a prompt, or another model, has answered the same, that answer stands
    in for the one not yet there, so that what it leads to asking is counted; what else only an
    answer would lead to cannot be known.
    """

    def __init__(self, model: str, answers: Answers, prompts: PromptSet = SHIPPED) -> None:
        self.model = model
        self.prompts = prompts
        self._answers = answers
        self._versions = answers.versions()
        self._counted: set[str] = set()
        self.about: set[str] = set()
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

    def earlier(self, asks: Sequence[Ask]) -> list[Answer | None]:
        """What other versions answered to each question that the one in force was not asked."""
        return [
            own.answer if not own.kept and own.answer.outcome == "done" else None
            for own in self._kept(asks)
        ]

    def _kept(
        self,
        asks: Sequence[Ask],
        stands: Callable[[CachedAnswer], bool] = lambda kept: kept.outcome != "pending",
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
            self.about.update(ask.record_ids)
            self.tokens_in += estimated_tokens(ask.prompt.system) + estimated_tokens(ask.given)
            self.tokens_out += ask.prompt.max_tokens // ANSWER_SHARE


class EarlierAnswersModel:
    """A language model that is asked only what no earlier prompt, or other model, has answered.

    `stood_in` are the records that earlier answers, which stand in for its own, are about.
    """

    def __init__(self, model: LanguageModel, answers: Answers) -> None:
        self.model, self.prompts = model.model, model.prompts
        self._model = model
        self._kept = DryRunModel(model.model, answers)
        self.stood_in: set[str] = set()

    def answers(self, asks: Sequence[Ask]) -> list[Answer]:
        """As of the model, in the order of the questions."""
        earlier = self._kept.earlier(asks)
        new = [ask for ask, answer in zip(asks, earlier, strict=True) if answer is None]
        for ask, answer in zip(asks, earlier, strict=True):
            self.stood_in.update(ask.record_ids if answer else ())
        asked = iter(self._model.answers(new))
        return [answer or next(asked) for answer in earlier]

    def answers_together(self, asks: Sequence[Ask], bundle: Bundle) -> list[Answer]:
        """As of the model: questions that share the one call of a night cost little."""
        return self._model.answers_together(asks, bundle)


def stood_in(model: LanguageModel | None) -> frozenset[str]:
    """Records that earlier answers are about which stood in for a model's own."""
    return frozenset(model.stood_in) if isinstance(model, EarlierAnswersModel) else frozenset()


def _stand_in(ask: Ask, before: Sequence[CachedAnswer]) -> Answer:
    done = (
        replayed(ask, row)._replace(earlier=row.fingerprint)
        for row in before
        if row.outcome == "done"
    )
    found = next((answer for answer in done if answer.outcome == "done"), None)
    return found or Answer("pending", reason="not_asked")
