"""`cairn prompts compare`: what a changed prompt gains, loses and changes, and what that costs."""

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from httpx import Response

from cairn.knowledge.llm.prompts import PROMPTS, entity_facts
from cairn.knowledge.llm.prompts.learnings import lessons
from cairn.resources.context import State, open_state
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import load_settings
from cairn.resources.home.sources import add_source
from cairn.resources.llm.prices import known
from cairn.serving.http.app import create_app
from cairn.serving.retrieval.open_memory import Memory
from tests.journeys.running import UNPUBLISHED, follow
from tests.journeys.test_language_model import CHAT, LESSON, chat, teaching, telling
from tests.resources.model_server import ModelServer, Said, served
from tests.serving.conftest import Answer, Ask
from tests.serving.http.conftest import LOCAL

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost", "::1"])

MODEL = "openai/gpt-4o-mini"
SOURCE = Path(entity_facts.__file__).read_text()
EDITED = SOURCE.replace("Better few that last than many", "FEWER THAN EVER").replace(
    "    own: bool = Field(",
    '    why: str = Field(default="", description="Why.")\n    own: bool = Field(',
)
BOUGHT = "The bees were bought from Imker Brandt."


def fewer(question: str) -> Said:
    """What the edited prompt gives: another fact, one less, one told otherwise."""
    numbers = {
        text: int(n) for n, text in re.findall(r"^\[(\d+)\] .*\n    (.*)$", question, re.MULTILINE)
    }
    facts = [
        {"entity": "bees", "message": numbers[said], "quote": quote, "statement": told,
         "stance": "asserted", "own": own, "why": "it was said"}
        for said, quote, told, own in (
            (CHAT[2][2], CHAT[2][2], CHAT[2][2], False),
            (CHAT[3][2], CHAT[3][2], "The bees come from Imker Brandt.", True),
            (CHAT[3][2], "bought from Imker Brandt", BOUGHT, False),
        )
        if said in numbers
    ]  # fmt: skip
    return json.dumps({"facts": facts})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ModelServer]:
    monkeypatch.chdir(tmp_path)
    with served() as server:

        def said(question: str) -> Said:
            system = server.asked[-1]["messages"][0]["content"]
            if "outbox" in question:
                return teaching(question)
            return (fewer if "FEWER THAN EVER" in system else telling)(question)

        server.script = said
        monkeypatch.setenv("OPENAI_API_KEY", "no-key")
        monkeypatch.setenv("CAIRN_MODEL", MODEL)
        monkeypatch.setenv("CAIRN_MODEL_BASE", server.base)
        monkeypatch.setenv("CAIRN_MODEL_CONCURRENCY", "1")  # the script looks at the last question
        chat(tmp_path, "hives", CHAT)
        chat(tmp_path, "outbox", LESSON)
        (tmp_path / "edited.py").write_text(EDITED)
        yield server


@pytest.fixture
def compare(run_cairn: Ask, tmp_path: Path, server: ModelServer) -> Ask:
    del server
    return lambda *given: run_cairn("--home", tmp_path / "home", "prompts", "compare", *given)


def test_an_edited_prompt_gains_loses_and_changes_and_nothing_is_stored_but_answers(
    compare: Ask, server: ModelServer, tmp_path: Path
) -> None:
    told = compare("entity_facts", "edited.py", "hives.jsonl", "outbox.jsonl", "--json").json
    assert [(row["content"], row["reason"]) for row in told["gained"]] == [(BOUGHT, None)]
    assert [(row["content"], row["reason"]) for row in told["lost"]] == [(CHAT[0][2], None)]
    (changed,) = told["changed"]
    assert (changed["content"], changed["confidence"]) == (CHAT[3][2], 0.6)
    assert (changed["content_after"], changed["confidence_after"]) == (
        "The bees come from Imker Brandt.", 0.8,
    )  # fmt: skip
    assert changed["quote"] == CHAT[3][2]
    a, b = told["a"], told["b"]
    assert a["version"] == PROMPTS["entity_facts"].fingerprint(MODEL) != b["version"]
    assert (b["accepted"] - a["accepted"], a["rejected"], b["rejected"]) == (0, 1, 1)
    assert a["reasons"] == b["reasons"] == {"question": 1}
    assert (a["unread_fields"], b["unread_fields"]) == ([], ["facts[].why"])
    for side in (a, b):
        assert (side["tokens_in"], side["tokens_out"]) == (10 * side["calls"], 5 * side["calls"])
        assert side["dollars"] == pytest.approx(side["calls"] * (known(MODEL).cost(10, 5) or 0))
        assert side["own"]["calls"] > 0
        assert side["unanswered"] == []
    assert told["paid_now"]["calls"] == server.requests == a["calls"] + b["own"]["calls"]

    out = compare("entity_facts", "edited.py", "hives.jsonl", "outbox.jsonl").out
    assert server.requests == told["paid_now"]["calls"], "kept answers cost nothing"
    for line in ("Gained: 1", "Lost: 1", "Changed: 1", "0 calls paid now", BOUGHT,
                 "B: nothing reads facts[].why of its answers."):  # fmt: skip
        assert line in out
    assert not list((tmp_path / "home" / "warehouse").iterdir())


def test_a_lesson_that_another_prompt_words_otherwise_is_changed(
    compare: Ask, server: ModelServer, tmp_path: Path
) -> None:
    source = Path(lessons.__file__).read_text()
    edit = "LEARNING_PATTERN = replace(LEARNING_PATTERN, criteria='MORE')\n"
    (tmp_path / "lesson.py").write_text(f"{source}\nfrom dataclasses import replace\n{edit}")
    first = server.script

    def said(question: str) -> Said:
        told = first(question)
        assert isinstance(told, str)
        system = server.asked[-1]["messages"][0]["content"]
        return told.replace("Write orders", "Put orders") if "MORE" in system else told

    server.script = said
    told = compare("learning_pattern", "lesson.py", "outbox.jsonl", "--json").json
    (changed,) = told["changed"]
    assert changed["content"].startswith("Write orders")
    assert changed["content_after"].startswith("Put orders")
    assert (told["gained"], told["lost"]) == ([], [])


def test_a_price_that_is_not_known_is_null_and_said_and_so_is_that_both_are_one_version(
    compare: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_MODEL", "openai/of-nobody")
    told = compare("entity_facts", "edited.py", "hives.jsonl", "--json").json
    assert (told["a"]["dollars"], told["b"]["dollars"]) == (None, None)
    assert told["a"]["unpriced"] == told["a"]["calls"] > 0
    same = compare("edited.py", "edited.py", "hives.jsonl").out
    assert same.count("price not known") == 2
    assert "A and B are the same version." in same
    assert "Gained: 0" in same


def test_answers_that_are_not_to_be_had_are_said(
    compare: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_BUDGET_RUN", "0")
    answer = compare("entity_facts", "edited.py", "hives.jsonl")
    assert "A: names: 3 without an answer, waits: no_budget (budget_run" in answer.out
    assert "entity_facts is not asked about these files." in answer.out


WRONG = {
    "other.py": (SOURCE.replace('name="entity_facts"', 'name="other"'), "these are not of one"),
    "none.py": ("from cairn.knowledge.llm.prompts import NAMES\n", "it defines no prompt"),
    "broken.py": ("x = 1\ny = x / 0\n", "broken.py:2: ZeroDivisionError"),
    "syntax.py": ("x = 1\ndef\n", "syntax.py:2: SyntaxError"),
    "field.py": (
        re.sub(r"statement=", "said=", SOURCE).replace("    statement: str", "    said: str"),
        "facts[].statement is missing",
    ),
    "type.py": (SOURCE.replace('"hypothetical"]', '"hypothetical", "doubted"]'),
                "facts[].stance is one of asserted, doubted"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_version_of_the_prompt_is_refused_in_a_line(
    compare: Ask, server: ModelServer, tmp_path: Path, name: str
) -> None:
    text, told = WRONG[name]
    (tmp_path / name).write_text(text)
    answer: Answer = compare("entity_facts", name, "hives.jsonl")
    assert (answer.code, answer.err.count("\n"), answer.out) == (1, 1, "")
    assert told in answer.err
    assert server.requests == 0


def test_prompts_are_compared_by_a_model(compare: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CAIRN_MODEL")
    assert "no language model is set" in compare("names", "names", "hives.jsonl").err
    assert "no prompt is called so" in compare("nothing", "names", "hives.jsonl").err


@contextmanager
def comparing_on_a_page(home: Path) -> Iterator[Callable[[], Response]]:
    """The page of prompts: what it tells each time that somebody has sent its form."""
    address, end = "/n/default/prompts", time.monotonic() + 60
    address_of_form, here = "/n/default/do/compare-prompt", {"origin": LOCAL}
    with TestClient(create_app(Memory(open_state(home))), base_url=LOCAL) as person:
        while "being looked up" in (page := person.get(address).text):
            assert time.monotonic() < end
        (token,) = set(re.findall(r'name="token" value="(\w+)"', page))
        talk = next(one for one in re.findall(r'<option value="([^"]+)"', page) if "hives" in one)
        form = {"token": token, "back": "prompts", "prompt": "entity_facts", "talk": talk}
        for wrong in ({"prompt": "none"}, {"talk": "none"}):
            sent = {**form, **wrong}
            assert person.post(address_of_form, data=sent, headers=here).status_code == 404

        def compared() -> Response:
            page = person.post(address_of_form, data=form, headers=here)
            while "is being asked" in page.text:
                assert time.monotonic() < end
                page = person.get(str(page.url))
            return page

        yield compared


@pytest.mark.usefixtures("commands_here")
def test_a_prompt_of_ones_own_is_put_in_force_compared_and_redone(
    run_cairn: Ask, tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    cairn = partial(run_cairn, "--home", home)
    state = State(open_home(home), load_settings())
    add_source(state.home, tmp_path, "default")
    follow(state, UNPUBLISHED)
    (home / "prompts").mkdir()
    shown = cairn("prompts", "show", "entity_facts", "--toml").out
    edited = shown.replace("Better few that last than many", "FEWER THAN EVER")
    (home / "prompts" / "entity_facts.toml").write_text(edited)
    own = 'beside = "names"\nabout = "Bees."\nrequirements = "List bees."\n'
    (home / "prompts" / "bees.toml").write_text(own)
    with (home / "cairn.toml").open("a") as file:
        file.write('prompts_dir = "prompts"\n')

    told = {one["prompt"]: one for one in cairn("prompts", "--json").json["prompts"]}
    assert [name for name, one in told.items() if one["origin"] == "prompts_dir"] == [
        "entity_facts", "bees",
    ]  # fmt: skip
    assert told["bees"]["beside"] == "names"
    changes = {one["name"]: one for one in cairn("stale", "--json").json["changes"]}
    assert {"entity_facts", "bees", "full_mode"} <= set(changes)
    assert changes["full_mode"]["calls"] > 0
    compared = cairn(
        "prompts", "compare", "entity_facts@cairn", "entity_facts", "hives.jsonl", "--json"
    ).json
    assert [row["content"] for row in compared["gained"]] == [BOUGHT]

    paid = server.requests
    assert cairn("backfill", "--stale", "--yes").code == 0
    assert server.requests - paid == sum(change["calls"] for change in changes.values()) > 0
    rows = {one["prompt"]: one for one in cairn("prompts", "--json").json["prompts"]}
    for name in ("entity_facts", "bees"):
        (version,) = rows[name]["versions"]
        assert version["rows"] > 0, name
    assert cairn("stale", "--json").json["changes"] == []
    with comparing_on_a_page(home) as compare_there:
        assert BOUGHT in compare_there().text
        (home / "prompts" / "bees.toml").write_text('beside = "names"\n')
        failed = compare_there()
        assert (failed.status_code, "prompts compare` says why" in failed.text) == (503, True), (
            "what was edited since is asked anew"
        )

    for command in (("run",), ("stale",), ("prompts",)):
        assert f"{home / 'prompts' / 'bees.toml'}:1: about: is missing" in cairn(*command).err
    found = cairn("doctor", "--json").json["checks"]
    assert [one["level"] for one in found if one["check"] == "prompts"] == ["error"]
    assert cairn("search", "bees").code == 0
