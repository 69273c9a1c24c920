"""The language model, against a real server on loopback and through litellm itself."""

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from werkzeug import Response

from cairn.knowledge.llm.client import Answer
from cairn.resources.home.settings import Limits
from cairn.resources.llm import provider
from cairn.resources.llm.answer_cache import Answers
from tests.places import ROOT
from tests.resources.llm.conftest import Make
from tests.resources.llm.questions import DONE, GOOD, PROMPT, ask, asks, failed, reasons
from tests.resources.model_server import ModelServer, error

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost", "::1"])

PRICED = "openai/gpt-4o-mini"
"""In litellm's map: dollars per million tokens, 0.15 read, 0.60 written."""


def test_an_answer_is_paid_once_whoever_asks_again(make: Make, server: ModelServer) -> None:
    questions = [*asks(3), *asks(3), ask(namespace="you")]
    first = make()
    assert first.answers(questions) == [DONE] * 7
    assert server.requests == 4
    assert first.answers(questions) == make().answers(questions[::-1]) == [DONE] * 7
    assert server.requests == 4
    body = server.asked[0]
    assert (body["max_tokens"], body["temperature"]) == (100, 0.2)
    assert [message["role"] for message in body["messages"]] == ["system", "user"]


def test_a_replay_needs_neither_server_nor_litellm(
    make: Make, server: ModelServer, tmp_path: Path
) -> None:
    make().answers(asks(3))
    code = """
import sys
from pathlib import Path
from cairn.resources.llm.answer_cache import Answers
from cairn.resources.llm.language_model import LitellmModel
from cairn.resources.home.settings import Limits, Settings
from tests.resources.llm.questions import DONE, asks
model = LitellmModel(Settings(model="openai/scripted"), Answers(Path("answers.sqlite")))
assert model.answers(asks(3)) == [DONE] * 3
assert model.answers([]) == []
assert "litellm" not in sys.modules
"""
    path = [str(ROOT), *(entry for entry in sys.path if entry)]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {path!r}\n{code}"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert server.requests == 3


@pytest.mark.parametrize("command", [["--help"], ["config"]])
def test_without_a_model_litellm_is_not_imported(command: list[str], tmp_path: Path) -> None:
    code = f"""
import sys
sys.argv = ["cairn", "--home", {str(tmp_path)!r}, *{command!r}]
from cairn.serving.cli.main import main
try:
    main()
finally:
    assert "litellm" not in sys.modules
"""
    root = ROOT
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


FAILING: dict[str, tuple[Any, str]] = {
    "truncated": ({"content": '{"names": ["ki', "finish": "length"}, "truncated"),
    "cut without saying so": ({"content": '{"names": ["ki', "tokens": (9, 100, 0)}, "truncated"),
    "no content": ({"content": None}, "refused"),
    "refusal": ({"content": None, "refusal": "the kiwi"}, "refused"),
    "filtered": ({"content": "", "finish": "content_filter"}, "refused"),
    "tool call": (
        {
            "content": None,
            "finish": "tool_calls",
            "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "rm", "arguments": "{}"}}
            ],
        },
        "refused",
    ),
    "blank": (" ", "blank"),
    "html": ("<html>the kiwi</html>", "no_json"),
    "prose": ("There is one name, the kiwi.", "no_json"),
    "wrong shape": ('{"names": "kiwi"}', "wrong_shape"),
}


@pytest.mark.parametrize(("said", "reason"), FAILING.values(), ids=FAILING.keys())
def test_what_is_no_answer_is_told_apart_kept_and_replayed(
    said: Any, reason: str, make: Make, server: ModelServer, kept: Answers
) -> None:
    server.script = lambda _: said
    model = make()
    assert model.answers([ask()]) == [failed(reason)]
    calls = server.requests
    assert calls == (1 if reason in ("truncated", "refused") else 3)
    model.answers([ask()])
    assert make().answers([ask()]) == [failed(reason)]  # a later run, too
    assert server.requests == calls
    (row,) = kept.failed("me")
    assert (row.reason, row.attempts, row.prompt) == (reason, calls, "find_names")
    assert kept.records([row.key]) == {row.key: ("r1",)}
    assert kept.ledger()["outcome"].to_list() == ["failed"] * calls
    assert kept.clear_failed() == 1
    server.script = lambda _: GOOD
    assert make().answers([ask()]) == [DONE]


def test_one_poisonous_record_of_twenty_loses_only_itself(make: Make, server: ModelServer) -> None:
    server.script = lambda last: error(500) if "log 7 " in last else GOOD
    answers = make(model_max_retries=1).answers(asks(20))
    assert [answer == DONE for answer in answers] == [number != 7 for number in range(20)]
    assert answers[7]._replace(key=None) == Answer("failed", None, "server")
    assert server.requests == 21


def test_another_shape_is_asked_again_with_what_is_wrong(
    make: Make, server: ModelServer, kept: Answers, caplog: pytest.LogCaptureFixture
) -> None:
    said = iter(['{"names": 17}', GOOD])
    server.script = lambda _: next(said)
    with caplog.at_level(logging.DEBUG):
        assert make().answers([ask()]) == [DONE]
    again = server.asked[1]["messages"]
    assert again[2] == {"role": "assistant", "content": '{"names": 17}'}
    assert "names: " in again[3]["content"]
    (row,) = kept.read([ask().key("openai/scripted")]).values()
    assert (row.tokens_in, row.tokens_out, row.attempts) == (20, 10, 2)
    assert kept.ledger()["reason"].to_list() == ["wrong_shape", None]
    assert "kiwi" not in caplog.text


def test_json_is_mended_only_where_the_model_had_finished(make: Make, server: ModelServer) -> None:
    server.script = lambda _: "```json\n{'names': ['kiwi',]}\n```"
    assert make().answers([ask("one")]) == [DONE]
    server.script = lambda _: {"content": '{"names": ["kiwi"', "finish": "length"}
    assert reasons(make().answers([ask("two")])) == ["truncated"]


SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
SPELLED = "".join(f"\\u{ord(character):04x}" for character in SECRET)


@pytest.mark.parametrize(
    "said",
    [
        f'{{"names": ["kiwi", "{SECRET}"]}}',
        f'{{"names": ["kiwi", "{SPELLED}"]}}',
        f'```json\n{{"names": ["kiwi", "{SPELLED}"]}}\n```',
        f'{{"names": ["kiwi", "{SPELLED}"]',
        f'{{"name": ["kiwi", "{SPELLED}"',
    ],
    ids=["plain", "spelled", "in a fence", "mended", "of no shape"],
)
def test_secrets_in_an_answer_are_not_kept(
    said: str, make: Make, server: ModelServer, kept: Answers, tmp_path: Path
) -> None:
    server.script = lambda _: said
    live = make().answers([ask()])
    assert make().answers([ask()]) == live
    (row,) = kept.read([ask().key("openai/scripted")]).values()
    assert "[redacted:" in (row.text or "")
    files = [file.read_bytes() for file in tmp_path.glob("answers.sqlite*")]
    assert all(text.encode() not in file for file in files for text in (SECRET, SPELLED))


def test_what_does_not_fit_is_not_asked(make: Make, server: ModelServer, kept: Answers) -> None:
    model = make(model_context=500)
    assert model.answers([ask("kiwi " * 1000), ask()]) == [failed("too_long", "kiwi " * 1000), DONE]
    assert server.requests == 1
    assert kept.failed()[0].attempts == 3
    server.script = lambda _: _context_error()
    assert reasons(make().answers([ask("kiwi " * 10)])) == ["too_long"]


def _context_error() -> Any:
    response = error(400)
    message = "This model's maximum context length is 10 tokens. The kiwi has 11."
    body = {"error": {"message": message, "code": "context_length_exceeded", "type": "x"}}
    response.set_data(json.dumps(body))
    return response


def test_the_servers_delay_is_respected(make: Make, server: ModelServer) -> None:
    said = iter([error(429, Retry_After="1"), error(503, Retry_After="0"), GOOD])
    server.script = lambda _: next(said)
    assert make().answers([ask()]) == [DONE]
    assert server.times[1] - server.times[0] >= 1.0
    assert server.times[2] - server.times[1] < 1.0


def test_a_long_delay_is_left_to_the_next_run(make: Make, server: ModelServer) -> None:
    server.script = lambda _: error(429, Retry_After="3600")
    assert set(reasons(make(model_concurrency=1).answers(asks(9)))) == {"provider_down"}
    assert server.requests == 1


def test_an_error_of_the_server_is_tried_again(make: Make, server: ModelServer) -> None:
    said = iter([error(500), error(502), GOOD])
    server.script = lambda _: next(said)
    assert make().answers([ask()]) == [DONE]
    assert server.requests == 3


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_wrong_key_or_model_stops_at_once(
    status: int, make: Make, server: ModelServer, kept: Answers
) -> None:
    server.script = lambda _: error(status)
    model = make(model_concurrency=1)
    assert model.answers(asks(20)) == [Answer("pending", None, "provider_down")] * 20
    assert server.requests == 1
    assert kept.failed() == []
    server.script = lambda _: GOOD
    assert make().answers(asks(20)) == [DONE] * 20


@pytest.mark.parametrize(
    ("model", "says"), [("openai/x", "OPENAI_API_KEY"), ("no-such-provider/x", "BadRequestError")]
)
def test_a_missing_key_or_a_wrong_name_is_said(
    model: str, says: str, make: Make, server: ModelServer, kept: Answers,
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    monkeypatch.delenv("OPENAI_API_KEY")
    answers = make(model=model, model_base=None).answers(asks(9))
    assert set(reasons(answers)) == {"provider_down"}
    assert caplog.text.count(says) == 1
    assert kept.failed() == []


@pytest.mark.parametrize("status", [500, 503])
def test_a_provider_that_is_down_is_not_asked_on_and_on(
    status: int, make: Make, server: ModelServer
) -> None:
    server.script = lambda _: error(status)
    answers = make(model_concurrency=1, model_max_retries=1).answers(asks(40))
    assert server.requests == 5 * 2
    assert reasons(answers)[5:] == ["provider_down"] * 35
    server.script = lambda _: GOOD
    assert make().answers(asks(40)) == [DONE] * 40  # all that waited, and what failed


def test_a_closed_port_and_a_hanging_server_are_no_answers(
    make: Make, server: ModelServer, kept: Answers
) -> None:
    closed = make(model_base="http://127.0.0.1:9/v1", model_max_retries=0)
    assert reasons(closed.answers([ask()])) == ["provider_down"]
    server.delay = 1.0
    hanging = make(model_timeout=0.2, model_max_retries=0)
    assert reasons(hanging.answers([ask()])) == ["server"]
    assert kept.ledger().sort("call_id")["reason"].to_list() == [
        "ConnectError",
        "timeout",
    ]
    time.sleep(1.0)


def test_a_page_of_a_gateway_is_no_answer(make: Make, server: ModelServer) -> None:
    pages = {"<html>the kiwi</html>": "no_json", "": "no_json", '{"choices": []}': "blank"}
    for page, reason in pages.items():
        server.script = lambda _, page=page: Response(page)
        assert reasons(make(model_max_retries=0).answers([ask(page)])) == [reason]


UNREADABLE: dict[str, tuple[Response, str]] = {
    "half an encoding": (
        Response(b'{"choices": "\xff"}', content_type="application/json"),
        "no_json",
    ),
    "not what it is packed as": (
        Response(b"kiwi", headers={"Content-Encoding": "gzip"}),
        "no_json",
    ),
    "a pit of brackets": (Response("[" * 100_000, content_type="application/json"), "no_json"),
    "no message": (
        Response('{"choices": [{"index": 0, "message": null}]}', content_type="application/json"),
        "blank",
    ),
    "an error": (
        Response('{"error": {"message": "kiwi"}}', content_type="application/json"),
        "server",
    ),
}


@pytest.mark.parametrize(("said", "reason"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_what_cannot_be_read_is_not_asked_for_for_ever(
    said: Response, reason: str, make: Make, server: ModelServer
) -> None:
    server.script = lambda _: said
    for _ in range(4):
        answers = make(model_max_retries=0).answers([ask()])
    assert reasons(answers) == [reason]
    assert server.requests <= 3


def test_what_a_provider_filters_is_declined(make: Make, server: ModelServer) -> None:
    response = error(400)
    response.set_data('{"error": {"message": "the kiwi", "code": "content_filter"}}')
    server.script = lambda _: response
    assert reasons(make().answers([ask()])) == ["refused"]
    assert server.requests == 1


def test_an_answer_that_trickles_in_is_not_waited_for(
    make: Make, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = threading.Event()

    def drops() -> Iterator[bytes]:
        for _ in range(600):  # a minute
            if ended.wait(0.1):
                return
            yield b" "

    monkeypatch.setattr("cairn.resources.llm.provider._GRACE", 0.1)
    server.script = lambda _: Response(drops(), content_type="application/json")
    start = time.monotonic()
    slow = make(model_timeout=0.3, model_max_retries=0)
    try:
        assert reasons(slow.answers([ask()])) == ["server"]
        assert time.monotonic() - start < 30
    finally:
        ended.set()


@pytest.mark.parametrize("tokens", [(10**20, 10**20, 0), (-5, -1, -3)])
def test_numbers_of_tokens_that_cannot_be_are_not_known(
    tokens: tuple[int, int, int], make: Make, server: ModelServer, kept: Answers
) -> None:
    server.script = lambda _: {"content": GOOD, "tokens": tokens}
    assert make(model=PRICED).answers([ask()]) == [DONE]
    assert kept.ledger().select("tokens_in", "tokens_out", "cost").rows() == [(None, None, None)]


def test_a_fallback_answers_under_the_key_that_was_asked(
    make: Make, server: ModelServer, kept: Answers
) -> None:
    def script(_: str) -> Any:
        return GOOD if server.asked[-1]["model"] == "second" else error(503)

    server.script = script
    model = make(model_fallbacks=("openai/second",), model_max_retries=0, model_concurrency=1)
    assert model.answers(asks(8)) == [DONE] * 8
    assert sum(body["model"] == "scripted" for body in server.asked) == 5  # then it is left alone
    rows = kept.read(one.key("openai/scripted") for one in asks(8))
    assert {row.model for row in rows.values()} == {"openai/second"}
    assert {row.fingerprint for row in rows.values()} == {PROMPT.fingerprint("openai/scripted")}
    assert make().answers(asks(8)) == [DONE] * 8
    assert server.requests == 13


def test_without_litellm_all_waits_and_a_person_is_told_what_to_do(
    make: Make,
    server: ModelServer,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = make()
    provider.load.cache_clear()
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "litellm", None)  # as if it were not there
        assert {answer.outcome for answer in model.answers(asks(3))} == {"pending"}
    assert model.waits
    assert caplog.text.count("`make setup` installs it") == 1
    assert make().answers(asks(3)) == [DONE] * 3


def test_a_budget_of_a_run_stops_cleanly_and_the_next_run_goes_on(
    make: Make, server: ModelServer, kept: Answers, caplog: pytest.LogCaptureFixture
) -> None:
    server.script = lambda _: {"content": GOOD, "tokens": (10_000, 100, 0)}
    cost = 10_000 * 0.15e-6 + 100 * 0.6e-6
    first = make(model=PRICED, budget_run=3.5 * cost)
    answers = first.answers(asks(10))
    assert caplog.text.count("budget for the language model is spent") == 1
    done = answers.count(DONE)
    # What is under way is held at what its questions seem to cost, so a few more may pass.
    assert 3 <= done <= 3 + 4
    assert answers.count(Answer("pending", None, "no_budget")) == 10 - done == 10 - server.requests
    assert first.spent.cost == pytest.approx(done * cost)
    assert make(model=PRICED).answers(asks(10)) == [DONE] * 10
    assert server.requests == 10
    assert kept.ledger()["cost"].sum() == pytest.approx(10 * cost)
    assert kept.ledger()["tokens_in"].sum() == 100_000


def test_a_budget_is_never_passed_where_sizes_are_known(make: Make, server: ModelServer) -> None:
    # Each may cost what its 100 tokens would; the server gives 50, so more of them fit than that.
    server.script = lambda _: {"content": GOOD, "tokens": (150, 50, 0)}
    model = make(model=PRICED, budget_run=0.0004)
    answers = model.answers(asks(30))
    assert 0 < answers.count(DONE) < 30
    assert 0.0003 < model.spent.cost <= 0.0004


def test_a_budget_of_a_day_counts_all_runs_of_it(make: Make, server: ModelServer) -> None:
    server.script = lambda _: {"content": GOOD, "tokens": (10_000, 100, 0)}
    settings = {"model": PRICED, "budget_day": 0.0031, "model_concurrency": 1}

    def monday() -> datetime:
        return datetime(2026, 3, 2, 23, 59, tzinfo=UTC)

    def tuesday() -> datetime:
        return monday() + timedelta(minutes=2)

    assert make(monday, **settings).answers(asks(2)) == [DONE] * 2
    assert set(reasons(make(monday, **settings).answers(asks(4))[2:])) == {"no_budget"}
    assert server.requests == 2
    assert make(tuesday, **settings).answers(asks(4)) == [DONE] * 4


def test_a_limit_of_a_namespace_stops_that_alone(
    make: Make, server: ModelServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.script = lambda _: {"content": GOOD, "tokens": (10_000, 100, 0)}
    limits = {"ada": Limits(model_dollars=0.0031)}
    settings = {"model": PRICED, "limits": limits, "model_concurrency": 1}
    ada, bo = ([one._replace(namespace=name) for one in asks(4)] for name in ("ada", "bo"))
    assert make(**settings).answers(ada[:2]) == [DONE] * 2
    model = make(**settings)
    assert set(reasons(model.answers([*ada[2:], *bo])[:2])) == {"no_budget"}
    assert model.answers(bo) == [DONE] * 4
    assert "is spent (limits.ada.model_dollars)" in caplog.text
    # What is not of ada is held by no limit, and by no other's.
    assert make(**settings).answers([one._replace(namespace="cy") for one in asks(4)]) == [DONE] * 4


def test_a_price_that_is_not_known_is_not_guessed(
    make: Make, server: ModelServer, kept: Answers, caplog: pytest.LogCaptureFixture
) -> None:
    model = make(budget_run=0.01)
    assert model.answers(asks(3)) == [DONE] * 3
    assert kept.ledger()["cost"].to_list() == [None] * 3
    assert (model.spent.cost, model.spent.unpriced, model.spent.tokens_in) == (0.0, 3, 30)
    assert (
        caplog.text.count(
            "price of openai/scripted is not known: its costs are empty, and no budget holds it"
        )
        == 1
    )


def test_time_that_is_up_leaves_the_rest_to_the_next_run(make: Make, server: ModelServer) -> None:
    server.delay = 0.6  # longer than the time that there is, so that one is asked
    model = make(model_concurrency=1, seconds=0.3)
    answers = model.answers(asks(5))
    assert reasons(answers) == [None, *["not_asked"] * 4]
    assert reasons(model.answers(asks(5))) == reasons(answers)
    assert not model.waits
    model.begin()
    assert reasons(model.answers(asks(5))) == [None, None, *["not_asked"] * 3]
    assert server.requests == 2


def test_no_more_are_asked_at_once_than_was_set(make: Make, server: ModelServer) -> None:
    server.delay = 0.05
    make().answers(asks(24))
    assert server.most_at_once == 4


def test_forgotten_records_are_asked_anew(make: Make, server: ModelServer, kept: Answers) -> None:
    make().answers([ask("one", "r1"), ask("two", "r2")])
    make().answers([ask("one", "r3")])  # the same text in another record
    assert server.requests == 2
    assert kept.delete("me", ["r3"]) == 1
    make().answers([ask("one", "r1"), ask("two", "r2")])
    assert server.requests == 3


def test_neither_text_nor_keys_reach_our_logs(
    make: Make, server: ModelServer, caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str], recwarn: pytest.WarningsRecorder,
) -> None:  # fmt: skip
    said: list[Any] = [
        error(400), error(401), error(429, Retry_After="0"), error(500), _context_error(),
        "kiwi", '{"names": "kiwi"}', {"content": [{"type": "text", "text": "kiwi"}]},
    ]  # fmt: skip
    with caplog.at_level(logging.DEBUG):
        for number, one in enumerate(said):
            server.script = lambda _, one=one: one
            make(model_max_retries=1).answers([ask(f"the kiwi {number}")])
        unreachable = make(model_base="http://127.0.0.1:9/v1", model_max_retries=0)
        unreachable.answers([ask("a kiwi")])
    ours = [
        record.getMessage() for record in caplog.records if not record.name.startswith("werkzeug")
    ]
    assert any("InternalServerError 500" in message for message in ours)
    shown = "\n".join([*ours, *capfd.readouterr(), *(str(one.message) for one in recwarn)])
    assert "kiwi" not in shown


def test_an_interrupted_run_keeps_what_was_paid(make: Make, server: ModelServer) -> None:
    # What a shell starts in the background ignores the signal, and its children with it.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    stopped: list[bool] = []

    def script(_: str) -> Any:
        if server.requests >= 4 and not stopped:
            stopped.append(True)
            os.kill(os.getpid(), signal.SIGINT)
        return GOOD

    server.script, server.delay = script, 0.1
    try:
        with pytest.raises(KeyboardInterrupt):
            make(model_concurrency=2).answers(asks(20))
    finally:
        signal.signal(signal.SIGINT, handler)
    time.sleep(0.5)  # calls under way end by themselves
    assert 4 <= server.requests <= 7
    assert make().answers(asks(20)) == [DONE] * 20
    assert server.requests == 20


def test_the_anthropic_route(make: Make, server: ModelServer, kept: Answers) -> None:
    settings = {"model": "anthropic/claude-haiku-4-5", "model_base": server.root}
    said = iter([error(529, Retry_After="0"), GOOD])
    server.script = lambda _: next(said)
    assert make(**settings).answers([ask()]) == [DONE]
    assert server.paths == ["/v1/messages"] * 2
    assert kept.ledger().sort("call_id")["cost"][1] == pytest.approx(10e-6 + 5 * 5e-6)
    server.script = lambda _: {"content": "", "finish": "refusal"}
    assert reasons(make(**settings).answers([ask("two")])) == ["refused"]
    server.script = lambda _: {"content": '{"names": [', "finish": "max_tokens"}
    assert reasons(make(**settings).answers([ask("three")])) == ["truncated"]


def test_the_ollama_route(make: Make, server: ModelServer, kept: Answers) -> None:
    settings = {"model": "ollama/llama3", "model_base": server.root}
    said = iter([error(503), GOOD])
    server.script = lambda _: next(said)
    assert make(**settings).answers([ask()]) == [DONE]
    assert server.paths == ["/api/generate"] * 2
    assert kept.ledger()["cost"].drop_nulls().to_list() == [0.0]
    # litellm says `stop` of it, whatever the server said.
    server.script = lambda _: {"content": '{"names": [', "finish": "length", "written": 100}
    assert reasons(make(**settings).answers([ask("two")])) == ["truncated"]
