"""Prompts: examples that hold, canaries, versions."""

import typing
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from cairn.knowledge.extraction.validation import has_canary
from cairn.knowledge.llm.prompt import Prompt
from cairn.knowledge.llm.prompts import CANARIES, PROMPTS
from cairn.knowledge.llm.prompts.commands import CommandLine, OperationType
from cairn.knowledge.llm.prompts.names import Names
from cairn.knowledge.nlp.shell.programs import PROGRAMS, PYTHON_MODULES
from cairn.knowledge.nlp.spans import place, place_of_name
from cairn.knowledge.nlp.text import estimated_tokens

prompt = pytest.mark.parametrize("prompt", PROMPTS.values(), ids=PROMPTS.keys())


def quotes(answer: Any) -> Iterator[str]:
    """What an answer, dumped, says stands in its data: every `quote` in it."""
    if isinstance(answer, list):
        yield from (quote for part in answer for quote in quotes(part))
    elif isinstance(answer, dict):
        for key, part in answer.items():
            if key == "quote":
                yield part
            else:
                yield from quotes(part)


@prompt
def test_examples_are_right_and_their_names_are_canaries(prompt: Prompt[BaseModel]) -> None:
    assert prompt.examples
    for example in prompt.examples:
        answer = example.answer
        found = list(quotes(answer.model_dump()))
        if isinstance(answer, CommandLine):
            found = [*answer.hosts, *answer.files, *(one.words for one in answer.operations)]
        assert all(place(quote, example.data) for quote in found)
        assert example.canaries
        shown = f"{example.data}\n{answer.model_dump_json()}"
        assert all(place_of_name(name, shown) for name in example.canaries)
        assert has_canary(shown)
        for name in answer.names if isinstance(answer, Names) else ():
            assert place_of_name(name.name, name.quote)
            assert name.name in example.canaries or name.name.islower()


@prompt
def test_a_prompt_says_its_parts_and_its_version_depends_on_them(prompt: Prompt[BaseModel]) -> None:
    for part in ("# Context", "# Requirements", "# Quality criteria", "# Output schema"):
        assert part in prompt.system
    assert estimated_tokens(prompt.system) < 2_000
    assert prompt.fingerprint("a") != prompt.fingerprint("b")
    assert prompt.output() is not None  # nothing found is an answer


def test_canaries_are_names_that_nobody_has() -> None:
    assert all(len(name) > 6 for name in CANARIES)
    assert has_canary("quorvane's archive")
    assert not has_canary("a caravan", "Quorvanesque")


def test_a_model_tells_the_operations_apart_that_rules_do() -> None:
    by_operand = [kind for one in PROGRAMS.values() for kind in (one.by_operand or {}).values()]
    always = [one.always for one in PROGRAMS.values() if one.always]
    assert set(typing.get_args(OperationType)) == {
        *PYTHON_MODULES.values(), *by_operand, *always,
    }  # fmt: skip
