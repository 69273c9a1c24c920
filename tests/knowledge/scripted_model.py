"""A language model that says what a test wrote down, and fails the test on any other question."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cairn.knowledge.llm.client import Answer, Ask, Bundle
from cairn.knowledge.llm.prompt_set import SHIPPED


def shared(asks: Sequence[Ask], bundle: Bundle, answer: Callable[[Ask], Answer]) -> list[Answer]:
    """Answers to questions of which one call takes as many as may share it; the rest waits."""
    if not asks:
        return []
    batch = asks[: bundle.most]
    said = answer(bundle.together(batch))
    parts = bundle.apart(said.value, len(batch)) if said.value else [None] * len(batch)
    waits = Answer("pending", reason="not_asked")
    found = [Answer("done", part) if part else waits for part in parts]
    return found + [waits] * (len(asks) - len(batch))


class ScriptedModel:
    """Answers from a list of lines, each of them with:

    prompt: name of the prompt; records: the records that the question shows, in order; shows: parts
    of the question, all of which stand in it (optional); hides: parts that do not (optional); and
    `answer` (validated as the prompt's output), `failed` or `pending` (a reason).
    """

    model = "scripted"
    prompts = SHIPPED

    def __init__(self, script: Sequence[Mapping[str, Any]]) -> None:
        self._script = list(script)
        self._used: set[int] = set()
        self.asked: list[Ask] = []

    def answers(self, asks: Sequence[Ask]) -> list[Answer]:
        return [self._answer(ask) for ask in asks]

    def answers_together(self, asks: Sequence[Ask], bundle: Bundle) -> list[Answer]:
        return shared(asks, bundle, self._answer)

    def _answer(self, ask: Ask) -> Answer:
        self.asked.append(ask)
        fits = [number for number, line in enumerate(self._script) if _fits(line, ask)]
        if len(fits) != 1:
            said = "no line" if not fits else f"{len(fits)} lines"
            raise AssertionError(
                f"{said} for {ask.prompt.name} of {list(ask.record_ids)}:\n{ask.given}"
            )
        self._used.update(fits)
        line = self._script[fits[0]]
        if "answer" in line:
            return Answer("done", ask.prompt.output.model_validate(line["answer"]))
        outcome = "failed" if "failed" in line else "pending"
        return Answer(outcome, reason=line[outcome])

    def assert_all_asked(self) -> None:
        """No line of the script was written for nothing."""
        unused = [line for number, line in enumerate(self._script) if number not in self._used]
        assert not unused, unused


class FreeModel:
    """Answers by a function, from a question to an Answer or to what its prompt's output is of."""

    model = "free"
    prompts = SHIPPED

    def __init__(self, answer: Callable[[Ask], Answer | Mapping[str, Any]] = lambda _: {}) -> None:
        self._answer = answer
        self.asked: list[Ask] = []

    def answers(self, asks: Sequence[Ask]) -> list[Answer]:
        self.asked += asks
        return [self._said(ask) for ask in asks]

    def answers_together(self, asks: Sequence[Ask], bundle: Bundle) -> list[Answer]:
        return shared(asks, bundle, lambda ask: self.answers([ask])[0])

    def _said(self, ask: Ask) -> Answer:
        said = self._answer(ask)
        if isinstance(said, Answer):
            return said
        return Answer("done", ask.prompt.output.model_validate(said))

    @property
    def keys(self) -> set[str]:
        """Keys of the questions, each of which is paid once."""
        return {ask.key(self.model) for ask in self.asked}


def _fits(line: Mapping[str, Any], ask: Ask) -> bool:
    return (
        line["prompt"] == ask.prompt.name
        and tuple(line["records"]) == ask.record_ids
        and all(part in ask.given for part in line.get("shows", ()))
        and not any(part in ask.given for part in line.get("hides", ()))
    )
