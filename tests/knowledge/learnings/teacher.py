"""A language model for learnings: answers by prompt, pays for equal questions once."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from cairn.knowledge.llm.client import Answer, Ask, Bundle
from cairn.knowledge.llm.prompt_set import SHIPPED
from tests.knowledge.scripted_model import shared

Says = dict[str, Any] | Answer | Callable[[Ask], dict[str, Any] | Answer]


class Teacher:
    """Answers of each prompt; the empty answer where nothing is written down."""

    model = "scripted"
    prompts = SHIPPED

    def __init__(self, says: dict[str, Says]) -> None:
        self.says = says
        self.kept: dict[str, Answer] = {}
        self.paid: list[Ask] = []

    def answers(self, asks: Sequence[Ask]) -> list[Answer]:
        return [self._answer(ask) for ask in asks]

    def answers_together(self, asks: Sequence[Ask], bundle: Bundle) -> list[Answer]:
        return shared(asks, bundle, self._answer)

    def _answer(self, ask: Ask) -> Answer:
        key = ask.key(self.model)
        if key not in self.kept:
            self.paid.append(ask)
            said = self.says.get(ask.prompt.name, {})
            said = said(ask) if callable(said) else said
            if isinstance(said, dict):
                said = Answer("done", ask.prompt.output.model_validate(said))
            if said.outcome == "pending":
                return said
            self.kept[key] = said
        return self.kept[key]

    def paid_prompts(self) -> list[str]:
        """Names of the prompts that were paid for, in order."""
        return [ask.prompt.name for ask in self.paid]


def number(given: str, words: str) -> int:
    """The number of the message that has some words; the last before them."""
    before = given[: given.index(words)]
    return int(re.findall(r"(?m)^\[(\d+)\] ", before)[-1])
