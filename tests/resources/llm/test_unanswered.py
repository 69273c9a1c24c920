"""Calls that are not answered: in the ledger, told at once, and soon not made any more."""

import logging
import time
from typing import Any

import pytest

from cairn.knowledge.llm.client import Answer
from cairn.resources.llm.answer_cache import Answers
from cairn.resources.llm.dry_run import DryRunModel
from tests.resources.llm.conftest import Make
from tests.resources.llm.questions import DONE, GOOD, ask, asks, reasons
from tests.resources.model_server import ModelServer, error

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost", "::1"])

WAITS = Answer("pending", None, "provider_down")


def ledger(kept: Answers) -> list[tuple[Any, ...]]:
    return kept.ledger().sort("call_id").select("outcome", "reason", "prompt", "cost").rows()


def test_after_two_time_outs_nothing_more_is_asked_and_all_of_it_waits(
    make: Make, server: ModelServer, kept: Answers, caplog: pytest.LogCaptureFixture
) -> None:
    server.delay = 1.0
    slow = make(model_timeout=0.2, model_concurrency=1)
    start = time.monotonic()
    assert slow.answers(asks(9)) == [WAITS] * 9
    assert time.monotonic() - start < 3
    assert server.requests == 2  # none is tried again: it would take as long again
    assert slow.waits
    assert ledger(kept) == [("unanswered", "timeout", "find_names", None)] * 2
    assert all(0.2 <= seconds < 1 for seconds in kept.ledger()["seconds"])
    assert caplog.text.count("openai/scripted has not answered in 0.2 s") == 2
    assert caplog.text.count("is not asked any more in this run") == 1
    assert "model_timeout is 0.2 s" in caplog.text
    assert kept.failed() == []
    server.delay = 0.0
    assert make().answers(asks(9)) == [DONE] * 9


def test_a_time_out_is_told_before_the_next_question(
    make: Make, server: ModelServer, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[bool] = []

    def script(last: str) -> str:
        told.append("has not answered" in caplog.text)
        time.sleep(1 if "log 0 " in last else 0)
        return GOOD

    server.script = script
    with caplog.at_level(logging.WARNING):
        answers = make(model_timeout=0.2, model_concurrency=1).answers(asks(3))
    assert told == [False, True, True]
    # Others were answered, so it is the question's own: kept, and tried in two later runs.
    assert reasons(answers) == ["server", None, None]


def test_what_was_asked_in_vain_comes_last_and_is_lost_after_three_runs(
    make: Make, server: ModelServer, kept: Answers
) -> None:
    questions = asks(3)

    def script(last: str) -> str:
        time.sleep(1 if "log 0 " in last or "log 1 " in last else 0)
        return GOOD

    server.script = script
    runs = [make(model_timeout=0.2, model_concurrency=1).answers(questions) for _ in range(3)]
    assert [reasons(answers) for answers in runs] == [
        ["provider_down"] * 3, ["provider_down", "provider_down", None], ["server", "server", None],
    ]  # fmt: skip
    assert [one.attempts for one in kept.failed()] == [3, 3]


def test_a_question_that_waits_is_counted_as_one_to_ask(
    make: Make, server: ModelServer, kept: Answers
) -> None:
    server.delay = 1.0
    make(model_timeout=0.2, model_concurrency=1).answers(asks(2))
    dry = DryRunModel("openai/scripted", kept)
    assert {answer.outcome for answer in dry.answers(asks(2))} == {"pending"}
    assert dry.calls == 2


def test_each_try_and_each_form_is_in_the_ledger(
    make: Make, server: ModelServer, kept: Answers
) -> None:
    said = iter([error(500), error(503), GOOD])
    server.script = lambda _: next(said)
    assert make().answers([ask()]) == [DONE]
    assert [row[:2] for row in ledger(kept)] == [
        ("unanswered", "InternalServerError 500"),
        ("unanswered", "ServiceUnavailableError 503"),
        ("done", None),
    ]


def test_a_night_that_was_not_answered_is_no_night(
    make: Make, server: ModelServer, kept: Answers
) -> None:
    server.script = lambda _: error(503)
    make(model_max_retries=0).answers([ask()])
    day = kept.ledger()["called_at"][0].replace(hour=0)
    assert not kept.called("me", "candidates", day)
    server.script = lambda _: GOOD
    make().answers([ask()])
    assert kept.called("me", "candidates", day)
