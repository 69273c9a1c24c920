"""What knowledge asks of a language model: questions in, validated answers out, each kept."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from pydantic import BaseModel

from cairn.knowledge.llm.prompt import Prompt
from cairn.knowledge.llm.prompt_set import PromptSet
from cairn.knowledge.schema.identity import digest

FAILURES = (
    "refused", "truncated", "no_json", "wrong_shape", "blank", "server", "too_long",
)  # fmt: skip
"""Why an answer is none: the model declined; its answer was cut off; it is no JSON (HTML, prose);
JSON of another shape; nothing at all; the provider failed each time; the input does not fit."""

PENDINGS = ("no_budget", "provider_down", "not_asked", "in_batch")
"""Why there is no answer yet: the next run asks."""

UNANSWERED = "unanswered"
"""Outcome of a call that brought nothing: it came to no end in time, or the provider refused it."""


class Ask(NamedTuple):
    """One question: a prompt and its data, for one namespace, and the records that it shows."""

    prompt: Prompt[Any]
    namespace: str
    given: str
    record_ids: tuple[str, ...]
    asset: str
    """The table that wants it, for the ledger."""
    divides: bool = False
    """Whether it is asked in parts where it fails: then its failure stands, and is not tried anew,
    so that what is made again is made of the same parts."""
    known_as: str | None = None
    """What its answer is kept by in place of what is shown, where it stays though more is known."""

    def key(self, model: str) -> str:
        """Key of its answer."""
        return self.key_by(self.prompt.fingerprint(model))

    def key_by(self, fingerprint: str) -> str:
        """Key of its answer by a version of the prompt."""
        return digest(self.namespace, fingerprint, self.known_as or self.given, length=32)


class Answer(NamedTuple):
    """What became of a question.

    `value` is an instance of the prompt's output if the outcome is done, else None. A failed answer
    has one of FAILURES as its reason, a pending one of PENDINGS.
    """

    outcome: str
    """done, failed or pending."""
    value: BaseModel | None = None
    reason: str | None = None
    key: str | None = None
    """Of a failed one, the key under which it is kept with what was said."""
    earlier: str | None = None
    """The version of the prompt that gave it, where that is not the one in force."""


class Bundle(NamedTuple):
    """How small questions of one kind share a call, each with an answer of its own."""

    most: int
    """Questions in a call."""
    together: Callable[[Sequence[Ask]], Ask]
    """One question in the place of several."""
    apart: Callable[[BaseModel, int], Sequence[BaseModel | None]]
    """Its answer as that many answers, in the order of the questions; None where there is none."""


class LanguageModel(Protocol):
    """Answers questions; the same question is paid once, whatever became of it."""

    @property
    def model(self) -> str:
        """The model in force, as part of every fingerprint."""
        ...

    @property
    def prompts(self) -> PromptSet:
        """The prompts in force."""
        ...

    def answers(self, asks: Sequence[Ask]) -> list[Answer]:
        """Answers in the order of the questions; equal questions are asked once."""
        ...

    def answers_together(self, asks: Sequence[Ask], bundle: Bundle) -> list[Answer]:
        """Answers in the order of the questions, of one namespace; one call takes several.

        Each is kept by itself, so it does not matter with which others it was asked. What is dear
        comes first: of those without an answer as many are asked as share one call, and the others
        are pending.
        """
        ...
