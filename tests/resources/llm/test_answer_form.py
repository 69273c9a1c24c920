"""The form that answers are asked for in: the schema, JSON or plain, as the provider takes it."""

import json
from typing import Any

import pytest
from pydantic import BaseModel
from werkzeug import Response

from cairn.knowledge.llm.answer_schema import strict_schema
from cairn.resources.llm.answer_cache import Answers
from tests.resources.llm.conftest import Make
from tests.resources.llm.questions import DONE, GOOD, PROMPT, ask, asks, reasons
from tests.resources.model_server import ModelServer, error

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost", "::1"])

MODEL = "openai/scripted"


def refusal(message: str, status: int = 400) -> Response:
    response = error(status)
    response.set_data(json.dumps({"error": {"message": message, "type": "invalid_request_error"}}))
    return response


def forms(server: ModelServer) -> list[str]:
    """What was asked for, call by call."""
    return [body.get("response_format", {}).get("type", "plain") for body in server.asked]


def test_the_schema_is_sent_and_held_to_strictly(
    make: Make, server: ModelServer, kept: Answers
) -> None:
    assert make().answers([ask()]) == [DONE]
    sent = server.asked[0]["response_format"]
    assert sent["type"] == "json_schema"
    assert (sent["json_schema"]["name"], sent["json_schema"]["strict"]) == ("find_names", True)
    schema = sent["json_schema"]["schema"]
    assert (schema["required"], schema["additionalProperties"]) == (["names"], False)
    assert kept.form(MODEL, server.base) == "schema"


def test_the_form_is_no_part_of_what_was_asked(make: Make, server: ModelServer) -> None:
    # As it was before schemas were sent: what was paid stays paid.
    assert PROMPT.fingerprint(MODEL) == "00daec76f467d752"
    make().answers([ask()])
    server.script = lambda _: refusal("response_format is not supported")
    assert make().answers([ask()]) == [DONE]
    assert server.requests == 1


TAKES = {
    "json": ("'json_schema' is not supported: response_format.type must be 'json_object'", 1),
    "plain": ("response_format: Extra inputs are not permitted", 2),
}


@pytest.mark.parametrize("status", [400, 422, 500])
@pytest.mark.parametrize("takes", TAKES)
def test_what_a_provider_does_not_take_is_found_out_once(
    takes: str, status: int, make: Make, server: ModelServer, kept: Answers
) -> None:
    message, refusals = TAKES[takes]

    def script(_: str) -> Any:
        form = forms(server)[-1]
        return (
            refusal(message, status) if form == "json_schema" or takes == "plain" != form else GOOD
        )

    server.script = script
    assert make(model_concurrency=1).answers(asks(3)) == [DONE] * 3
    taken = {"json": "json_object", "plain": "plain"}[takes]
    assert forms(server) == [*["json_schema", "json_object"][:refusals], *[taken] * 3]
    assert kept.form(MODEL, server.base) == takes
    make().answers([ask("in a later run")])
    assert forms(server)[-1] == taken
    assert server.requests == refusals + 4


def test_an_error_of_another_kind_changes_no_form(
    make: Make, server: ModelServer, kept: Answers
) -> None:
    server.script = lambda _: error(400)
    assert reasons(make().answers([ask()])) == ["server"]
    assert forms(server) == ["json_schema"]
    # One that only repeats a word of the question is found out to be none of the form.
    server.script = lambda _: refusal("the output schema of kiwis is green")
    assert reasons(make().answers([ask("again")])) == ["server"]
    assert kept.form(MODEL, server.base) is None


def test_errors_that_repeat_the_question_stop_asking_all_the_same(
    make: Make, server: ModelServer
) -> None:
    server.script = lambda _: refusal("the grammar of kiwis is green", 500)
    make(model_concurrency=1, model_max_retries=0).answers(asks(20))
    assert server.requests == 5 * 3, "five questions in a row, each in three forms"


def test_what_is_too_long_is_so_in_any_form(make: Make, server: ModelServer) -> None:
    server.script = lambda _: refusal(
        "This model's maximum context length is 10 tokens. The schema has 11."
    )
    assert reasons(make().answers([ask()])) == ["too_long"]
    assert server.requests == 1


def test_a_form_that_litellm_would_drop_is_not_claimed(
    make: Make, server: ModelServer, kept: Answers
) -> None:
    assert make(model="openai/gpt-4").answers([ask()]) == [DONE]
    assert forms(server) == ["plain"]
    assert kept.form("openai/gpt-4", server.base) == "plain"


def test_ollama_is_given_the_schema(make: Make, server: ModelServer) -> None:
    make(model="ollama/llama3", model_base=server.root).answers([ask()])
    assert server.asked[0]["format"]["required"] == ["names"]


def test_anthropic_is_given_the_schema(make: Make, server: ModelServer) -> None:
    model = make(model="anthropic/claude-haiku-4-5", model_base=server.root)
    assert model.answers([ask()]) == [DONE]
    assert server.asked[0]["output_format"]["schema"]["required"] == ["names"]


def test_an_older_claude_answers_by_a_tool_of_that_schema(make: Make, server: ModelServer) -> None:
    used = {"type": "tool_use", "id": "t", "name": "json_tool_call", "input": {"names": ["kiwi"]}}
    said = {
        "id": "m", "type": "message", "role": "assistant", "model": "x", "content": [used],
        "stop_reason": "tool_use", "usage": {"input_tokens": 10, "output_tokens": 5},
    }  # fmt: skip
    server.script = lambda _: Response(json.dumps(said), content_type="application/json")
    model = make(model="anthropic/claude-3-haiku-20240307", model_base=server.root)
    assert model.answers([ask()]) == [DONE]
    (tool,) = server.asked[0]["tools"]
    assert tool["input_schema"]["required"] == ["names"]


class Inner(BaseModel):
    text: str = ""


class Nested(BaseModel):
    inner: tuple[Inner, ...] = ()


class Open(BaseModel):
    inner: dict[str, int] = {}


def test_what_is_not_asked_for_by_name_is_not_strict() -> None:
    made = strict_schema(Nested.model_json_schema())
    assert made is not None
    assert made["$defs"]["Inner"]["required"] == ["text"]
    assert "default" not in json.dumps(made)
    assert strict_schema(Open.model_json_schema()) is None
