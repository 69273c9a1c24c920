"""A provider's embeddings: batched, paid once, held by the budget; failures are told in words."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cairn.knowledge.llm.client import Ask
from cairn.knowledge.llm.prompts import NAMES
from cairn.knowledge.nlp.text import estimated_tokens
from cairn.resources.context import State, open_state
from cairn.resources.embedders.files import EmbedderError
from cairn.resources.embedders.litellm import AT_ONCE
from cairn.resources.llm.prices import known

MODEL = "openai/text-embedding-3-small"


@pytest.fixture
def provider(httpserver: HTTPServer) -> HTTPServer:
    """Gives vectors of two lengths of each text, the last first."""

    def answer(request: Request) -> Response:
        asked = json.loads(request.get_data())["input"]
        data = [
            {"object": "embedding", "index": at, "embedding": [len(text), text.count("a")]}
            for at, text in enumerate(asked)
        ]
        usage = {"prompt_tokens": 10 * len(asked), "total_tokens": 10 * len(asked)}
        told = {"object": "list", "data": data[::-1], "model": "m", "usage": usage}
        return Response(json.dumps(told), content_type="application/json")

    httpserver.expect_request("/embeddings", method="POST").respond_with_handler(answer)
    return httpserver


@pytest.fixture
def state(provider: HTTPServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[State]:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("CAIRN_EMBEDDER_BASE", provider.url_for(""))
    monkeypatch.setenv("CAIRN_POLICY__EMBEDDER", f"litellm:{MODEL}")
    monkeypatch.setenv("CAIRN_MODEL_MAX_RETRIES", "0")
    opened = open_state(tmp_path / "home")
    yield opened.of("n")
    opened.close_answers()


def test_texts_are_embedded_in_batches_and_paid_once(state: State, provider: HTTPServer) -> None:
    texts = ["a" * number for number in range(1, AT_ONCE + 3)]
    first = state.cached_embedder(state.policy.embedder).embed([*texts, " "])
    assert first[0] == pytest.approx([2**-0.5, 2**-0.5])
    assert not first[-1].any()
    again = state.cached_embedder(state.policy.embedder).embed([*texts])
    assert np.array_equal(first[:-1], again)
    ledger = state.answers.ledger()
    assert len(provider.log) == ledger.height == 2
    assert set(ledger["asset"]) == {"embeddings"}
    assert ledger["cost"].sum() == pytest.approx(10 * len(texts) * 2e-8)
    assert set(ledger["namespace"]) == {"n"}


def test_a_spent_budget_and_a_failure_are_told_and_keep_what_is_there(
    state: State, httpserver: HTTPServer
) -> None:
    dear = state.settings.model_copy(update={"budget_run": 1e-9})
    with pytest.raises(EmbedderError, match="budget is spent"):
        State(state.home, dear, "n").embedder.embed(["some text " * 500])
    httpserver.clear_all_handlers()
    httpserver.expect_request("/embeddings").respond_with_data("no", status=500)
    with pytest.raises(EmbedderError, match=f"{MODEL} does not embed: .*500"):
        state.embedder.embed(["text"])
    assert state.answers.ledger()["outcome"].to_list() == ["unanswered"]


def test_a_run_has_one_budget_for_embedder_and_language_model(state: State) -> None:
    ask = Ask(NAMES, "n", "[1] human\n    I like tea.", ("r",), "candidates")
    model = "openai/gpt-4o-mini"
    shown = sum(estimated_tokens(each["content"]) for each in NAMES.messages(ask.given))
    most = known(model).cost(shown, NAMES.max_tokens)
    assert most
    settings = state.settings.model_copy(update={"budget_run": most + 3e-7, "model": model})
    run = State(state.home, settings)
    run.begin_run("one")
    for name in ("n", "m"):
        run.of(name).embedder.embed(["some text"])
    paid = run.budget.spent.cost
    assert paid == pytest.approx(4e-7)
    assert run.language_model is not None
    (answer,) = run.language_model.answers([ask])
    assert (answer.outcome, answer.reason) == ("pending", "no_budget")
    # The next run has a budget of its own, though the embedder is the one that was opened.
    embedder = run.of("n").embedder
    run.begin_run("two")
    assert run.of("n").embedder is embedder
    embedder.embed(["some text"])
    assert run.budget.spent.cost == pytest.approx(paid / 2)
    run.close_answers()
