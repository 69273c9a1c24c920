"""Questions that share a call, against a server on loopback: one call a night, an answer each."""

import json
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from cairn.knowledge.llm.client import Answer, Ask, Bundle
from cairn.knowledge.llm.prompt import Prompt
from cairn.resources.home.settings import Settings
from cairn.resources.llm.answer_cache import Answers
from cairn.resources.llm.dry_run import DryRunModel
from cairn.resources.llm.language_model import LitellmModel
from tests.resources.model_server import ModelServer, Said, error

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost", "::1"])

MODEL = "openai/gpt-4o-mini"
MONDAY = datetime(2026, 3, 2, 3, 30, tzinfo=UTC)


class Colours(BaseModel):
    colours: dict[int, str] = {}


PROMPT = Prompt(
    name="colours", about="Colours.", context="Fruit.", requirements="The colour of each.",
    criteria="None missing.", output=Colours, max_tokens=100,
)  # fmt: skip


def together(asks: Sequence[Ask]) -> Ask:
    lines = (f"{number} {ask.given}" for number, ask in enumerate(asks, 1))
    return asks[0]._replace(given="\n".join(lines))


def apart(answer: BaseModel, count: int) -> list[BaseModel | None]:
    assert isinstance(answer, Colours)
    found = (answer.colours.get(number) for number in range(1, count + 1))
    return [Colours(colours={1: colour}) if colour else None for colour in found]


BUNDLE = Bundle(36, together, apart)
WAITS = Answer("pending", reason="not_asked")
GREEN = Answer("done", Colours(colours={1: "green"}))


def fruit(*names: str) -> list[Ask]:
    return [Ask(PROMPT, "me", name, (f"r_{name}",), "verdicts") for name in names]


def numbered(count: int) -> list[Ask]:
    return fruit(*(f"fruit{number:02}" for number in range(count)))


def shown(question: str) -> list[str]:
    """The fruit of a question."""
    return re.findall(r"^\d+ (\w+)$", question, re.MULTILINE)


def green(question: str, but: str | None = None) -> Said:
    names = enumerate(shown(question), 1)
    return json.dumps({"colours": {number: "green" for number, name in names if name != but}})


Night = Callable[..., LitellmModel]


@pytest.fixture
def night(server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Night:
    """The model in the run of the n-th night."""
    server.script = green
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CAIRN_HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-kiwi")

    def model(number: int = 0, *, nightly: bool = True, **settings: Any) -> LitellmModel:
        values = {"model": MODEL, "model_base": server.base, "model_max_retries": 0}
        made = LitellmModel(
            Settings(**{**values, **settings}),
            Answers(tmp_path / "answers.sqlite"),
            now=lambda: MONDAY + timedelta(days=number),
        )
        made.nightly = nightly
        return made

    return model


def asked(server: ModelServer) -> list[list[str]]:
    return [shown(body["messages"][-1]["content"]) for body in server.asked]


def test_one_call_answers_all_and_each_is_kept_by_itself(
    night: Night, server: ModelServer, tmp_path: Path
) -> None:
    some = fruit("kiwi", "lime", "kiwi")
    assert night().answers_together(some, BUNDLE) == [GREEN] * 3
    assert asked(server) == [["kiwi", "lime"]]
    # Another composition, order and night: nothing is asked that was.
    assert night(1).answers_together(fruit("lime", "pear", "kiwi"), BUNDLE) == [GREEN] * 3
    assert asked(server)[1:] == [["pear"]]
    answers = Answers(tmp_path / "answers.sqlite")
    assert answers.ledger()["tokens_in"].to_list() == [10, 10]
    kept = answers.read([ask.key(MODEL) for ask in some])
    assert {(one.cost, one.tokens_in) for one in kept.values()} == {(None, None)}
    assert answers.records(kept) == {ask.key(MODEL): ask.record_ids for ask in some}


def test_it_is_asked_once_a_night_and_by_the_night_alone(night: Night, server: ModelServer) -> None:
    some = numbered(40)
    assert night(nightly=False).answers_together(some, BUNDLE) == [WAITS] * 40
    assert server.requests == 0
    for _ in range(2):
        assert night().answers_together(some, BUNDLE) == [GREEN] * 36 + [WAITS] * 4
    assert server.requests == 1
    others = [ask._replace(asset="other") for ask in fruit("fig")]
    assert night().answers_together(others, BUNDLE) == [GREEN]
    assert night(1, nightly=False).answers_together(some, BUNDLE)[-1] == WAITS
    assert night(1).answers_together(some, BUNDLE) == [GREEN] * 40
    assert len(asked(server)[-1]) == 4


def test_what_has_no_answer_is_asked_in_three_nights(night: Night, server: ModelServer) -> None:
    server.script = lambda question: green(question, but="pit")
    some = fruit("kiwi", "pit", "lime")
    for number in range(2):
        assert night(number).answers_together(some, BUNDLE) == [GREEN, WAITS, GREEN]
    last = night(2).answers_together(some, BUNDLE)
    assert [(one.outcome, one.reason) for one in last][1] == ("failed", "wrong_shape")
    assert night(3).answers_together(some, BUNDLE) == last
    assert asked(server) == [["kiwi", "pit", "lime"], ["pit"], ["pit"]]


def test_a_poisonous_one_takes_no_other_with_it(night: Night, server: ModelServer) -> None:
    def poisoned(question: str) -> Said:
        return {"content": None} if "fruit07" in shown(question) else green(question)

    server.script = poisoned
    some = numbered(12)
    for number in range(12):
        found = night(number).answers_together(some, BUNDLE)
    assert [len(each) for each in asked(server)] == [12, 6, 6, 1, 1, 1, 1, 1, 1]
    lost = [ask.given for ask, one in zip(some, found, strict=True) if one != GREEN]
    assert lost == ["fruit07"]


@pytest.mark.parametrize("said", ["no JSON at all", {"content": "{", "finish": "length"}])
def test_a_call_without_an_answer_is_not_repeated_in_its_night(
    night: Night, server: ModelServer, said: Said
) -> None:
    server.script = lambda _: said
    for _ in range(2):
        assert night().answers_together(fruit("kiwi"), BUNDLE) == [WAITS]
    assert server.requests == 1
    server.script = green
    assert night(1).answers_together(fruit("kiwi"), BUNDLE) == [GREEN]


def test_a_provider_that_is_down_says_nothing_of_the_questions(
    night: Night, server: ModelServer
) -> None:
    server.script = lambda _: error(503)
    for _ in range(4):
        model = night()
        assert model.answers_together(fruit("kiwi"), BUNDLE) == [WAITS]
        assert model.waits
    server.script = green
    assert night().answers_together(fruit("kiwi"), BUNDLE) == [GREEN]


def test_a_spent_budget_leaves_all_pending(night: Night, server: ModelServer) -> None:
    model = night(budget_run=0.0)
    assert model.answers_together(fruit("kiwi"), BUNDLE) == [WAITS]
    assert model.waits
    assert server.requests == 0


def test_a_small_model_is_shown_as_many_as_it_can_read(night: Night, server: ModelServer) -> None:
    long = fruit(*(f"{name}{'x' * 400}" for name in "abcd"))
    night(model_context=480).answers_together(long, BUNDLE)
    (names,) = asked(server)
    assert 0 < len(names) < 4


def test_an_estimate_counts_the_calls_of_all_nights(night: Night, tmp_path: Path) -> None:
    night().answers_together(fruit("fruit00"), BUNDLE)
    unasked = DryRunModel(MODEL, Answers(tmp_path / "answers.sqlite"))
    found = unasked.answers_together(numbered(80), BUNDLE)
    assert (found[0], set(map(str, found[1:]))) == (GREEN, {str(WAITS)})
    assert unasked.calls == 3
    unasked.answers_together(numbered(80), BUNDLE)
    assert unasked.calls == 3
