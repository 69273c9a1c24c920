"""A night with a model: one question per kind about similar facts, and what comes of it.

The model is a server on loopback, asked through litellm.
"""

import json
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from cairn.knowledge.assembly.build import build
from cairn.knowledge.engine.stage import StageContext
from cairn.knowledge.schema.tables import (
    CONTRADICTION_VERDICTS,
    EVIDENCE,
    FACTS,
    MERGE_VERDICTS,
    MERGES,
    RECORDS,
    WORK,
    Table,
)
from cairn.pipelines.assembly import is_night
from cairn.pipelines.follow import follow
from cairn.pipelines.planning.pending import left_to_model, night_model_work_pending
from cairn.resources.context import State
from cairn.serving.query.pending_pairs import waiting_pairs
from tests.journeys.hives import chat, telling
from tests.journeys.running import UNPUBLISHED
from tests.resources.model_server import ModelServer, Said

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost", "::1"])

Opened = Callable[..., State]

SLEEP = "The bees sleep in the blue hive by the old mill."
NEVER = SLEEP.replace("sleep", "never sleep")
TWENTY, THIRTY, FORTY = (f"The bees got {n} frames of wax for the winter." for n in (20, 30, 40))
FED, FED_TOO = (f"The bees are {word}fed with syrup of sugar." for word in ("", "also "))
EACH = "Each winter the bees hum a low tune."
TUNE = "The bees hum a low tune each winter."

SAID = ((SLEEP,), (NEVER,), (TWENTY,), (THIRTY,), (FED, FED_TOO), (EACH,), (TUNE,))


def waiting(state: State) -> pl.DataFrame:
    return waiting_pairs(state.warehouse.read, state.policy)


def pairs_of(question: str) -> list[tuple[str, str, str]]:
    """Number and both statements of each pair that a question shows."""
    shown = r"^Pair (\d+)\nAbout: bees \(topic\)\nA, .*?, states: (.*)\nB, .*?, states: (.*)$"
    return re.findall(shown, question, re.MULTILINE)


def judging(question: str) -> Said:
    """Keeps apart what denies, calls numbers a contradiction, merges the rest."""
    if "Pair 1" not in question:
        return telling(question)
    verdicts = [
        {"pair": int(number), "reason": "as the words say", "verdict":
         "KEEP_BOTH" if "never" in left + right
         else "CONTRADICTION" if "frames" in left else "MERGE"}
        for number, left, right in pairs_of(question)
    ]  # fmt: skip
    return json.dumps({"verdicts": verdicts})


def asked(server: ModelServer) -> list[set[frozenset[str]]]:
    """The pairs of each question about pairs."""
    texts = (body["messages"][-1]["content"] for body in server.asked)
    found = [pairs_of(text) for text in texts if "Pair 1" in text]
    return [{frozenset(pair[1:]) for pair in pairs} for pairs in found]


Run = Callable[..., State]


@pytest.fixture
def run(opened: Opened, server: ModelServer) -> Run:
    """What a run makes up to the merges; of the night, unless told."""
    server.script = judging

    def made(
        model: str | None = "openai/gpt-4o-mini", *, night: bool = True, until: str = "merges"
    ) -> State:
        state = opened(model)
        state.begin_run("command", night=night)
        follow(state, until=until)
        return state

    return made


@pytest.fixture(autouse=True)
def said(logs: Path) -> None:
    (logs / "hives.jsonl").unlink()
    for number, texts in enumerate(SAID, 1):
        lines = [("user", f"2026-03-0{number}T09:0{n}:00Z", text) for n, text in enumerate(texts)]
        chat(logs, f"c{number}", lines)


def a_day_later(state: State) -> None:
    with sqlite3.connect(state.home.answers) as answers:
        answers.execute("UPDATE calls SET called_at = '2026-01-01T03:30:00+00:00'")
    answers.close()


def read(state: State, table: Table) -> pl.DataFrame:
    return state.warehouse.read(table).collect()


def decided(state: State) -> set[tuple[str, frozenset[str]]]:
    """Decisions, each about two statements."""
    says = dict(read(state, FACTS).select("fact_id", "content").iter_rows())
    rows = read(state, MERGES).explode("loser_ids")
    return {
        (decision, frozenset({says[winner], says[loser]}))
        for decision, winner, loser in rows.select("decision", "winner_id", "loser_ids").iter_rows()
    }


def denied(state: State) -> set[str]:
    rows = read(state, EVIDENCE).filter(kind="contradiction").join(read(state, FACTS), on="fact_id")
    return set(rows["content"])


def test_a_night_asks_once_per_kind_and_nobody_asks_again(
    run: Run, server: ModelServer, logs: Path
) -> None:
    state = run()
    differing = {frozenset(pair) for pair in ((SLEEP, NEVER), (TWENTY, THIRTY), (EACH, TUNE))}
    assert asked(server) == [differing, {frozenset((FED, FED_TOO))}]
    first = read(state, MERGES)
    assert decided(state) == {
        ("keep_both", frozenset((SLEEP, NEVER))),
        ("contradiction", frozenset((TWENTY, THIRTY))),
        ("merge", frozenset((EACH, TUNE))),
        ("merge", frozenset((FED, FED_TOO))),
    }
    assert set(first["reason"]) == {"as the words say"}
    assert denied(state) == {TWENTY, THIRTY}
    assert not night_model_work_pending(state)
    paid = server.requests
    # Made anew of records and answers, it is the same, and costs nothing.
    a_day_later(state)
    records, means = (
        read(state, RECORDS),
        StageContext(state.policy, state.embedder, state.language_model),
    )
    assert_frame_equal(build(records, means, until="merges")["merges"], first)
    # Without the model its verdicts go; with it they come back.
    without = run(model=None)
    for table in (CONTRADICTION_VERDICTS, MERGE_VERDICTS, MERGES):
        assert read(without, table).is_empty()
    assert_frame_equal(read(run(), MERGES), first)
    assert server.requests == paid
    # Another day, another fact: asked is about its pairs alone.
    chat(logs, "c8", [("user", "2026-03-08T09:00:00Z", FORTY)])
    state = run()
    assert asked(server)[2:] == [{frozenset((FORTY, TWENTY)), frozenset((FORTY, THIRTY))}]
    assert denied(state) == {TWENTY, THIRTY, FORTY}


def test_pairs_wait_for_the_night_and_make_no_run(run: Run, server: ModelServer) -> None:
    state = run(night=False, until=UNPUBLISHED)
    assert asked(server) == []
    assert denied(state) == {SLEEP, NEVER}, "by rule"
    assert night_model_work_pending(state)
    assert left_to_model(state) == set()
    assert not state.model_goes_on
    assert waiting(state)["verdict"].to_list().count("opposite") == 1
    assert waiting(state).height == 4

    def careless(question: str) -> Said:
        said = judging(question)
        return said.replace('"KEEP_BOTH"', '"PERHAPS"') if isinstance(said, str) else said

    server.script = careless
    state = run()
    assert {verdict for verdict, _ in decided(state)} == {"contradiction", "merge"}, "one is lost"
    assert denied(state) == {SLEEP, NEVER, TWENTY, THIRTY}
    assert not night_model_work_pending(state), "it was asked today"
    assert waiting(state).height == 1
    server.script = judging
    a_day_later(state)
    assert night_model_work_pending(state)
    state = run()
    assert asked(server)[2:] == [{frozenset((SLEEP, NEVER))}]
    assert denied(state) == {TWENTY, THIRTY}
    stages = read(state, WORK).filter(pl.col("stage").str.ends_with("_verdicts"))
    assert dict(stages.select("stage", "outcome").iter_rows()) == {
        "contradiction_verdicts": "done", "merge_verdicts": "done", "entity_verdicts": "empty",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("job", "command", "night"),
    [
        ("night", None, True),
        ("verify", "cairn run", True),
        ("verify", None, False),
        ("update", "cairn run", False),
        ("publish", None, False),
    ],
)
def test_a_night_is_the_schedule_or_the_end_of_a_command(job, command, night) -> None:
    assert is_night(job, command) is night
