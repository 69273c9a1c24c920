"""Questions in batches: half the price, the same answers, and none that is lost without a word."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from cairn.knowledge.llm.client import Answer
from cairn.knowledge.llm.prompt_set import SHIPPED
from cairn.resources.home.settings import Settings
from cairn.resources.llm.answer_cache import Answers
from cairn.resources.llm.language_model import LitellmModel
from cairn.resources.llm.open_batches import OpenBatches
from cairn.resources.llm.prices import known
from tests.resources.batch_server import NOW, BatchServer
from tests.resources.llm.questions import DONE, GOOD, PROMPT, ask, asks
from tests.resources.model_server import error, served

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost", "::1"])

WAITS = Answer("pending", None, "in_batch")
KEYS = {"OPENAI_API_KEY": "sk-kiwi", "ANTHROPIC_API_KEY": "sk-ant-kiwi"}
MODELS = {"openai": "openai/gpt-4o-mini", "anthropic": "anthropic/claude-haiku-4-5"}


@pytest.fixture(params=MODELS)
def provider(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A model of each form, and the server that answers for it."""
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)
    monkeypatch.setattr("cairn.resources.llm.retry_sensor.FIRST_DELAY", 0.01)
    with served(BatchServer) as server:
        server.script = lambda _: GOOD
        yield Provider(server, request.param)


class Provider:
    def __init__(self, server: BatchServer, form: str) -> None:
        self.server, self.form, self.model = server, form, MODELS[form]
        self.base = server.base if form == "openai" else server.root

    def run(self, home: Path, *, in_batches: bool = True, **settings: Any) -> LitellmModel:
        """A run of its own over a home."""
        given = {"model": self.model, "model_base": self.base, "model_timeout": 5, **settings}
        set_to = Settings(**given)
        set_to.__dict__["prompts"] = SHIPPED.with_versions([PROMPT])
        model = LitellmModel(
            set_to, Answers(home / "answers.sqlite"),
            now=lambda: datetime.fromisoformat(NOW), batches=OpenBatches(home),
        )  # fmt: skip
        model.in_batches = in_batches
        return model

    def submitted(self, home: Path, count: int = 2, **settings: Any) -> None:
        """Questions in a batch."""
        model = self.run(home, **settings)
        assert model.answers(asks(count)) == [WAITS] * count
        model.submit()
        assert model.waits


def rows(home: Path) -> list[dict[str, Any]]:
    """What is kept, but for what a batch cannot have: its price, and its time."""
    kept = Answers(home / "answers.sqlite").of_namespace("me")
    left_out = {"cost": None, "seconds": None, "made_at": None}
    return [{**one._asdict(), **left_out} for one in kept]


def test_a_batch_gives_the_rows_of_questions_asked_one_by_one_at_half_the_price(
    provider: Provider, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    alone, home, server = tmp_path / "alone", tmp_path / "home", provider.server
    alone.mkdir(), home.mkdir()
    assert provider.run(alone, in_batches=False).answers(asks(2)) == [DONE] * 2
    asked = sorted(server.asked, key=json.dumps)

    provider.submitted(home)
    (batch,) = server.batches.values()
    bodies = [one.get("body") or one["params"] for one in batch["requests"]]
    assert sorted(bodies, key=json.dumps) == asked
    (kept,) = OpenBatches(home).of("me")
    assert kept.remote == "batch-0"
    assert provider.run(home).answers(asks(2)) == [WAITS] * 2
    assert provider.run(home, in_batches=False).answers(asks(3)) == [WAITS] * 3

    server.ended = True
    assert provider.run(home, in_batches=False).answers(asks(2)) == [DONE] * 2
    assert len(server.batches) == 1
    assert len(server.asked) == 2
    assert OpenBatches(home).of() == []
    texts = {"openai": {"file-0", "file-of-batch-0"}, "anthropic": {"batch-0"}}
    assert server.deleted == texts[provider.form]
    betas = [each.get("Anthropic-Beta", "") for each in server.headers[:1]]
    assert all("structured-outputs" in each and "message-batches" in each for each in betas)
    by_key = {row["key"]: row for row in rows(home)}
    assert [by_key[row["key"]] for row in rows(alone)] == rows(alone)
    costs = Answers(home / "answers.sqlite").ledger()["cost"].sort().to_list()
    whole = known(provider.model).cost(10, 5) or 0.0
    assert costs == pytest.approx([whole / 2] * 2)
    assert "sk-" not in "".join(
        file.read_bytes().decode("latin-1") for file in home.rglob("*") if file.is_file()
    )
    assert "kiwi" not in caplog.text


def test_what_follows_from_a_batch_is_asked_in_a_batch_too(
    provider: Provider, tmp_path: Path
) -> None:
    provider.submitted(tmp_path)
    provider.server.ended = True
    model = provider.run(tmp_path, in_batches=False)
    assert model.answers([*asks(2), ask("what follows")]) == [DONE, DONE, WAITS]
    model.submit()
    assert len(provider.server.batches) == 2


def test_a_batch_whose_submission_was_not_heard_of_is_found_again(
    provider: Provider, tmp_path: Path
) -> None:
    provider.server.cut = True
    provider.submitted(tmp_path)
    (kept,) = OpenBatches(tmp_path).of()
    assert kept.remote is None
    provider.server.cut, provider.server.ended = False, True
    assert provider.run(tmp_path).answers(asks(2)) == [DONE] * 2
    assert len(provider.server.batches) == 1
    assert provider.server.asked == []


SUBMITS = """
import json, os, sys
from pathlib import Path
from cairn.resources.llm.provider import load
from tests.resources.batch_server import BatchServer
from tests.resources.llm.questions import asks
from tests.resources.llm.test_batching import Provider

load()
while line := sys.stdin.readline():
    port, form, home = json.loads(line)
    child = os.fork()
    if not child:
        model = Provider(BatchServer(port), form).run(Path(home))
        model.answers(asks(2))
        print(os.getpid(), flush=True)
        sys.stdin.readline()
        model.submit()
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
os._exit(0)  # to take down all that was loaded takes a second
"""
"""Submits a batch in a process of its own each time; loads what takes seconds once for all."""


@pytest.fixture(scope="module")
def submitting() -> Iterator[Callable[[str], str]]:
    """Tells a process that submits batches a line, and gives the line that it answers."""
    with subprocess.Popen(
        [sys.executable, "-c", SUBMITS], env=os.environ | KEYS,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout
        assert process.stdin
        told, answers = process.stdin, process.stdout

        def tell(line: str) -> str:
            told.write(line + "\n")
            told.flush()
            return answers.readline().strip()

        yield tell
        told.close()


@pytest.mark.faults
def test_a_process_killed_before_it_notes_its_batch_loses_nothing(
    provider: Provider, submitting: Callable[[str], str], tmp_path: Path
) -> None:
    port = int(provider.server.root.rpartition(":")[2])
    provider.server.kills = int(submitting(json.dumps([port, provider.form, str(tmp_path)])))
    assert submitting("go on") == "-9"
    provider.server.kills, provider.server.ended = 0, True
    (kept,) = OpenBatches(tmp_path).of()
    assert kept.remote is None
    assert provider.run(tmp_path).answers(asks(2)) == [DONE] * 2
    assert len(provider.server.batches) == 1


def test_a_batch_that_never_came_is_told_and_asked_anew(
    provider: Provider, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    provider.server.cut = True
    provider.submitted(tmp_path)
    provider.server.batches.clear()
    provider.server.cut = False
    model = provider.run(tmp_path)
    assert model.answers(asks(2)) == [WAITS] * 2
    assert "A batch of 2 questions was about to be submitted" in caplog.text
    model.submit()
    (kept,) = OpenBatches(tmp_path).of()
    assert kept.remote == "batch-0"


def test_what_a_batch_did_not_answer_is_asked_by_itself(
    provider: Provider, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    said = {"log 1 ": error(400), "log 2 ": "no JSON", "log 3 ": '{"names": 1}'}
    server = provider.server
    server.script = lambda last: next((s for part, s in said.items() if part in last), GOOD)
    server.lost, server.state = {"log 4 "}, "expired"
    provider.submitted(tmp_path, 5)
    server.ended = True
    model = provider.run(tmp_path)
    model.take_up("me")
    assert "4 of them have no answer, and are asked one by one" in caplog.text
    calls = Answers(tmp_path / "answers.sqlite").ledger()
    assert sorted(calls["outcome"]) == ["done", "failed", "failed", "unanswered"]
    server.script = lambda _: GOOD
    assert model.answers(asks(5)) == [DONE] * 5
    assert len(server.asked) == 4


def test_a_provider_without_batches_is_asked_one_by_one(
    provider: Provider, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    provider.server.refuses = 404
    provider.submitted(tmp_path)
    assert "takes no batch" in caplog.text
    assert OpenBatches(tmp_path).of() == []
    assert provider.run(tmp_path).answers(asks(2)) == [DONE] * 2


def test_another_provider_is_asked_one_by_one(provider: Provider, tmp_path: Path) -> None:
    model = provider.run(tmp_path, model="hosted_vllm/own", model_base=provider.server.base)
    assert model.answers(asks(1)) == [DONE]


def test_a_budget_holds_what_is_in_batches(provider: Provider, tmp_path: Path) -> None:
    one = provider.run(tmp_path)
    assert one.answers(asks(1)) == [WAITS]
    one.submit()
    (kept,) = OpenBatches(tmp_path).of()
    assert kept.held > 0
    spent = Answer("pending", None, "no_budget")
    limit = kept.held * 1.5
    for limits in ({"budget_day": limit}, {"budget_run": limit}):
        fits = 1 if "budget_day" in limits else 2
        model = provider.run(tmp_path, **limits)
        assert model.answers(asks(3)) == [WAITS] * fits + [spent] * (3 - fits)


def test_what_is_forgotten_is_no_part_of_a_batch(provider: Provider, tmp_path: Path) -> None:
    provider.submitted(tmp_path)
    answers = Answers(tmp_path / "answers.sqlite")
    assert answers.delete("me", ["r0"]) == 1
    OpenBatches(tmp_path).forget("me", {row["key"] for row in rows(tmp_path)})
    (kept,) = OpenBatches(tmp_path).of()
    assert kept.keys == (asks(2)[1].key(provider.model),)
    provider.server.ended = True
    provider.run(tmp_path).take_up("me")
    assert [row["key"] for row in rows(tmp_path)] == list(kept.keys)


def test_a_namespace_takes_up_its_own(provider: Provider, tmp_path: Path) -> None:
    provider.submitted(tmp_path)
    provider.server.ended = True
    provider.run(tmp_path).take_up("other")
    assert [one.namespace for one in OpenBatches(tmp_path).of()] == ["me"]
    assert datetime.fromisoformat(OpenBatches(tmp_path).of()[0].opened_at).tzinfo == UTC
