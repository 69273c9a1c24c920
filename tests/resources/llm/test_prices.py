"""What a model costs: from litellm's map, and never by guess."""

import pytest

from cairn.resources.llm.prices import UNKNOWN, ModelPrice, Price, known
from cairn.resources.llm.provider import load


@pytest.mark.parametrize(
    "model",
    ["no-such-model", "openai/no-such-model", "anthropic/gpt-4o", "a/claude-haiku-4-5", "/gpt-4o"],
)
def test_what_the_map_does_not_have_is_unknown(model: str) -> None:
    assert known(model) == UNKNOWN
    assert known(model).cost(10, 10) is None


def test_a_name_may_have_its_provider_before_it() -> None:
    assert known("openai/gpt-4o-mini") == known("gpt-4o-mini") != UNKNOWN
    assert known("anthropic/claude-haiku-4-5") == known("claude-haiku-4-5") != UNKNOWN


def test_long_inputs_and_cached_ones_have_their_own_price() -> None:
    model = ModelPrice((Price(0, 1.0, 2.0, 0.5), Price(1000, 3.0, 4.0, 1.5)), None)
    assert model.cost(1000, 1) == 1002.0
    assert model.cost(1001, 1) == 3007.0
    assert model.cost(1000, 1, 400) == 600 + 200 + 2
    assert model.cost(None, 1) is None


def test_they_agree_with_litellms_own() -> None:
    litellm = load()
    for model in ("gpt-4o-mini", "claude-haiku-4-5", "gemini/gemini-2.5-flash", "ollama/llama3"):
        theirs = sum(litellm.cost_per_token(model=model, prompt_tokens=1000, completion_tokens=500))
        assert known(model).cost(1000, 500) == pytest.approx(theirs, abs=1e-12, rel=0), model
