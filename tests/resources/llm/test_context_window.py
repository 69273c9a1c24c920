"""Models that hold little: answers get what is left, and what cannot be held is refused."""

from dataclasses import replace
from typing import Any

import pytest

from cairn.knowledge.llm.client import Answer
from cairn.knowledge.llm.prompts import PROMPTS
from cairn.knowledge.nlp.text import estimated_tokens
from cairn.knowledge.schema.policy import Policy
from cairn.resources.home.settings import Settings
from cairn.resources.llm.answer_cache import Answers
from cairn.resources.llm.context_window import answer_room, context_window
from tests.resources.llm.conftest import Make
from tests.resources.llm.questions import DONE, GOOD, PROMPT, ask, reasons
from tests.resources.model_server import ModelServer

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost", "::1"])

SHOWN = estimated_tokens(PROMPT.system)


@pytest.mark.parametrize("name", PROMPTS)
def test_each_prompt_with_a_whole_chunk_fits_into_4096_tokens(name: str) -> None:
    prompt = PROMPTS[name]
    shown = estimated_tokens(prompt.system) + Policy.model_validate({}).chunk_tokens
    assert answer_room(4096, shown, prompt.max_tokens)


def test_an_answer_gets_what_the_question_leaves(make: Make, server: ModelServer) -> None:
    long = replace(PROMPT, max_tokens=2000)
    question = ask()._replace(prompt=long)
    assert make(model_context=1200).answers([question]) == [DONE]
    left = server.asked[0]["max_tokens"]
    assert 500 <= left < 1200 - SHOWN
    # The limit that was sent is the one by which a full answer is known as cut off.
    server.script = lambda _: {"content": '{"names": ["ki', "tokens": (9, left, 0)}
    assert reasons(
        make(model_context=1200).answers([question._replace(given="the kiwi is brown")])
    ) == ["truncated"]


def test_a_model_that_cannot_hold_a_prompt_is_refused_in_words(
    make: Make, server: ModelServer, kept: Answers, caplog: pytest.LogCaptureFixture
) -> None:
    questions = [ask(), ask("else")]
    model = make(model_context=SHOWN + 60)
    assert model.answers(questions) == [Answer("pending", None, "provider_down")] * 2
    assert model.waits
    assert server.requests == 0
    assert kept.failed() == []
    words = f"holds {SHOWN + 60:,} tokens, which is too few for the prompt find_names"
    assert caplog.text.count(words) == 1
    assert make(model_context=4096).answers(questions) == [DONE] * 2


@pytest.mark.parametrize(
    ("said", "context"),
    [
        ({"data": [{"id": "scripted", "max_model_len": 4096}]}, 4096),
        ({"data": [{"id": "a.gguf", "meta": {"n_ctx": 2048, "n_ctx_train": 32768}}]}, 2048),
        ({"data": [{"id": "other", "max_model_len": 1}, {"id": "more"}]}, None),
        ({"data": "none"}, None),
        ({}, None),
    ],
)
def test_a_server_says_what_it_holds(
    said: dict[str, Any], context: int | None, server: ModelServer
) -> None:
    server.tells = {"/v1/models": said}
    settings = Settings(model="openai/scripted", model_base=server.base)
    assert context_window("openai/scripted", settings) == context
    assert context_window("openai/scripted", settings.model_copy(update={"model_context": 9})) == 9


def test_ollama_is_asked_for_the_room_that_is_needed(make: Make, server: ModelServer) -> None:
    settings = {"model": "ollama/own", "model_base": server.root}
    server.script = lambda _: GOOD
    assert make(**settings).answers([ask()]) == [DONE]
    assert server.asked[-1]["options"]["num_ctx"] == 8192
    server.tells = {"/api/show": {"model_info": {"gemma3.context_length": 4096}}}
    make(**settings).answers([ask("two")])
    assert server.asked[-1]["options"]["num_ctx"] == 4096
    make(**settings, model_context=16_384).answers([ask("three")])
    assert server.asked[-1]["options"]["num_ctx"] == 16_384
    server.tells = {"/api/show": {"model_info": {"llama.context_length": SHOWN}}}
    assert reasons(make(**settings).answers([ask("four")])) == ["provider_down"]
