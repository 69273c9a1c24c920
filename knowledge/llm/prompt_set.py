"""The prompts in force: those that ship, a person's versions in their place, and more beside."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cairn.knowledge.llm.prompt import Output, Prompt
from cairn.knowledge.llm.prompts import ENTITY_FACTS, KNOWN_FACTS, NAMES, PROMPTS

MAY_STAND_BESIDE = tuple(prompt.name for prompt in (NAMES, ENTITY_FACTS, KNOWN_FACTS))
"""Prompts beside which others may be asked: what each proposes is judged by itself."""


@dataclass(frozen=True)
class PromptSet:
    """Prompts by name: every one that ships, be it in another version, and those beside."""

    by_name: Mapping[str, Prompt[Any]] = field(default_factory=lambda: PROMPTS)

    def version(self, prompt: Prompt[Output]) -> Prompt[Output]:
        """The version in force of a prompt that ships."""
        return self.by_name[prompt.name]

    def asked(self, prompt: Prompt[Output]) -> tuple[Prompt[Output], ...]:
        """The version in force of a prompt that ships, then those that are asked beside it."""
        beside = (one for one in self.by_name.values() if one.beside == prompt.name)
        return (self.version(prompt), *beside)

    @property
    def own(self) -> tuple[str, ...]:
        """Names of those that are not as they ship."""
        return tuple(name for name, one in self.by_name.items() if one != PROMPTS.get(name))

    def with_versions(self, versions: Iterable[Prompt[Any]]) -> "PromptSet":
        """The same with some versions in place of those of their name, and new ones beside."""
        return PromptSet({**self.by_name, **{one.name: one for one in versions}})


SHIPPED = PromptSet()
"""The prompts that ship."""


class ModelInForce(NamedTuple):
    """The language model in force, and the prompts by which it is asked: both decide rows."""

    model: str
    prompts: PromptSet = SHIPPED
